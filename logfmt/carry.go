package logfmt

import (
	"cmp"
	"slices"
	"time"
)

const (
	carryAge      = 7 * 24 * time.Hour
	carrySessions = 500
	carryEnds     = 1000
	carryBytes    = 4 << 20
)

// Carrier selects the lines that a segment carries over to the next one. These are the last
// START, COMPLETE and FAILED of each command in each worktree, so that the chain needs no older
// segment, and the last lifecycle entry of each session of the last 7 days, so that a restart
// needs none.
type Carrier struct {
	now      time.Time
	block    Block
	lines    int                // lines seen
	ends     map[string]*kept   // by event, cmd and wt
	sessions map[string]*member // by session
	key      []byte             // scratch
}

// kept is a line that may be carried. Lines that this segment received itself come after those
// that it carried, wherever they stand.
type kept struct {
	line []byte
	own  bool
	at   int // its place in the segment
}

// member is a session: its last entry, and its last lifecycle entry.
type member struct {
	last, lifecycle kept // last.line is only the ts
}

// NewCarrier prepares for a rotation at now.
func NewCarrier(now time.Time) *Carrier {
	return &Carrier{now: now, ends: map[string]*kept{}, sessions: map[string]*member{}}
}

// Add takes the next line of the segment, in file order and of any kind. It keeps no reference to
// the line.
func (c *Carrier) Add(line []byte) {
	c.lines++
	var h Header
	if k := Classify(line); k != EntryLine || !h.Read(line) {
		if k == EntryLine {
			k = Damage
		}
		c.block.Other(k)
		return
	}
	own := !c.block.Entry(line, &h)
	if string(h.Event) == string(Checkpoint) {
		return
	}
	if endsOrStarts(&h) {
		c.key = append(append(append(append(append(c.key[:0], h.Event...), 0), h.Cmd...), 0), h.Wt...)
		slot(c.ends, c.key).put(line, own, c.lines)
	}
	if len(h.Session) > 0 {
		m := slot(c.sessions, h.Session)
		m.last.put(h.Time, own, c.lines)
		if Event(h.Event).Lifecycle() {
			m.lifecycle.put(line, own, c.lines)
		}
	}
}

// Skip takes a carried line that no reader uses.
func (c *Carrier) Skip() {
	c.lines++
	c.block.skip()
}

// endsOrStarts reports whether h is about a command itself.
func endsOrStarts(h *Header) bool {
	if len(h.Phase) > 0 || h.Agent {
		return false
	}
	switch Event(h.Event) {
	case Start, Complete, Failed:
		return true
	}
	return false
}

func slot[T any](m map[string]*T, key []byte) *T {
	if p := m[string(key)]; p != nil {
		return p
	}
	p := new(T)
	m[string(key)] = p
	return p
}

func (k *kept) put(line []byte, own bool, at int) {
	if k.own && !own {
		return
	}
	k.line, k.own, k.at = append(k.line[:0], line...), own, at
}

// before compares in file order, with carried lines first.
func (k *kept) before(o *kept) int {
	if k.own != o.own {
		if o.own {
			return -1
		}
		return 1
	}
	return cmp.Compare(k.at, o.at)
}

// Lines returns the JSON lines to carry, verbatim, in file order and without newlines. left
// counts those that did not fit.
func (c *Carrier) Lines() (lines [][]byte, left int) {
	var ends []*kept
	for _, k := range c.ends {
		ends = append(ends, k)
	}
	newestFirst := func(a, b *kept) int { return b.before(a) }
	slices.SortFunc(ends, newestFirst)
	sessions := c.recentSessions()
	left = max(0, len(ends)-carryEnds) + max(0, len(sessions)-carrySessions)
	ends, sessions = ends[:min(len(ends), carryEnds)], sessions[:min(len(sessions), carrySessions)]

	var chosen []*kept
	taken := map[int]bool{} // a line may qualify for both reasons
	room := carryBytes
	for _, k := range append(ends, sessions...) {
		switch {
		case taken[k.at]:
		case room < len(k.line)+1:
			left++
		default:
			taken[k.at] = true
			room -= len(k.line) + 1
			chosen = append(chosen, k)
		}
	}
	slices.SortFunc(chosen, (*kept).before)
	for _, k := range chosen {
		lines = append(lines, TrimLine(k.line))
	}
	return lines, left
}

// recentSessions lists the last lifecycle entry of each session of the last 7 days, the latest
// session first.
func (c *Carrier) recentSessions() []*kept {
	var list []*member
	for _, m := range c.sessions {
		at, ok := parseTime(m.last.line)
		if ok && c.now.Sub(at) <= carryAge && m.lifecycle.line != nil {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b *member) int { return b.last.before(&a.last) })
	lines := make([]*kept, len(list))
	for i, m := range list {
		lines[i] = &m.lifecycle
	}
	return lines
}
