package insight

import (
	"fmt"
	"math"
	"time"

	"aburn/trace"
)

// Decode reads the stored form. The error says what is wrong with it; a form of another Version is one. The digest's texts
// share one copy of b.
func Decode(b []byte) (*Digest, error) {
	r := decoder{text: string(b)}
	if r.byte() != formMagic {
		return nil, fmt.Errorf("decode digest: it does not begin with %q", formMagic)
	}
	if v := r.int(); v != Version {
		return nil, fmt.Errorf("decode digest: version %d, not %d", v, Version)
	}
	d := new(Digest)
	r.digest(d)
	if r.bad == "" && r.at < len(r.text) {
		r.fail("there is more behind it")
	}
	if r.bad == "" && (d.Decisive < -1 || d.Decisive >= len(d.Errors)) {
		r.fail("the decisive error is none of its own")
	}
	if r.bad != "" {
		return nil, fmt.Errorf("decode digest: byte %d of %d: %s", r.at, len(b), r.bad)
	}
	return d, nil
}

// decoder reads values in their stored form. After an error it reads on without effect.
type decoder struct {
	text string
	at   int
	bad  string
	ints []int // memory for numbers that are pointed at
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

func (r *decoder) pointer() *int {
	if !r.bool() {
		return nil
	}
	if len(r.ints) == cap(r.ints) {
		r.ints = make([]int, 0, 8)
	}
	r.ints = append(r.ints, r.int())
	return &r.ints[len(r.ints)-1]
}

// list reads a list whose entries take at least least bytes each; nil if it is empty.
func list[T any](r *decoder, least int, each func(*decoder, *T)) []T {
	n := r.length(least)
	if n == 0 {
		return nil
	}
	all := make([]T, n)
	for i := range all {
		each(r, &all[i])
	}
	return all
}

func (r *decoder) digest(d *Digest) {
	d.Source = r.string()
	d.ID = r.string()
	d.Agent.Name = r.string()
	d.Agent.Version = r.string()
	d.Project.Path = r.string()
	d.Project.Key = r.string()
	d.Relation = trace.Relation(r.string())
	d.Parent = r.string()
	d.Start = r.time()
	d.End = r.time()
	d.ActiveMS = r.int64()
	d.Verdict = Verdict{Outcome: Outcome(r.string()), Rule: r.string(), Events: list(r, 1, func(r *decoder, n *int) { *n = r.int() }), Refined: r.string()}
	d.Keys = Keys{Coarse: r.string(), Sub: r.string(), Fine: r.string()}
	r.counts(&d.Counts)
	r.usage(&d.Usage)
	d.Spent = Spent{Calls: r.int64(), Failed: r.int64(), Retries: r.int64()}
	d.Classes = list(r, 2, func(r *decoder, c *ClassCount) { *c = ClassCount{Class: Class(r.string()), Count: r.int()} })
	d.Errors = list(r, 13, (*decoder).group)
	d.Tools = list(r, 9, (*decoder).tool)
	d.Slow = list(r, 7, (*decoder).slow)
	d.Loops = list(r, 5, func(r *decoder, l *EditLoop) {
		*l = EditLoop{Path: r.string(), Edits: r.int(), Identical: r.int(), First: r.int(), Last: r.int()}
	})
	d.Changes = list(r, 7, (*decoder).change)
	d.Phases = list(r, 10, (*decoder).phase)
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
	*g = ErrorGroup{Class: Class(r.string()), Type: trace.ToolType(r.string()), Tool: r.string(), Exit: r.pointer(), Code: r.string(), Status: r.int(),
		Head: r.string(), Hash: r.string(), Text: r.string(), Count: r.int(), First: r.int(), Last: r.int(), Solved: r.int()}
}

func (r *decoder) tool(t *ToolUse) {
	*t = ToolUse{Type: trace.ToolType(r.string()), Calls: r.int(), Ended: r.int(), Failed: r.int(), Denied: r.int(), Retries: r.int(),
		TimedMS: r.int64(), Timed: r.int(), SpentAll: r.int64()}
}

func (r *decoder) slow(s *SlowCall) {
	*s = SlowCall{Event: r.int(), Tool: r.string(), Type: trace.ToolType(r.string()), What: r.string(), MS: r.int64(), Gap: r.bool(), Failed: r.bool()}
}

func (r *decoder) change(c *Change) {
	*c = Change{Path: r.string(), Action: r.string(), Times: r.int(), Added: r.pointer(), Removed: r.pointer(), Hash: r.string(), Event: r.int()}
}

func (r *decoder) phase(p *PhaseUse) {
	*p = PhaseUse{Command: r.string(), Phase: r.string(), Result: r.string(), ActiveMS: r.int64(), Tokens: r.int64(), Calls: r.int(), Failed: r.int(),
		Tools: list(r, 2, func(r *decoder, t *ToolFailed) { *t = ToolFailed{Tool: r.string(), Failed: r.int()} }), First: r.int(), Last: r.int()}
}
