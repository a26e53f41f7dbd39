package logfmt

// Header holds the routing fields of one line. The slices point into the line, or for an escaped
// value into memory of their own.
type Header struct {
	Time, Cmd, Phase, Event, Session, ID []byte
	Seq                                  Seq
	Agent                                bool // belongs to a sub-agent
	Source, Wt                           []byte

	agent []byte // in a line in aburn's own order: what follows `"agent":{`, with the closing brace
}

// Meaning is the event that Entry.Meaning returns.
func (h *Header) Meaning() Event { return meaning(Event(h.Event), len(h.Phase) > 0) }

// ChainComplete is Entry.ChainComplete.
func (h *Header) ChainComplete() bool {
	return len(h.Phase) == 0 && !h.Agent && string(h.Event) == string(Complete)
}

// ParseHeader reads only the routing fields. It returns false if the line is no entry.
//
// A line in aburn's own order that ends in a crc is trusted: nothing after the routing fields is
// examined, and nothing is allocated. Such a line is not torn, because its end is there. (A torn
// one could look so only if its data ends in a member "crc" of eight characters.) Every other
// line is checked as Check does.
func ParseHeader(line []byte) (h Header, ok bool) {
	ok = h.Read(line)
	return h, ok
}

// Read is ParseHeader into h, for loops that use one Header for every line.
func (h *Header) Read(line []byte) bool {
	return h.read(line, nil)
}

// read is Read, quicker with the shapes of earlier lines.
func (h *Header) read(line []byte, s *shapes) bool {
	if len(line) == 0 || line[0] == '#' {
		return false
	}
	if !hasCrcTail(line) {
		return h.slow(line)
	}
	end := h.ownLike(line, s)
	return end > 0 && ownTail(line[end:]) || h.slow(line)
}

// ownTail reports whether rest is what aburn writes after wt.
func ownTail(rest []byte) bool {
	return hasPrefix(rest, `,"data":`) && rest[8] == '{' || len(rest) == crcTail || hasPrefix(rest, `,"branch":"`)
}

func (h *Header) slow(line []byte) bool {
	var s scanned
	if s.scan(TrimLine(line)) != nil {
		return false
	}
	*h = Header{
		Time: s.bytes(fTime), Cmd: s.bytes(fCmd), Phase: s.bytes(fPhase), Event: s.bytes(fEvent),
		Session: s.bytes(fSession), ID: s.bytes(fID), Seq: s.seq,
		Source: s.bytes(fSource), Wt: s.bytes(fWt),
	}
	if p := s.field[fAgent]; p.hi > 0 {
		h.Agent = isAgent(s.line[p.lo:p.hi])
	}
	return true
}
