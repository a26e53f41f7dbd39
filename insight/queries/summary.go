package queries

import (
	"context"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/insight"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/insight/remedy"
	"aburn/insight/report"
)

// ReportSummary is what the first sentences of `aburn report` need.
type ReportSummary struct {
	*report.Summary
	FirstReport bool // nobody has read a report before, so Since is some days ago
	// All and Failed are what the units that ended cost, and those of them that failed.
	All, Failed cost.Sum
	Currency    *bill.Currency
	Remedy      *remedy.Answer // of Main, nil without one
}

// Summarize collects the facts. answer holds all lines.
func Summarize(ctx context.Context, c *lookup.Caller, answer *ReportAnswer) (*ReportSummary, error) {
	since, first := lastReport(archive.Dir(c.Env), c.Now)
	s := &ReportSummary{Summary: answer.Summarize(answer.Digests, since), FirstReport: first, Currency: bill.CurrencyOf(bill.SettingsOf(c.Caller))}
	if err := s.price(ctx, c, answer.Sessions); err != nil {
		return nil, err
	}
	if s.Main == nil {
		return s, nil
	}
	rules, err := remedyRules(c)
	if err != nil {
		return nil, err
	}
	s.Remedy = remedy.ForKey(s.Main.Key, answer.Digests, rules)
	return s, nil
}

// price adds up what the sessions that ended cost. A sub-agent's answers count where the sub-agent failed.
func (s *ReportSummary) price(ctx context.Context, c *lookup.Caller, list []digests.Session) error {
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return err
	}
	defer arch.Close()
	prices, err := bill.PricesOf(c.Caller, "")
	if err != nil {
		return err
	}
	ended := make(map[int64]*insight.Digest, len(list))
	for _, d := range list {
		if !d.Live {
			ended[d.Key] = d.Digest
		}
	}
	const failed, others = "failed", "others"
	tally := cost.NewTally(prices, cost.ByOutcome, time.UTC)
	err = arch.EachAnswers(ctx, func(key int64) bool { return ended[key] != nil }, func(key int64, answers []archive.Answer) error {
		d := ended[key]
		use, hides := cost.Use{Outcome: others}, bill.HidesCacheWrites(d.Source, answers)
		if d.Verdict.Failing() {
			use.Outcome = failed
		}
		for i := range answers {
			use.Response = bill.ResponseOf(&answers[i], hides)
			tally.Add(&use)
		}
		return nil
	})
	groups, total := tally.Groups()
	s.All = total.Sum
	for _, g := range groups {
		if g.Name == failed {
			s.Failed = g.Sum
		}
	}
	return err
}
