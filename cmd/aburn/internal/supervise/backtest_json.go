package supervise

import (
	"time"

	"aburn/internal/entries"
	"aburn/supervisor"
	"aburn/supervisor/backtest"
	"aburn/supervisor/state"
)

// BacktestReport is `aburn supervisor backtest --json`.
type BacktestReport struct {
	Logs     int                 `json:"logs"`
	Entries  int64               `json:"entries"`
	Damaged  int64               `json:"damaged_lines"`
	Sessions int                 `json:"sessions"`
	Hours    float64             `json:"hours"`
	Types    []backtestType      `json:"types"`
	Labels   *backtestLabelsJSON `json:"labels,omitempty"`
	Alerts   []backtestAlert     `json:"alerts"`
}

type backtestType struct {
	Type    supervisor.Type     `json:"type,omitempty"`
	Alerts  int                 `json:"alerts"`
	PerHour *float64            `json:"per_hour"` // null in no time
	Queued  int                 `json:"queued"`
	Delay   *backtestDelay      `json:"delay_s,omitempty"`
	Labels  *backtestCountsJSON `json:"labels,omitempty"`
	Above   *backtestCountsJSON `json:"labels_of_queued,omitempty"`
}

type backtestDelay struct {
	N       int     `json:"n"`
	Median  float64 `json:"median"`
	Slowest float64 `json:"slowest"`
}

type backtestCountsJSON struct {
	True      int       `json:"true"`
	False     int       `json:"false"`
	Repeats   int       `json:"repeats"`
	Allowed   int       `json:"allowed"`
	Expected  int       `json:"expected"`
	Found     int       `json:"found"`
	Precision shareJSON `json:"precision"`
	Recall    shareJSON `json:"recall"`
}

type shareJSON struct {
	Hits int      `json:"hits"`
	Of   int      `json:"of"`
	Rate *float64 `json:"rate"` // null of none
	Low  float64  `json:"low"`
	High float64  `json:"high"`
}

type backtestLabelsJSON struct {
	Logs           int                `json:"logs"`
	Healthy        int                `json:"healthy"`
	HealthyFlagged int                `json:"healthy_flagged"`
	All            backtestCountsJSON `json:"all"`
	Queued         backtestCountsJSON `json:"queued"`
}

type backtestAlert struct {
	Log        string           `json:"log"`
	Type       supervisor.Type  `json:"type"`
	Session    string           `json:"session"`
	Agent      string           `json:"agent,omitempty"`
	Entry      uint64           `json:"entry"` // as labels count
	At         string           `json:"at"`
	Since      string           `json:"since,omitempty"`
	Queued     string           `json:"queued,omitempty"`
	Gone       string           `json:"gone,omitempty"`
	Raised     int              `json:"raised"`
	Confidence float64          `json:"confidence"`
	Highest    float64          `json:"highest"`
	Verdict    backtest.Verdict `json:"verdict,omitempty"`
	Signature  string           `json:"signature"`
	Evidence   []uint64         `json:"evidence"`
	Says       string           `json:"says"`
}

func backtestReport(rep *backtest.Report) BacktestReport {
	out := BacktestReport{
		Logs: len(rep.Results), Entries: rep.Entries, Damaged: rep.Damage, Sessions: rep.Sessions, Hours: rep.Time.Hours(),
		Types: []backtestType{}, Alerts: []backtestAlert{},
	}
	for _, t := range rep.Tallies() {
		out.Types = append(out.Types, typeJSON(t, rep))
	}
	if rep.Labelled > 0 {
		total := rep.Total()
		out.Labels = &backtestLabelsJSON{rep.Labelled, rep.Healthy, rep.Flagged, countsJSON(total.All), countsJSON(total.Above)}
	}
	for _, res := range rep.Results {
		for _, a := range res.Alerts {
			out.Alerts = append(out.Alerts, alertJSON(res.Log, a))
		}
	}
	return out
}

func typeJSON(t *backtest.Tally, rep *backtest.Report) backtestType {
	out := backtestType{Type: t.Type, Alerts: t.All.Alerts, Queued: t.Above.Alerts}
	if rep.Time > 0 {
		rate := float64(t.All.Alerts) / rep.Time.Hours()
		out.PerHour = &rate
	}
	if median, ok := t.Median(); ok {
		slowest, _ := t.Slowest()
		out.Delay = &backtestDelay{len(t.Delays), median.Seconds(), slowest.Seconds()}
	}
	if rep.Labelled > 0 {
		all, above := countsJSON(t.All), countsJSON(t.Above)
		out.Labels, out.Above = &all, &above
	}
	return out
}

func countsJSON(c backtest.Counts) backtestCountsJSON {
	return backtestCountsJSON{c.True, c.False, c.Repeat, c.Allowed, c.Labels, c.Found, toShareJSON(c.Precision()), toShareJSON(c.Recall())}
}

func toShareJSON(s backtest.Share) shareJSON {
	out := shareJSON{Hits: s.Hits, Of: s.Of}
	out.Low, out.High = s.Interval()
	if s.Of > 0 {
		rate := s.Rate()
		out.Rate = &rate
	}
	return out
}

func alertJSON(log string, a *backtest.Alert) backtestAlert {
	out := backtestAlert{
		Log: log, Type: a.Type, Session: string(a.Session), Agent: a.Agent, Entry: entryNumber(a.Entry), At: timeJSON(a.At), Queued: timeJSON(a.Queued),
		Gone:   timeJSON(a.Gone),
		Raised: a.Raised, Confidence: a.Confidence, Highest: a.Max, Verdict: a.Verdict, Signature: a.Signature, Evidence: []uint64{}, Says: a.Says,
	}
	if a.Since.Is() {
		out.Since = timeJSON(a.Since.Time())
	}
	for _, m := range a.Evidence {
		out.Evidence = append(out.Evidence, entryNumber(m))
	}
	return out
}

// entryNumber is the entry's number, or its place in the log if it has none.
func entryNumber(m state.Mark) uint64 {
	if m.Seq > 0 {
		return uint64(m.Seq)
	}
	return m.Ord
}

func timeJSON(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(entries.LogTime)
}
