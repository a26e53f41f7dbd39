package logfmt

import (
	"bytes"
	"encoding/binary"
)

// shape is what a line in the fixed order shares with many others. A reader of a whole log meets
// the same command, phase, event and source in nearly every line. It compares them at once
// instead of splitting each line again.
//
//	{"ts":"…","cmd":"build","phase":"RED","event":"TOOL","session":"…","seq":42,"id":"…","source":"claude","wt":"","data":…
//	         ^-- head --------------------------------------------^                    ^-- tail -----------------^
type shape struct {
	head, tail        []byte
	cmd, phase, event span // in the line
	session, id       int  // lengths
	agent, source, wt span // in tail
}

const (
	timeAt = len(`{"ts":"`)
	headAt = timeAt + len(timeLayout)
)

// own is Header.own for lines of this shape. 0 means that line is of another shape; h is then
// unchanged. The end is right only if ownTail agrees, because line may have more members.
func (s *shape) own(line []byte, h *Header) int {
	session := headAt + len(s.head)
	if session == headAt || len(line) < session+s.session+crcTail+8 || string(line[headAt:session]) != string(s.head) || !hasPrefix(line, `{"ts":"`) {
		return 0
	}
	i := session + s.session
	if !hasPrefix(line[i:], `","seq":`) {
		return 0
	}
	seq, id := readSeq(line, i+8)
	if !hasPrefix(line[id:], `,"id":"`) {
		return 0
	}
	id += 7
	tail := id + s.id
	if tail > len(line) || !bytes.HasPrefix(line[tail:], s.tail) ||
		!clean(line[timeAt:headAt]) || !clean(line[session:i]) || !clean(line[id:tail]) {
		return 0
	}
	h.Time, h.Cmd, h.Phase = line[timeAt:headAt], line[s.cmd.lo:s.cmd.hi], line[s.phase.lo:s.phase.hi]
	h.Event, h.Session, h.Seq, h.ID = line[s.event.lo:s.event.hi], line[session:i], seq, line[id:tail]
	h.Source, h.Wt = line[tail+s.source.lo:tail+s.source.hi], line[tail+s.wt.lo:tail+s.wt.hi]
	if h.Agent, h.agent = s.agent.hi > 0, nil; h.Agent {
		h.agent = line[tail+s.agent.lo : tail+s.agent.hi]
	}
	return tail + len(s.tail)
}

// clean reports whether b is at least 8 bytes of ASCII without quotes and backslashes.
func clean(b []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	last := len(b) - 8
	if last < 0 {
		return false
	}
	w := binary.LittleEndian.Uint64(b[last:])
	found := w | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)
	for i := 0; i < last; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		found |= w | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)
	}
	return found&tops == 0
}

// learn sets the shape from a line with header h, which ends at end. Only lines with a session, a
// number and an id have one.
func (s *shape) learn(line []byte, h *Header, end int) {
	if h.Seq == 0 || len(h.Session) == 0 || len(h.ID) == 0 {
		return
	}
	place := func(part []byte, from int) span {
		if part == nil {
			return span{}
		}
		lo := cap(line) - cap(part) - from // part is a part of line
		return span{lo, lo + len(part)}
	}
	tail := place(h.ID, 0).hi
	s.head = append(s.head[:0], line[headAt:place(h.Session, 0).lo]...)
	s.tail = append(s.tail[:0], line[tail:end]...)
	s.cmd, s.phase, s.event = place(h.Cmd, 0), place(h.Phase, 0), place(h.Event, 0)
	s.session, s.id = len(h.Session), len(h.ID)
	s.agent, s.source, s.wt = place(h.agent, tail), place(h.Source, tail), place(h.Wt, tail)
}

// shapes are those of recent lines: calls come in pairs of start and end.
type shapes struct {
	known [4]shape
	last  int // the latest match
	next  int // the next to be replaced
}

// ownLike is own, through the shapes if s is not nil.
func (h *Header) ownLike(line []byte, s *shapes) int {
	if s == nil {
		return h.own(line)
	}
	for n := range len(s.known) {
		k := (s.last + n) % len(s.known)
		if end := s.known[k].own(line, h); end > 0 && ownTail(line[end:]) {
			s.last = k
			return end
		}
	}
	end := h.own(line)
	if end > 0 && ownTail(line[end:]) {
		s.known[s.next].learn(line, h, end)
		s.next = (s.next + 1) % len(s.known)
	}
	return end
}
