package insight

import (
	"fmt"
	"math"

	"aburn/internal/wire"
	"aburn/trace"
)

// form is the first byte of a stored digest; Version follows. Raise it with every change of the
// walk: a digest with another first byte counts as missing and is made again.
const form = 2

// Append appends the digest's stored form, without Live, to dst.
func Append(dst []byte, d *Digest) []byte {
	if d.Live {
		stored := *d
		stored.SetLive(false)
		d = &stored
	}
	w := &walk{Coder: wire.Writer(append(dst, form)), Decoder: &none}
	w.Put(Version)
	w.digest(d)
	return w.Written()
}

// Decoder decodes many digests that are kept together. They share memory, which is freed only
// when all of them are. Use it from one goroutine at a time.
type Decoder struct {
	words   [256]string // short texts that recur
	digests wire.Pool[Digest]
	events  wire.Pool[int]
	classes wire.Pool[ClassCount]
	errors  wire.Pool[ErrorGroup]
	tools   wire.Pool[ToolUse]
	slow    wire.Pool[SlowCall]
	loops   wire.Pool[EditLoop]
	changes wire.Pool[Change]
	phases  wire.Pool[PhaseUse]
	failed  wire.Pool[ToolFailed]
	numbers wire.Pool[int] // values of optional counts
}

// Decode reads the stored form. The digest's texts are parts of that string. The error names what
// is malformed; a form of another Version is an error too.
func (m *Decoder) Decode(stored string) (*Digest, error) {
	w := &walk{Coder: wire.Reader(stored), Decoder: m}
	if first, rules := w.Take(), w.Take(); first != form || rules != Version {
		return nil, fmt.Errorf("decode digest: form %d of version %d, not %d of %d", first, rules, form, Version)
	}
	d := &m.digests.Take(1)[0]
	d.fill()
	w.digest(d)
	if d.Decisive < -1 || d.Decisive >= len(d.Errors) {
		w.Fail("the decisive error is none of its own")
	}
	if err := w.End(); err != nil {
		return nil, fmt.Errorf("decode digest: %w", err)
	}
	return d, nil
}

// none is the memory of a walk that writes; such a walk takes nothing from it.
var none Decoder

// walk encodes or decodes a digest: one list of fields serves both directions, so that they
// cannot drift apart.
type walk struct {
	wire.Coder
	*Decoder
}

// word encodes or decodes a text that other digests are likely to share. Equal texts share memory
// when read, which makes comparing them quicker.
func (w *walk) word(s *string) {
	w.Text(s)
	if !w.Reading() || *s == "" {
		return
	}
	t := *s
	known := &w.words[(uint(len(t))+7*uint(t[0])+31*uint(t[len(t)/2])+127*uint(t[len(t)-1]))%uint(len(w.words))]
	if *known != t {
		*known = t
	}
	*s = *known
}

func (w *walk) digest(d *Digest) {
	w.word(&d.Source)
	w.Text(&d.ID)
	w.word(&d.Agent.Name)
	w.word(&d.Agent.Version)
	w.word(&d.Project.Path)
	w.word(&d.Project.Key)
	w.word((*string)(&d.Relation))
	w.Text(&d.Parent)
	w.Time(&d.Start)
	w.Time(&d.End)
	w.Int64(&d.ActiveMS)
	w.verdict(&d.Verdict)
	w.word(&d.Keys.Coarse)
	w.word(&d.Keys.Sub)
	w.word(&d.Keys.Fine)
	w.counts(&d.Counts)
	if w.Reading() {
		d.Verdict.explain(d.Counts.Interrupts)
	}
	w.usage(&d.Usage)
	w.Int64(&d.Spent.Calls)
	w.Int64(&d.Spent.Failed)
	w.Int64(&d.Spent.Retries)
	wire.List(w, &d.Classes, &w.classes, 2, (*walk).class)
	wire.List(w, &d.Errors, &w.errors, 13, (*walk).group)
	wire.List(w, &d.Tools, &w.tools, 10, (*walk).tool)
	wire.List(w, &d.Slow, &w.slow, 6, (*walk).slowCall)
	wire.List(w, &d.Loops, &w.loops, 5, (*walk).loop)
	wire.List(w, &d.Changes, &w.changes, 7, (*walk).change)
	wire.List(w, &d.Phases, &w.phases, 10, (*walk).phase)
	w.Text(&d.Ask)
	w.Int(&d.AskEvent)
	w.Int(&d.Decisive)
	w.Bool(&d.Hooked)
	w.Int(&d.More.Errors)
	w.Int(&d.More.Changes)
	w.Int(&d.More.Phases)
	w.Int(&d.More.Loops)
}

