package insight

import (
	"fmt"
	"math"
	"time"

	"aburn/insight/failure"
	"aburn/trace"
)

// Decoder decodes many digests that are kept together: they share memory, so that none of it is given back before all of them
// are. It is for one goroutine at a time.
type Decoder struct {
	words   [256]string // short texts that come again and again
	digests pool[Digest]
	events  pool[int]
	classes pool[ClassCount]
	errors  pool[ErrorGroup]
	tools   pool[ToolUse]
	slow    pool[SlowCall]
	loops   pool[EditLoop]
	changes pool[Change]
	phases  pool[PhaseUse]
	failed  pool[ToolFailed]
	exits   pool[int]
}

// Decode reads the stored form, of which the digest's texts are parts. The error says what is wrong with it; a form of another
// Version is one.
func (c *Decoder) Decode(form string) (*Digest, error) {
	r := decoder{text: form, Decoder: c}
	if r.byte() != formMagic {
		return nil, fmt.Errorf("decode digest: it does not begin with %q", formMagic)
	}
	if v := r.int(); v != Version {
		return nil, fmt.Errorf("decode digest: version %d, not %d", v, Version)
	}
	d := &c.digests.take(1)[0]
	r.digest(d)
	if r.bad == "" && r.at < len(r.text) {
		r.fail("there is more behind it")
	}
	if r.bad == "" && (d.Decisive < -1 || d.Decisive >= len(d.Errors)) {
		r.fail("the decisive error is none of its own")
	}
	if r.bad != "" {
		return nil, fmt.Errorf("decode digest: byte %d of %d: %s", r.at, len(form), r.bad)
	}
	return d, nil
}

// pool is memory for lists. It is taken in parts, of which each is twice as large as the one before, from the first to the last
// number of entries.
type pool[T any] struct {
	free []T
	part int
}

const firstPart, lastPart = 16, 1024

// take is a list of n.
func (p *pool[T]) take(n int) []T {
	if n > len(p.free) {
		p.part = min(max(2*p.part, firstPart), lastPart)
		p.free = make([]T, max(n, p.part))
	}
	all := p.free[:n:n]
	p.free = p.free[n:]
	return all
}

// decoder reads values in their stored form. After an error it reads on without effect.
type decoder struct {
	*Decoder
	text string
	at   int
	bad  string
}

func (r *decoder) fail(why string) {
	if r.bad == "" {
		r.bad = why
	}
}

func (r *decoder) byte() byte {
	if r.bad != "" || r.at >= len(r.text) {
		r.fail("it ends too early")
		return 0
	}
	r.at++
	return r.text[r.at-1]
}

func (r *decoder) bool() bool {
	switch r.byte() {
	case 0:
		return false
	case 1:
		return true
	}
	r.fail("a byte is neither yes nor no")
	return false
}

// int64 reads a signed varint. Most have one byte.
func (r *decoder) int64() int64 {
	if r.at < len(r.text) && r.text[r.at] < 0x80 && r.bad == "" {
		b := r.text[r.at]
		r.at++
		return int64(b>>1) ^ -int64(b&1)
	}
	return r.long()
}

// long reads a signed varint of any length.
func (r *decoder) long() int64 {
	var u uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		if shift == 63 && b > 1 {
			break
		}
		u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int64(u>>1) ^ -int64(u&1)
		}
	}
	r.fail("a number is too large")
	return 0
}

func (r *decoder) int() int { return int(r.int64()) }

// amount reads how much there is of something.
func (r *decoder) amount() int64 {
	n := r.int64()
	if n < 0 {
		r.fail("an amount is negative")
	}
	return n
}

// length reads how many things follow, of which each takes at least least bytes.
func (r *decoder) length(least int) int {
	n := r.int64()
	if n < 0 || n > int64((len(r.text)-r.at)/least) {
		r.fail("it is shorter than it says")
	}
	if r.bad != "" {
		return 0
	}
	return int(n)
}

func (r *decoder) string() string {
	n := r.length(1)
	r.at += n
	return r.text[r.at-n : r.at]
}

func (r *decoder) time() time.Time {
	if !r.bool() {
		return time.Time{}
	}
	return time.UnixMilli(r.int64()).UTC()
}

// word reads a text that other digests, too, are likely to have: equal ones are then one in memory, which makes it quicker to
// compare them.
func (r *decoder) word() string {
	s := r.string()
	if len(s) == 0 {
		return s
	}
	known := &r.words[(uint(len(s))+7*uint(s[0])+31*uint(s[len(s)/2])+127*uint(s[len(s)-1]))%uint(len(r.words))]
	if *known != s {
		*known = s
	}
	return *known
}

func (r *decoder) pointer() *int {
	if !r.bool() {
		return nil
	}
	n := &r.exits.take(1)[0]
	*n = r.int()
	return n
}

