package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aburn/instrument"
	"aburn/instrument/edit"
	"aburn/instrument/prompt"
	"aburn/instrument/scan"
)

type dropped = edit.Dropped

// stop ends a run early, with what it has.
type stop struct{ why string }

func (s *stop) Error() string { return s.why }

// attempts are the questions about one file until a plan passes or somebody has enough.
type attempts struct {
	*runner
	scan   *scan.File
	source []byte
	file   *File
	used   int // tokens
	best   *instrument.RunResult
	plan   instrument.Planned // that made best
	seen   map[string]bool    // mistakes, by function and rule
	cuts   int                // answers that were cut off
	before json.RawMessage    // the last whole file that had the form
	stuck  bool               // mending it does not help
	told   Attempt            // the attempt that is made
	why    string             // the last attempt failed; "" where it did not
}

// askFile asks about a file until its plan passes. work is nil where nothing is to be
// written. The error is a *stop, or the context's.
func (r *runner) askFile(ctx context.Context, f *scan.File, source []byte) (file *File, work *instrument.RunResult, plan instrument.Planned, err error) {
	a := &attempts{runner: r, scan: f, source: source, seen: map[string]bool{}, file: &File{
		FileResult: instrument.NewFileResult(f.Path, "", ""), Strategy: r.o.Config.Mode, ErrorProgression: []string{}, Libraries: []string{}, Functions: []Function{},
		SourceHash: f.Source, Agent: r.agent(),
	}}
	if why := r.refuses(source); why != "" {
		a.file.Status, a.file.Reason, a.file.LastError = instrument.Failed, why, why
		return a.file, nil, plan, nil
	}
	var facts []string
	focus := ""
	last := r.o.Config.MaxFixAttempts
	for n := 0; n <= last; n++ {
		if n > 0 && n == last && len(a.file.ErrorProgression) > 0 {
			focus = a.worst(facts)
		}
		var done bool
		a.told = Attempt{Path: f.Path, N: n + 1}
		if facts, done, err = a.once(ctx, n, facts, focus); err != nil {
			return nil, nil, plan, err
		}
		if a.told.Facts = facts; a.told.Answer != nil && a.cb.OnAttempt != nil {
			a.cb.OnAttempt(a.told)
		}
		if done {
			break
		}
		if a.stuck && n < last { // to the attempt that begins anew
			n = last - 1
		}
	}
	a.finish(facts)
	return a.file, a.best, a.plan, nil
}

