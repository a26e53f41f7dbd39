package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/trace"
)

// Options is what a report contains beside its sums.
type Options struct {
	Now    time.Time
	Chosen Chosen
	// Remedies is what remedy.Measure returns for all sessions: a remedy may be older than the
	// sessions chosen for the report.
	Remedies []remedy.Measured
}

// Make sums up the digests, which it does not change.
func Make(digests []*insight.Digest, o Options) *Report {
	list := slices.Clone(digests)
	slices.SortFunc(list, latestFirst)
	t := newTally()
	for _, d := range list { // one pass: loading each digest into the cache is most of the work
		t.add(d)
	}
	r := &Report{Made: o.Now, Chosen: o.Chosen, Remedies: append([]remedy.Measured{}, o.Remedies...)}
	r.Units = t.units
	r.Outcomes = t.outcomeRows()
	r.Agents = t.agents.sorted(func(a, b *Agent) int { return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.Source, b.Source)) })
	r.Failures = t.shapeRows()
	r.Errors = t.errorRows()
	r.Classes = t.classRows()
	r.Loops, r.LoopsIn = t.loopRows(), t.loopsIn
	r.Tools, r.AllTools = t.toolRows(), t.allTools
	r.Slow = t.slow
	r.Tokens = t.tokens
	r.Phases = phases(t.phased)
	r.Weeks, r.NoWeek = t.weekRows()
	return r
}

// tally is the state of the sums. Units come in from the latest on.
type tally struct {
	units    Units
	outcomes *group[insight.Outcome, outcomeTally]
	agents   *group[string, Agent]
	shapes   *group[string, Shape]
	errors   *group[string, Error]
	classes  *group[failure.Class, Class]
	loops    *group[loopFile, Loop]
	loopsIn  int
	tools    *group[trace.ToolType, Tool]
	allTools Tool
	slow     []Slow
	tokens   Tokens
	weeks    *group[int64, weekTally]
	phased   []*insight.Digest // those that have phases
}

func newTally() *tally {
	return &tally{
		outcomes: newGroup[insight.Outcome, outcomeTally](),
		agents:   newGroup[string, Agent](),
		shapes:   newGroup[string, Shape](),
		errors:   newGroup[string, Error](),
		classes:  newGroup[failure.Class, Class](),
		loops:    newGroup[loopFile, Loop](),
		tools:    newGroup[trace.ToolType, Tool](),
		slow:     make([]Slow, 0, MaxSlow+1),
		weeks:    newGroup[int64, weekTally](),
	}
}

func (t *tally) add(d *insight.Digest) {
	t.addUnit(d)
	t.addOutcome(d)
	t.addAgent(d)
	t.addShape(d)
	t.addError(d)
	t.addClasses(d)
	t.addLoops(d)
	t.addTools(d)
	t.addSlow(d)
	t.addTokens(d)
	t.addWeek(d)
	if len(d.Phases) > 0 {
		t.phased = append(t.phased, d)
	}
}

// latestFirst orders units by their end, units without an end last, and then by name.
func latestFirst(a, b *insight.Digest) int {
	if c := b.End.Compare(a.End); c != 0 {
		return c
	}
	return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.ID, b.ID))
}

func place(d *insight.Digest, event int) Place {
	return Place{Source: d.Source, Session: d.ID, Event: event, End: d.End}
}

// erring reports whether the unit had an error. A cancelled call is no error.
func erring(d *insight.Digest) bool { return d.Decisive >= 0 }

// failing reports whether the unit has ended and failed.
func failing(d *insight.Digest) bool { return !d.Live && d.Verdict.Failing() }

func (t *tally) addUnit(d *insight.Digest) {
	u := &t.units
	u.All++
	if d.Relation == trace.Subagent {
		u.Subagents++
	} else {
		u.Sessions++
	}
	if d.Live {
		u.Running++
		return
	}
	u.Ended++
	if failing(d) {
		u.Failing++
	}
	if erring(d) {
		u.Erring++
	}
	if d.End.IsZero() {
		u.Undated++
	}
}

// outcomes lists all outcomes but running, the good one first.
func outcomes() []insight.Outcome {
	return []insight.Outcome{insight.Completed, insight.Errored, insight.GaveUp, insight.Killed, insight.Crashed, insight.Interrupted, insight.Unknown}
}

type outcomeTally struct {
	units, refined int
	rules          *group[string, Rule]
}

func (t *tally) addOutcome(d *insight.Digest) {
	o := t.outcomes.of(d.Outcome())
	if o.rules == nil {
		o.rules = newGroup[string, Rule]()
	}
	o.units++
	rule := o.rules.of(d.Verdict.Rule)
	rule.Rule = d.Verdict.Rule
	rule.Units++
	if d.Verdict.Refined != "" {
		o.refined++
	}
}

func (t *tally) outcomeRows() (rows []Outcome) {
	for _, name := range outcomes() {
		row := Outcome{Outcome: name, Of: t.units.Ended, Rules: []Rule{}}
		if o := t.outcomes.at[name]; o != nil {
			row.Units, row.Refined = o.units, o.refined
			row.Rules = o.rules.sorted(func(a, b *Rule) int { return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.Rule, b.Rule)) })
		}
		rows = append(rows, row)
	}
	return rows
}

func (t *tally) addAgent(d *insight.Digest) {
	a := t.agents.of(d.Source)
	a.Source = d.Source
	a.Units++
	a.Calls += d.Counts.Calls
	a.Tokens += d.Usage.Total()
	if !d.Live {
		a.Ended++
	}
	if failing(d) {
		a.Failing++
	}
}

func (t *tally) addTokens(d *insight.Digest) {
	t.tokens.Of++
	if n := d.Usage.Total(); n > 0 {
		t.tokens.Units++
		t.tokens.All += n
	}
	t.tokens.Calls += d.Spent.Calls
	t.tokens.Failed += d.Spent.Failed
	t.tokens.Retries += d.Spent.Retries
}

// span widens first and last to include t, unless t is zero.
func span(first, last *time.Time, t time.Time) {
	if t.IsZero() {
		return
	}
	if first.IsZero() || t.Before(*first) {
		*first = t
	}
	if t.After(*last) {
		*last = t
	}
}

// seen adds a place while there is room.
func seen(list []Place, p Place) []Place {
	if len(list) < MaxSeen {
		list = append(list, p)
	}
	return list
}

// byUnits ranks findings: most units first, then the latest, then by key.
func byUnits(a, b int, lastA, lastB time.Time, keyA, keyB string) int {
	return cmp.Or(cmp.Compare(b, a), lastB.Compare(lastA), strings.Compare(keyA, keyB))
}

// group collects values by key.
type group[K comparable, V any] struct {
	at   map[K]*V
	list []*V // in the order of their first appearance
}

func newGroup[K comparable, V any]() *group[K, V] { return &group[K, V]{at: map[K]*V{}} }

// of returns the key's value, a new one on first use.
func (g *group[K, V]) of(key K) *V {
	v := g.at[key]
	if v == nil {
		v = new(V)
		g.at[key] = v
		g.list = append(g.list, v)
	}
	return v
}

// sorted returns the values in order, ties in that of their first appearance; never nil.
func (g *group[K, V]) sorted(order func(a, b *V) int) []V {
	slices.SortStableFunc(g.list, order)
	return g.values()
}

// values returns all values in the order of their first appearance; never nil.
func (g *group[K, V]) values() []V {
	values := make([]V, len(g.list))
	for i, v := range g.list {
		values[i] = *v
	}
	return values
}
