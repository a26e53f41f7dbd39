package insight

import (
	"encoding/binary"
	"math"
	"time"

	"aburn/trace"
)

// The stored form of a digest is this byte, Version, and then all fields in the order of their declaration. Whole numbers are
// signed varints, texts their length and their bytes, lists their length and their entries, times milliseconds since 1970
// after a byte that says whether there is one; a number that can be unknown has such a byte too.
const formMagic = 'd'

// Append appends the digest's stored form, without Live, to dst. Times are kept to the millisecond, in UTC.
func Append(dst []byte, d *Digest) []byte {
	e := encoder{buf: append(dst, formMagic)}
	e.int(Version)
	e.text(d.Source)
	e.text(d.ID)
	e.text(d.Agent.Name)
	e.text(d.Agent.Version)
	e.text(d.Project.Path)
	e.text(d.Project.Key)
	e.text(string(d.Relation))
	e.text(d.Parent)
	e.time(d.Start)
	e.time(d.End)
	e.int64(d.ActiveMS)
	e.verdict(&d.Verdict)
	stored := *d
	stored.SetLive(false)
	e.text(stored.Keys.Coarse)
	e.text(stored.Keys.Sub)
	e.text(stored.Keys.Fine)
	e.counts(&d.Counts)
	e.usage(&d.Usage)
	e.int64(d.Spent.Calls)
	e.int64(d.Spent.Failed)
	e.int64(d.Spent.Retries)
	e.lists(d)
	e.text(d.Ask)
	e.int(d.AskEvent)
	e.int(d.Decisive)
	e.bool(d.Hooked)
	e.int(d.More.Errors)
	e.int(d.More.Changes)
	e.int(d.More.Phases)
	e.int(d.More.Loops)
	return e.buf
}

// encoder appends values in their stored form.
type encoder struct{ buf []byte }

func (e *encoder) int64(n int64) { e.buf = binary.AppendVarint(e.buf, n) }
func (e *encoder) int(n int)     { e.int64(int64(n)) }

func (e *encoder) text(s string) {
	e.int(len(s))
	e.buf = append(e.buf, s...)
}

func (e *encoder) bool(b bool) {
	if b {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
}

func (e *encoder) time(t time.Time) {
	e.bool(!t.IsZero())
	if !t.IsZero() {
		e.int64(t.UnixMilli())
	}
}

func (e *encoder) pointer(n *int) {
	e.bool(n != nil)
	if n != nil {
		e.int(*n)
	}
}

func (e *encoder) verdict(v *Verdict) {
	e.text(string(v.Outcome))
	e.text(v.Rule)
	e.int(len(v.Events))
	for _, seq := range v.Events {
		e.int(seq)
	}
	e.text(v.Refined)
}

func (e *encoder) counts(c *trace.Counts) {
	for _, n := range [...]int{c.Events, c.Prompts, c.Responses, c.Calls, c.Failed, c.Denied, c.NoResult, c.Subagents, c.Changes, c.Errors,
		c.Interrupts, c.Compacted} {
		e.int(n)
	}
}

func (e *encoder) usage(u *trace.Usage) {
	for _, n := range [...]int64{u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning} {
		e.int64(n)
	}
	e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(u.CostUSD))
}

func (e *encoder) lists(d *Digest) {
	e.int(len(d.Classes))
	for i := range d.Classes {
		e.text(string(d.Classes[i].Class))
		e.int(d.Classes[i].Count)
	}
	e.int(len(d.Errors))
	for i := range d.Errors {
		e.group(&d.Errors[i])
	}
	e.int(len(d.Tools))
	for i := range d.Tools {
		e.tool(&d.Tools[i])
	}
	e.int(len(d.Slow))
	for i := range d.Slow {
		e.slow(&d.Slow[i])
	}
	e.int(len(d.Loops))
	for i := range d.Loops {
		l := &d.Loops[i]
		e.text(l.Path)
		for _, n := range [...]int{l.Edits, l.Identical, l.First, l.Last} {
			e.int(n)
		}
	}
	e.int(len(d.Changes))
	for i := range d.Changes {
		e.change(&d.Changes[i])
	}
	e.int(len(d.Phases))
	for i := range d.Phases {
		e.phase(&d.Phases[i])
	}
}

func (e *encoder) group(g *ErrorGroup) {
	e.text(string(g.Class))
	e.text(string(g.Type))
	e.text(g.Tool)
	e.pointer(g.Exit)
	e.text(g.Code)
	e.int(g.Status)
	e.text(g.Head)
	e.text(g.Hash)
	e.text(g.Text)
	e.int(g.Count)
	e.int(g.First)
	e.int(g.Last)
	e.int(g.Solved)
}

func (e *encoder) tool(t *ToolUse) {
	e.text(string(t.Type))
	for _, n := range [...]int{t.Calls, t.Ended, t.Failed, t.Denied, t.Retries} {
		e.int(n)
	}
	e.int64(t.TimedMS)
	e.int(t.Timed)
	e.int64(t.SpentAll)
}

func (e *encoder) slow(s *SlowCall) {
	e.int(s.Event)
	e.text(s.Tool)
	e.text(string(s.Type))
	e.text(s.What)
	e.int64(s.MS)
	e.bool(s.Gap)
	e.bool(s.Failed)
}

func (e *encoder) change(c *Change) {
	e.text(c.Path)
	e.text(c.Action)
	e.int(c.Times)
	e.pointer(c.Added)
	e.pointer(c.Removed)
	e.text(c.Hash)
	e.int(c.Event)
}

func (e *encoder) phase(p *PhaseUse) {
	e.text(p.Command)
	e.text(p.Phase)
	e.text(p.Result)
	e.int64(p.ActiveMS)
	e.int64(p.Tokens)
	e.int(p.Calls)
	e.int(p.Failed)
	e.int(len(p.Tools))
	for _, t := range p.Tools {
		e.text(t.Tool)
		e.int(t.Failed)
	}
	e.int(p.First)
	e.int(p.Last)
}
