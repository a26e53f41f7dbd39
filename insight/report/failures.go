package report

import (
	"cmp"
	"slices"
	"strings"

	"aburn/insight"
	"aburn/trace"
)

// shapes are the coarse keys of the units that failed.
func shapes(list []*insight.Digest, u *Units) []Shape {
	g := newGroup[string, Shape]()
	for _, d := range list {
		if !failing(d) {
			continue
		}
		s := g.of(d.Keys.Coarse)
		if s.Units == 0 {
			*s = Shape{Key: d.Keys.Coarse, Shape: d.Shape(), Agent: d.Agent.Name, Outcome: d.Outcome(), Rate: d.FailureRate(), OfFailing: u.Failing, OfEnded: u.Ended}
		}
		s.Units++
		span(&s.First, &s.Last, d.End)
		s.Seen = seen(s.Seen, place(d, 0))
	}
	return g.sorted(func(a, b *Shape) int { return byUnits(a.Units, b.Units, a.Last, b.Last, a.Key, b.Key) })
}

// decisive are the fine keys of all units that have ended, failed or not.
func decisive(list []*insight.Digest, u *Units) []Error {
	g := newGroup[string, Error]()
	for _, d := range list {
		if d.Live || !erring(d) || d.Decisive >= len(d.Errors) {
			continue
		}
		first := &d.Errors[d.Decisive]
		e := g.of(d.Keys.Fine)
		if e.Units == 0 {
			*e = Error{
				Key: d.Keys.Fine, Class: first.Class, Type: first.Type, Tool: first.Tool, Exit: first.Exit, Head: first.Head, Text: first.Text,
				OfErring: u.Erring, OfEnded: u.Ended,
			}
		}
		e.Units++
		e.Times += first.Count
		if first.Solved > 0 {
			e.Solved++
		}
		if failing(d) {
			e.Failing++
		}
		span(&e.First, &e.Last, d.End)
		e.Seen = seen(e.Seen, place(d, first.First))
	}
	return g.sorted(func(a, b *Error) int { return byUnits(a.Units, b.Units, a.Last, b.Last, a.Key, b.Key) })
}

// classes are the errors of all units by class. Calls that were cancelled are none.
func classes(list []*insight.Digest, u *Units) []Class {
	g, all := newGroup[insight.Class, Class](), 0
	for _, d := range list {
		for _, count := range d.Classes {
			if count.Class == insight.Cancelled {
				continue
			}
			c := g.of(count.Class)
			c.Class = count.Class
			c.Errors += count.Count
			c.Units++
			if failing(d) {
				c.Failing++
			}
			all += count.Count
		}
	}
	for _, c := range g.list {
		c.OfErrors, c.OfUnits, c.OfFailing = all, u.All, u.Failing
	}
	return g.sorted(func(a, b *Class) int { return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(a.Class, b.Class)) })
}

// loops are the files that were changed again and again, and the number of units in which any was.
func loops(list []*insight.Digest) (files []Loop, in int) {
	type file struct{ project, path string }
	g := newGroup[file, Loop]()
	for _, d := range list {
		if len(d.Loops) > 0 {
			in++
		}
		for _, one := range d.Loops {
			l := g.of(file{d.Project.Key, one.Path})
			l.Path, l.Project = one.Path, d.Project.Key
			l.Units++
			l.Edits += one.Edits
			l.Identical += one.Identical
			if one.Edits > l.Most {
				l.Most, l.Worst = one.Edits, place(d, one.First)
			}
		}
	}
	return g.sorted(func(a, b *Loop) int {
		return cmp.Or(cmp.Compare(b.Most, a.Most), cmp.Compare(b.Edits, a.Edits), strings.Compare(a.Project, b.Project), strings.Compare(a.Path, b.Path))
	}), in
}

// tools are the calls by type, and all of them.
func tools(list []*insight.Digest) (rows []Tool, all Tool) {
	g := newGroup[trace.ToolType, Tool]()
	for _, d := range list {
		for i := range d.Tools {
			use := &d.Tools[i]
			t := g.of(use.Type)
			t.Type = use.Type
			t.add(use)
			all.add(use)
		}
	}
	return g.sorted(func(a, b *Tool) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Type, b.Type)) }), all
}

func (t *Tool) add(use *insight.ToolUse) {
	t.Calls += use.Calls
	t.Ended += use.Ended
	t.Failed += use.Failed
	t.Denied += use.Denied
	t.Retries += use.Retries
	t.Timed += use.Timed
	t.TimedMS += use.TimedMS
	t.Spent += use.SpentAll
}

// slowest are the calls that took longest; of equally long ones that of the latest unit comes first.
func slowest(list []*insight.Digest) []Slow {
	calls := make([]Slow, 0, MaxSlow+1)
	for _, d := range list {
		for _, c := range d.Slow { // the longest first
			if len(calls) == MaxSlow && c.MS <= calls[MaxSlow-1].MS {
				break
			}
			i := len(calls)
			for i > 0 && calls[i-1].MS < c.MS {
				i--
			}
			calls = slices.Insert(calls, i, Slow{place(d, c.Event), c.Tool, c.Type, c.What, c.MS, c.Gap, c.Failed})
			calls = calls[:min(len(calls), MaxSlow)]
		}
	}
	return calls
}

func tokens(list []*insight.Digest) Tokens {
	t := Tokens{Of: len(list)}
	for _, d := range list {
		if n := d.Usage.Total(); n > 0 {
			t.Units++
			t.All += n
		}
		t.Calls += d.Spent.Calls
		t.Failed += d.Spent.Failed
		t.Retries += d.Spent.Retries
	}
	return t
}
