package report

import (
	"cmp"
	"slices"
	"strings"

	"aburn/insight"
	"aburn/insight/failure"
)

// addShape counts a failing unit under its coarse key.
func (t *tally) addShape(d *insight.Digest) {
	if !failing(d) {
		return
	}
	s := t.shapes.of(d.Keys.Coarse)
	if s.Units == 0 {
		*s = Shape{Key: d.Keys.Coarse, Shape: d.Shape(), Agent: d.Agent.Name, Outcome: d.Outcome(), Rate: d.FailureRate()}
	}
	s.Units++
	span(&s.First, &s.Last, d.End)
	s.Seen = seen(s.Seen, place(d, 0))
}

func (t *tally) shapeRows() []Shape {
	for _, s := range t.shapes.list {
		s.OfFailing, s.OfEnded = t.units.Failing, t.units.Ended
	}
	return t.shapes.sorted(func(a, b *Shape) int { return byUnits(a.Units, b.Units, a.Last, b.Last, a.Key, b.Key) })
}

// addError counts an ended unit, failing or not, under its fine key: that of its first decisive
// error.
func (t *tally) addError(d *insight.Digest) {
	if d.Live || !erring(d) || d.Decisive >= len(d.Errors) {
		return
	}
	first := &d.Errors[d.Decisive]
	e := t.errors.of(d.Keys.Fine)
	if e.Units == 0 {
		*e = Error{Key: d.Keys.Fine, Class: first.Class, Type: first.Type, Tool: first.Tool, Exit: first.Exit, Head: first.Head, Text: first.Text}
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

func (t *tally) errorRows() []Error {
	for _, e := range t.errors.list {
		e.OfErring, e.OfEnded = t.units.Erring, t.units.Ended
	}
	return t.errors.sorted(func(a, b *Error) int { return byUnits(a.Units, b.Units, a.Last, b.Last, a.Key, b.Key) })
}

// addClasses counts a unit's errors by class. Cancelled calls are no errors.
func (t *tally) addClasses(d *insight.Digest) {
	for _, count := range d.Classes {
		if count.Class == failure.Cancelled {
			continue
		}
		c := t.classes.of(count.Class)
		c.Class = count.Class
		c.Errors += count.Count
		c.Units++
		if failing(d) {
			c.Failing++
		}
	}
}

func (t *tally) classRows() []Class {
	all := 0
	for _, c := range t.classes.list {
		all += c.Errors
	}
	for _, c := range t.classes.list {
		c.OfErrors, c.OfUnits, c.OfFailing = all, t.units.All, t.units.Failing
	}
	return t.classes.sorted(func(a, b *Class) int { return cmp.Or(cmp.Compare(b.Errors, a.Errors), cmp.Compare(a.Class, b.Class)) })
}

type loopFile struct{ project, path string }

// addLoops counts the files that a unit edited repeatedly.
func (t *tally) addLoops(d *insight.Digest) {
	if len(d.Loops) > 0 {
		t.loopsIn++
	}
	for _, one := range d.Loops {
		l := t.loops.of(loopFile{d.Project.Key, one.Path})
		l.Path, l.Project = one.Path, d.Project.Key
		l.Units++
		l.Edits += one.Edits
		l.Identical += one.Identical
		if one.Edits > l.Most {
			l.Most, l.Worst = one.Edits, place(d, one.First)
		}
	}
}

func (t *tally) loopRows() []Loop {
	return t.loops.sorted(func(a, b *Loop) int {
		return cmp.Or(cmp.Compare(b.Most, a.Most), cmp.Compare(b.Edits, a.Edits), strings.Compare(a.Project, b.Project), strings.Compare(a.Path, b.Path))
	})
}

func (t *tally) addTools(d *insight.Digest) {
	for i := range d.Tools {
		use := &d.Tools[i]
		row := t.tools.of(use.Type)
		row.Type = use.Type
		row.add(use)
		t.allTools.add(use)
	}
}

func (t *tally) toolRows() []Tool {
	return t.tools.sorted(func(a, b *Tool) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Type, b.Type)) })
}

func (t *Tool) add(use *insight.ToolUse) {
	t.Calls += use.Calls
	t.Ended += use.Ended
	t.Failed += use.Failed
	t.Denied += use.Denied
	t.Retries += use.Retries
	t.Timed += use.Timed
	t.TimedMS += use.TimedMS
	t.Gaps += use.Gaps
	t.Spent += use.SpentAll
}

// addSlow keeps the longest calls. Among equally long ones, that of the latest unit comes first.
func (t *tally) addSlow(d *insight.Digest) {
	for i := range d.Slow { // the longest first
		c := &d.Slow[i]
		if len(t.slow) == MaxSlow && c.MS <= t.slow[MaxSlow-1].MS {
			break
		}
		i := len(t.slow)
		for i > 0 && t.slow[i-1].MS < c.MS {
			i--
		}
		t.slow = slices.Insert(t.slow, i, Slow{place(d, c.Event), c.Tool, c.Type, c.What, c.MS, c.Gap, c.Failed})
		t.slow = t.slow[:min(len(t.slow), MaxSlow)]
	}
}
