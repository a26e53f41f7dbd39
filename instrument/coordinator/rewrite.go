package coordinator

import (
	"context"
	"encoding/json"

	"aburn/instrument"
	"aburn/instrument/prompt"
	"aburn/instrument/scan"
)

// The modes of a run: a model makes choices, and aburn edits; or it gives whole files.
const (
	Plan    = "plan"
	Rewrite = "rewrite"
)

func (r *runner) rewrites() bool { return r.o.Config.Mode == Rewrite }

// refuses says why a file is not asked about; "" where it is.
func (r *runner) refuses(source []byte) string {
	if !r.rewrites() {
		return ""
	}
	return prompt.Unsendable(source)
}

// fixes is how many attempts mend the answer before: all but the first and, of several,
// the last, which begins anew.
func fixes(c instrument.Config) int {
	if c.MaxFixAttempts < 2 {
		return c.MaxFixAttempts
	}
	return c.MaxFixAttempts - 1
}

// mends says whether an attempt goes on from the answer before.
func (a *attempts) mends(n int) bool { return a.rewrites() && n > 0 && n <= fixes(a.o.Config) }

// rewritten is an attempt whose answer is a whole file.
func (a *attempts) rewritten(ctx context.Context, answer json.RawMessage) (facts []string, done bool, err error) {
	got, found, err := prompt.ReadRewritten(answer, a.scan)
	if err != nil {
		a.before = nil
		return a.formless(err)
	}
	a.before = answer
	work, made, err := instrument.Applying{
		Dir: a.o.Dir, Config: a.o.Config, Formatter: a.o.Formatter, Linter: a.o.Linter, Contract: a.now, Created: a.created, Trace: a.o.Trace, Attempt: true,
	}.Rewrite(ctx, a.o.Engine, instrument.Rewritten{
		Path: a.scan.Path, Source: a.scan.Source, Code: []byte(got.Code), NewSpans: got.NewSpans, NewAttributes: got.NewAttributes, Libraries: got.Libraries,
		Notes: got.Notes,
	})
	if err != nil {
		return nil, false, err
	}
	if a.moved(work) {
		return nil, true, nil
	}
	a.addTiers(&made)
	fresh := a.stuck || len(a.file.ErrorProgression) > fixes(a.o.Config) // this attempt began anew
	facts, done = a.weighRewritten(work, made, found)
	return facts, done || a.stuck && (fresh || a.o.Config.MaxFixAttempts < 2), nil
}

// weighRewritten keeps the best result so far, and says what to mend. A mistake that comes
// again, and more mistakes than before, are not mended further.
func (a *attempts) weighRewritten(work *instrument.RunResult, made instrument.Planned, found []string) (facts []string, done bool) {
	f := work.Files[0]
	a.keep(work, made)
	if f.Status != instrument.Failed {
		a.file.ErrorProgression = append(a.file.ErrorProgression, plural(0, "mistake"))
		return nil, true
	}
	facts = append(f.Facts(), found...)
	if len(f.Blocking) == 0 {
		facts = append(facts, f.Reason)
	}
	again := false
	for _, b := range f.Blocking {
		key := b.Function + "\x00" + b.Rule
		again = again || a.seen[key]
	}
	for _, b := range f.Blocking { // the same rule twice in one answer is no mistake that came again
		a.seen[b.Function+"\x00"+b.Rule] = true
	}
	more := len(a.file.ErrorProgression) > 0 && len(facts) > a.lastLost()
	a.file.ErrorProgression = append(a.file.ErrorProgression, plural(len(facts), "mistake"))
	a.stuck = a.stuck || again || more
	return facts, false
}

// addTiers says of each function that got a span why it may have one: a scan knows that,
// not the model.
func (a *attempts) addTiers(made *instrument.Planned) {
	byID := map[string]scan.Function{}
	for _, fn := range a.scan.Functions {
		byID[fn.ID] = fn
	}
	for i, c := range made.Functions {
		made.Functions[i].Tier, made.Functions[i].Reason = byID[c.ID].Tier, byID[c.ID].Reason
	}
}