// list reads a list whose entries take at least least bytes each; nil if it is empty.
func list[T any](r *decoder, p *pool[T], least int, each func(*decoder, *T)) []T {
	n := r.length(least)
	if n == 0 {
		return nil
	}
	all := p.take(n)
	for i := range all {
		each(r, &all[i])
	}
	return all
}

func (r *decoder) digest(d *Digest) {
	d.Source = r.word()
	d.ID = r.string()
	d.Agent.Name = r.word()
	d.Agent.Version = r.word()
	d.Project.Path = r.word()
	d.Project.Key = r.word()
	d.Relation = trace.Relation(r.word())
	d.Parent = r.string()
	d.Start = r.time()
	d.End = r.time()
	d.ActiveMS = r.int64()
	d.Verdict = Verdict{Outcome: Outcome(r.word()), Rule: r.word(), Events: list(r, &r.events, 1, func(r *decoder, n *int) { *n = r.int() }), Refined: r.string()}
	d.Keys = Keys{Coarse: r.word(), Sub: r.word(), Fine: r.word()}
	r.counts(&d.Counts)
	r.usage(&d.Usage)
	d.Spent = Spent{Calls: r.int64(), Failed: r.int64(), Retries: r.int64()}
	d.Classes = list(r, &r.classes, 2, func(r *decoder, c *ClassCount) { *c = ClassCount{Class: failure.Class(r.word()), Count: r.int()} })
	d.Errors = list(r, &r.errors, 13, (*decoder).group)
	d.Tools = list(r, &r.tools, 9, (*decoder).tool)
	d.Slow = list(r, &r.slow, 7, (*decoder).slowCall)
	d.Loops = list(r, &r.loops, 5, func(r *decoder, l *EditLoop) {
		*l = EditLoop{Path: r.string(), Edits: r.int(), Identical: r.int(), First: r.int(), Last: r.int()}
	})
	d.Changes = list(r, &r.changes, 7, (*decoder).change)
	d.Phases = list(r, &r.phases, 10, (*decoder).phase)
	d.Ask = r.string()
	d.AskEvent = r.int()
	d.Decisive = r.int()
	d.Hooked = r.bool()
	d.fill()
	d.More = More{Errors: r.int(), Changes: r.int(), Phases: r.int(), Loops: r.int()}
}

func (r *decoder) counts(c *trace.Counts) {
	for _, n := range [...]*int{&c.Events, &c.Prompts, &c.Responses, &c.Calls, &c.Failed, &c.Denied, &c.NoResult, &c.Subagents, &c.Changes,
		&c.Errors, &c.Interrupts, &c.Compacted} {
		*n = int(r.amount())
	}
}

func (r *decoder) usage(u *trace.Usage) {
	for _, n := range [...]*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.Output, &u.Reasoning} {
		*n = r.amount()
	}
	var bits uint64
	for i := range 8 {
		bits |= uint64(r.byte()) << (8 * i)
	}
	u.CostUSD = math.Float64frombits(bits)
	if !(u.CostUSD >= 0) || math.IsInf(u.CostUSD, 0) {
		r.fail("a cost is no amount")
	}
}

func (r *decoder) group(g *ErrorGroup) {
	*g = ErrorGroup{Class: failure.Class(r.word()), Type: trace.ToolType(r.word()), Tool: r.word(), Exit: r.pointer(), Code: r.word(), Status: r.int(),
		Head: r.string(), Hash: r.string(), Text: r.string(), Count: r.int(), First: r.int(), Last: r.int(), Solved: r.int()}
}

func (r *decoder) tool(t *ToolUse) {
	*t = ToolUse{Type: trace.ToolType(r.word()), Calls: r.int(), Ended: r.int(), Failed: r.int(), Denied: r.int(), Retries: r.int(),
		TimedMS: r.int64(), Timed: r.int(), SpentAll: r.int64()}
}

func (r *decoder) slowCall(s *SlowCall) {
	*s = SlowCall{Event: r.int(), Tool: r.word(), Type: trace.ToolType(r.word()), What: r.string(), MS: r.int64(), Gap: r.bool(), Failed: r.bool()}
}

func (r *decoder) change(c *Change) {
	*c = Change{Path: r.string(), Action: r.word(), Times: r.int(), Added: r.pointer(), Removed: r.pointer(), Hash: r.string(), Event: r.int()}
}

func (r *decoder) phase(p *PhaseUse) {
	*p = PhaseUse{Command: r.word(), Phase: r.word(), Result: r.word(), ActiveMS: r.int64(), Tokens: r.int64(), Calls: r.int(), Failed: r.int(),
		Tools: list(r, &r.failed, 2, func(r *decoder, t *ToolFailed) { *t = ToolFailed{Tool: r.word(), Failed: r.int()} }), First: r.int(), Last: r.int()}
}
