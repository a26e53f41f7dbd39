package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/trace"
)

// Options says what a report is to hold beside its sums.
type Options struct {
	Now    time.Time
	Chosen Chosen
	// Remedies is what remedy.Measure gives of all sessions that there are: what was tried may be older than what is chosen.
	Remedies []remedy.Measured
}

// Make adds digests up. It changes none of them.
func Make(digests []*insight.Digest, o Options) *Report {
	list := slices.Clone(digests)
	slices.SortFunc(list, latestFirst)
	r := &Report{Made: o.Now, Chosen: o.Chosen, Remedies: append([]remedy.Measured{}, o.Remedies...)}
	r.Units = units(list)
	r.Outcomes = outcomeRows(list, r.Units.Ended)
	r.Agents = agents(list)
	r.Failures = shapes(list, &r.Units)
	r.Errors = decisive(list, &r.Units)
	r.Classes = classes(list, &r.Units)
	r.Loops, r.LoopsIn = loops(list)
	r.Tools, r.AllTools = tools(list)
	r.Slow = slowest(list)
	r.Tokens = tokens(list)
	r.Phases = phases(list)
	r.Weeks = weeks(list)
	return r
}

// latestFirst orders units by their end, those without one behind, and by name where that does not tell.
func latestFirst(a, b *insight.Digest) int {
	return cmp.Or(b.End.Compare(a.End), cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
}

// place is where a unit, or an event of it, can be seen.
func place(d *insight.Digest, event int) Place {
	return Place{Source: d.Source, Session: d.ID, Event: event, End: d.End}
}

// erring says whether anything went wrong in a unit. That a call was cancelled is nothing wrong.
func erring(d *insight.Digest) bool { return d.Decisive >= 0 }

// failing says whether a unit has ended and failed.
func failing(d *insight.Digest) bool { return !d.Live && d.Verdict.Failing() }

func units(list []*insight.Digest) Units {
	u := Units{All: len(list)}
	for _, d := range list {
		if d.Relation == trace.Subagent {
			u.Subagents++
		}
		if d.Live {
			u.Running++
			continue
		}
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
	u.Sessions, u.Ended = u.All-u.Subagents, u.All-u.Running
	return u
}

// outcomes are all but running, the good one first.
func outcomes() []insight.Outcome {
	return []insight.Outcome{insight.Completed, insight.Errored, insight.GaveUp, insight.Killed, insight.Interrupted, insight.Unknown}
}

func outcomeRows(list []*insight.Digest, ended int) []Outcome {
	var rows []Outcome
	for _, o := range outcomes() {
		row, rules := Outcome{Outcome: o, Of: ended}, newGroup[string, Rule]()
		for _, d := range list {
			if d.Outcome() != o {
				continue
			}
			row.Units++
			rule := rules.of(d.Verdict.Rule)
			rule.Rule = d.Verdict.Rule
			rule.Units++
			if d.Verdict.Refined != "" {
				row.Refined++
			}
		}
		row.Rules = rules.sorted(func(a, b *Rule) int { return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.Rule, b.Rule)) })
		rows = append(rows, row)
	}
	return rows
}

func agents(list []*insight.Digest) []Agent {
	g := newGroup[string, Agent]()
	for _, d := range list {
		a := g.of(d.Source)
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
	return g.sorted(func(a, b *Agent) int { return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.Source, b.Source)) })
}

// group gathers values by key.
type group[K comparable, V any] struct {
	at   map[K]*V
	list []*V // in the order of their first appearance
}

func newGroup[K comparable, V any]() *group[K, V] { return &group[K, V]{at: map[K]*V{}} }

// of is the value of a key, a new one if there is none yet.
func (g *group[K, V]) of(key K) *V {
	v := g.at[key]
	if v == nil {
		v = new(V)
		g.at[key] = v
		g.list = append(g.list, v)
	}
	return v
}

// sorted is the values in an order, and in that of their first appearance where it does not tell; never nil.
func (g *group[K, V]) sorted(order func(a, b *V) int) []V {
	slices.SortStableFunc(g.list, order)
	return g.values()
}

// values is all of them, in their order; never nil.
func (g *group[K, V]) values() []V {
	values := make([]V, len(g.list))
	for i, v := range g.list {
		values[i] = *v
	}
	return values
}

// span widens first and last to hold a moment; nothing happens where it is not known.
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
