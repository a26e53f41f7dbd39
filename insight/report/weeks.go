package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
)

type phaseName struct{ command, phase string }

// phases sums up the phases of workflow commands. The latest unit comes first in list.
func phases(list []*insight.Digest) []Phase {
	g := newGroup[phaseName, Phase]()
	for _, name := range phaseOrder(list) {
		g.of(name)
	}
	worst, tools := map[phaseName]int{}, map[phaseName]map[string]int{}
	for _, d := range list {
		for i := range d.Phases {
			use := &d.Phases[i]
			key := phaseName{use.Command, use.Phase}
			p := g.of(key)
			p.Command, p.Phase = use.Command, use.Phase
			p.add(use)
			if most, known := worst[key]; !known || use.Failed > most {
				worst[key], p.Worst = use.Failed, place(d, use.First)
			}
			for _, t := range use.Tools {
				if tools[key] == nil {
					tools[key] = map[string]int{}
				}
				tools[key][t.Tool] += t.Failed
			}
		}
	}
	for key, p := range g.at {
		p.Tools = mostFailed(tools[key])
	}
	return g.values()
}

// phaseOrder takes the order of the unit with most phases, then adds the phases of the unit with
// the next most, and so on. The phases of one command stay together.
func phaseOrder(list []*insight.Digest) []phaseName {
	var ways [][]phaseName
	for _, d := range list {
		var way []phaseName
		for i := range d.Phases {
			if name := (phaseName{d.Phases[i].Command, d.Phases[i].Phase}); !slices.Contains(way, name) {
				way = append(way, name)
			}
		}
		ways = append(ways, way)
	}
	slices.SortStableFunc(ways, func(a, b []phaseName) int { return cmp.Compare(len(b), len(a)) })
	commands, names := map[string]int{}, newGroup[phaseName, phaseName]()
	for _, way := range ways {
		for _, name := range way {
			if _, known := commands[name.command]; !known {
				commands[name.command] = len(commands)
			}
			*names.of(name) = name
		}
	}
	return names.sorted(func(a, b *phaseName) int { return cmp.Compare(commands[a.command], commands[b.command]) })
}

func (p *Phase) add(use *insight.PhaseUse) {
	p.Runs++
	switch use.Result {
	case "completed":
		p.Completed++
	case "failed":
		p.Failed++
	default:
		p.Open++
	}
	p.ActiveMS += use.ActiveMS
	p.Tokens += use.Tokens
	p.Calls += use.Calls
	p.BadCalls += use.Failed
}

func mostFailed(failed map[string]int) []insight.ToolFailed {
	list := []insight.ToolFailed{}
	for tool, n := range failed {
		list = append(list, insight.ToolFailed{Tool: tool, Failed: n})
	}
	slices.SortFunc(list, func(a, b insight.ToolFailed) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(a.Tool, b.Tool))
	})
	return list
}

type weekTally struct {
	Week
	classes map[failure.Class]int
}

// noWeek is the key of the units that are in no week.
const noWeek = math.MinInt64

// addWeek counts a unit in the ISO week of its end, in UTC.
func (t *tally) addWeek(d *insight.Digest) {
	monday := int64(noWeek)
	if !d.Live && !d.End.IsZero() {
		monday = mondayOf(d.End)
	}
	w := t.weeks.of(monday)
	if w.classes == nil {
		w.Outcomes, w.classes = map[string]int{}, map[failure.Class]int{}
	}
	if w.Ended == 0 && monday != noWeek {
		w.Start = time.Unix(monday, 0).UTC()
		year, week := w.Start.ISOWeek()
		w.Week.Week = fmt.Sprintf("%04d-W%02d", year, week)
	}
	w.add(d)
	for _, c := range d.Classes {
		if c.Class != failure.Cancelled {
			w.classes[c.Class] += c.Count
			w.Errors += c.Count
		}
	}
}

func (t *tally) weekRows() (weeks []Week, none *Week) {
	weeks = []Week{}
	for _, w := range t.weeks.list {
		row := w.Week
		row.Classes = []insight.ClassCount{}
		for class, n := range w.classes {
			row.Classes = append(row.Classes, insight.ClassCount{Class: class, Count: n})
		}
		slices.SortFunc(row.Classes, func(a, b insight.ClassCount) int { return cmp.Compare(a.Class, b.Class) })
		if row.Start.IsZero() {
			none = &row
		} else {
			weeks = append(weeks, row)
		}
	}
	slices.SortFunc(weeks, func(a, b Week) int { return a.Start.Compare(b.Start) })
	return weeks, none
}

func (w *Week) add(d *insight.Digest) {
	if !d.Live {
		w.Ended++
		w.Outcomes[string(d.Outcome())]++
	}
	if failing(d) {
		w.Failing++
	}
	for i := range d.Tools {
		w.Calls += d.Tools[i].Ended
		w.Failed += d.Tools[i].Failed
	}
	w.Tokens += d.Usage.Total()
	w.Spent += d.Spent.Failed + d.Spent.Retries
}

// mondayOf is the beginning of t's ISO week, in seconds since 1970.
func mondayOf(t time.Time) int64 {
	const day, week = 24 * 60 * 60, 7 * 24 * 60 * 60
	since := t.Unix() + 3*day // 1970 began on a Thursday
	return since - (since%week+week)%week - 3*day
}