func (w *walk) verdict(v *Verdict) {
	w.word((*string)(&v.Outcome))
	w.word(&v.Rule)
	wire.List(w, &v.Events, &w.events, 1, (*walk).Int)
	w.Text(&v.Refined)
}

func (w *walk) counts(c *trace.Counts) {
	for _, n := range [...]*int{&c.Events, &c.Prompts, &c.Responses, &c.Calls, &c.Failed, &c.Denied, &c.NoResult, &c.Subagents, &c.Changes,
		&c.Errors, &c.Interrupts, &c.Compacted} {
		w.Amount(n)
	}
}

func (w *walk) usage(u *trace.Usage) {
	for _, n := range [...]*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output, &u.Reasoning, &u.Searches} {
		w.Amount64(n)
	}
	if w.Float(&u.CostUSD); w.Reading() && (!(u.CostUSD >= 0) || math.IsInf(u.CostUSD, 0)) {
		w.Fail("a cost is no amount")
	}
}

func (w *walk) class(c *ClassCount) {
	w.word((*string)(&c.Class))
	w.Int(&c.Count)
}

func (w *walk) number(n **int) { wire.Pointer(w, n, &w.numbers, (*walk).Int) }

func (w *walk) group(g *ErrorGroup) {
	w.word((*string)(&g.Class))
	w.word((*string)(&g.Type))
	w.word(&g.Tool)
	w.number(&g.Exit)
	w.word(&g.Code)
	w.Int(&g.Status)
	w.Text(&g.Head)
	w.Text(&g.Hash)
	w.Text(&g.Text)
	w.Int(&g.Count)
	w.Int(&g.First)
	w.Int(&g.Last)
	w.Int(&g.Solved)
}

func (w *walk) tool(t *ToolUse) {
	w.word((*string)(&t.Type))
	w.Int(&t.Calls)
	w.Int(&t.Ended)
	w.Int(&t.Failed)
	w.Int(&t.Denied)
	w.Int(&t.Retries)
	w.Int64(&t.TimedMS)
	w.Int(&t.Timed)
	w.Int(&t.Gaps)
	w.Int64(&t.SpentAll)
}

func (w *walk) slowCall(s *SlowCall) {
	w.Int(&s.Event)
	w.word(&s.Tool)
	w.word((*string)(&s.Type))
	w.Text(&s.What)
	w.Int64(&s.MS)
	w.Flags(&s.Gap, &s.Failed)
}

func (w *walk) loop(l *EditLoop) {
	w.Text(&l.Path)
	w.Int(&l.Edits)
	w.Int(&l.Identical)
	w.Int(&l.First)
	w.Int(&l.Last)
}

func (w *walk) change(c *Change) {
	w.Text(&c.Path)
	w.word(&c.Action)
	w.Int(&c.Times)
	w.number(&c.Added)
	w.number(&c.Removed)
	w.Text(&c.Hash)
	w.Int(&c.Event)
}

func (w *walk) phase(p *PhaseUse) {
	w.word(&p.Command)
	w.word(&p.Phase)
	w.word(&p.Result)
	w.Int64(&p.ActiveMS)
	w.Int64(&p.Tokens)
	w.Int(&p.Calls)
	w.Int(&p.Failed)
	wire.List(w, &p.Tools, &w.failed, 2, (*walk).failures)
	w.Int(&p.First)
	w.Int(&p.Last)
}

func (w *walk) failures(t *ToolFailed) {
	w.word(&t.Tool)
	w.Int(&t.Failed)
}