// once is one attempt. done says that a further one would not help.
func (a *attempts) once(ctx context.Context, n int, facts []string, focus string) (found []string, done bool, err error) {
	answer, err := a.ask(ctx, n, facts, focus)
	var budget *budgetError
	if errors.As(err, &budget) {
		a.file.LastError = budget.Error()
		return facts, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	a.told.Answer = answer
	a.file.Calls++
	a.file.Usage.Add(answer.Usage)
	if answer.USD != nil {
		sum := *answer.USD
		if a.file.CostUSD != nil {
			sum += *a.file.CostUSD
		}
		a.file.CostUSD = &sum
	}
	a.used += answer.Usage.Total()
	if answer.Err != "" {
		return a.unanswered(answer)
	}
	if !a.o.DryRun { // a person may have changed the registry while the model thought
		if err := a.refresh(); err != nil {
			return nil, false, err
		}
	}
	if a.rewrites() {
		return a.rewritten(ctx, answer.JSON)
	}
	plan, found, err := prompt.Read(answer.JSON, a.scan)
	if err != nil {
		return a.formless(err)
	}
	work, chosen, err := a.apply(ctx, plan)
	if err != nil {
		return nil, false, err
	}
	if a.moved(work) {
		return nil, true, nil
	}
	return a.weigh(work, chosen, found)
}

// formless is an attempt whose answer does not match the schema.
func (a *attempts) formless(err error) (facts []string, done bool, _ error) {
	a.file.LastError, a.why = err.Error(), err.Error()
	a.file.ErrorProgression = append(a.file.ErrorProgression, "1 mistake")
	return []string{err.Error()}, false, nil
}

// unanswered is an attempt without an answer.
func (a *attempts) unanswered(answer *Answer) (facts []string, done bool, err error) {
	a.file.LastError, a.why = answer.Err, answer.Err
	a.file.ErrorProgression, a.before = append(a.file.ErrorProgression, "no answer"), nil
	switch answer.Why {
	case whyAuth:
		return nil, true, &stop{answer.Err}
	case whyRefused:
		return nil, true, nil
	case whyTruncated:
		a.cuts++
		return []string{"the answer was too long: " + map[bool]string{false: "plan fewer attributes, with shorter reasons",
			true: "add fewer spans, and think less"}[a.rewrites()]}, a.cuts == 2, nil
	case whySchema:
		return []string{answer.Err}, false, nil
	}
	return nil, false, nil
}

// apply applies a plan in memory. A new name that the registry refuses is taken out,
// so that the rest lives.
func (a *attempts) apply(ctx context.Context, plan edit.Plan) (*instrument.RunResult, instrument.Planned, error) {
	planned := instrument.Planned{Path: a.scan.Path, Source: a.scan.Source, Plan: plan}
	var refused []dropped
	for {
		work, err := instrument.Applying{Dir: a.o.Dir, Config: a.o.Config, Plan: &instrument.Plan{Files: []instrument.Planned{planned}}, Formatter: a.o.Formatter,
			Linter: a.o.Linter, Contract: a.now, Created: a.created, Trace: a.o.Trace, Attempt: true}.Work(ctx, a.o.Engine)
		if err != nil {
			return nil, planned, err
		}
		name := work.Files[0].Refused
		if name == "" || !without(&planned.Plan, name) {
			for _, d := range refused {
				work.Files[0].Drops, work.Files[0].Dropped = append(work.Files[0].Drops, d), append(work.Files[0].Dropped, d.String())
			}
			return work, planned, nil
		}
		// A span that needs it is lost by a rule then, and counts there.
		refused = append(refused, dropped{Function: "registry", Attribute: name, Reason: work.Files[0].Reason})
	}
}

// without takes a new name out of a plan. It says whether it was there.
func without(p *edit.Plan, name string) bool {
	name = strings.TrimPrefix(name, "span.")
	before := len(p.NewSpans) + len(p.NewAttributes)
	p.NewSpans = slices.DeleteFunc(slices.Clone(p.NewSpans), func(s edit.NewSpan) bool { return strings.TrimPrefix(s.ID, "span.") == name })
	p.NewAttributes = slices.DeleteFunc(slices.Clone(p.NewAttributes), func(n edit.NewAttribute) bool { return n.Key == name })
	return len(p.NewSpans)+len(p.NewAttributes) < before
}

// weigh keeps the best result so far. A plan that lost no span is good enough: a lost
// attribute is reported, not paid for again.
func (a *attempts) weigh(work *instrument.RunResult, plan instrument.Planned, found []string) (facts []string, done bool, err error) {
	f := work.Files[0]
	lost, again := len(found), false
	for _, d := range f.Drops {
		if d.Attribute == "" {
			lost++
		}
		facts = append(facts, d.String())
		key := d.Function + "\x00" + d.Attribute + "\x00" + ruleOf(d.Reason)
		again = again || a.seen[key]
		a.seen[key] = true
	}
	for _, text := range found {
		again = again || a.seen[text]
		a.seen[text] = true
	}
	facts = append(facts, found...)
	if f.Status == instrument.Unchanged && len(plan.Functions) == 0 && len(found) > 0 {
		f.Status, f.Reason = instrument.Failed, "no choice of the answer could be taken: "+found[0]
	}
	if f.Status == instrument.Failed {
		facts = append(facts, f.Reason)
		lost++
	}
	more := len(a.file.ErrorProgression) > 0 && lost > a.lastLost()
	a.file.ErrorProgression = append(a.file.ErrorProgression, plural(lost, "mistake"))
	a.keep(work, plan)
	return facts, lost == 0 || again || more, nil
}

func (a *attempts) lastLost() (n int) {
	last := a.file.ErrorProgression[len(a.file.ErrorProgression)-1]
	if _, err := fmt.Sscanf(last, "%d mistake", &n); err != nil {
		return 1 << 20 // no answer: nothing can be worse
	}
	return n
}

func ruleOf(reason string) string {
	rule, _, _ := strings.Cut(reason, ":")
	return rule
}

// keep keeps the best result; of failed ones the last, whose reasons are told.
func (a *attempts) keep(work *instrument.RunResult, plan instrument.Planned) {
	f := work.Files[0]
	a.why = ""
	if f.Status == instrument.Failed {
		a.why = f.Reason
	}
	if a.best == nil || better(f, a.best.Files[0]) || f.Status == instrument.Failed && a.best.Files[0].Status == instrument.Failed {
		a.best, a.plan = work, plan
	}
}

func better(a, b *instrument.FileResult) bool {
	if (a.Status == instrument.Success) != (b.Status == instrument.Success) {
		return a.Status == instrument.Success
	}
	if a.SpansAdded != b.SpansAdded {
		return a.SpansAdded > b.SpansAdded
	}
	return a.AttributesUsed > b.AttributesUsed
}

// worst names the rule that most mistakes are about, for the last attempt.
func (a *attempts) worst(facts []string) string {
	count, best := map[string]int{}, ""
	for _, f := range facts {
		for _, word := range strings.FieldsFunc(f, func(r rune) bool { return r == ' ' || r == ':' || r == ',' }) {
			if len(word) > 4 && word[len(word)-4] == '-' && strings.ToUpper(word) == word {
				if count[word]++; count[word] > count[best] {
					best = word
				}
			}
		}
	}
	return best
}

// finish fills the file's result from the best attempt.
func (a *attempts) finish(facts []string) {
	f := a.file
	if a.best == nil {
		f.Status, f.Reason = instrument.Failed, map[bool]string{false: "no plan: ", true: "no file: "}[a.rewrites()]+f.LastError
		return
	}
	attempts := len(f.ErrorProgression)
	f.FileResult = a.best.Files[0]
	f.FileResult.Attempts = attempts
	if f.Status == instrument.Failed && a.why != "" {
		f.Reason = a.why
	}
	if f.Status == instrument.Success {
		f.LastError = ""
	} else if len(facts) > 0 {
		f.LastError = facts[len(facts)-1]
	}
	if f.Status != instrument.NeedsHuman { // a person decides on the file, and on what it needs
		f.Libraries = append(f.Libraries, a.plan.Libraries...)
	}
	f.Categories = categories(a.scan, a.plan, f.FileResult)
}

func categories(s *scan.File, plan instrument.Planned, f *instrument.FileResult) *Categories {
	c := &Categories{Total: len(s.Functions)}
	for _, choice := range plan.Functions {
		if choice.Action != "span" || slices.ContainsFunc(f.Drops, func(d dropped) bool { return d.Function == choice.ID && d.Attribute == "" }) {
			continue
		}
		switch choice.Tier {
		case 1:
			c.ExternalCalls++
		case 2:
			c.SchemaDefined++
		case 3:
			c.ServiceEntryPoints++
		}
	}
	return c
}
