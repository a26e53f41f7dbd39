package logfmt

// Header holds the routing fields of one line. The slices point into the line
// (for an escaped value, into memory of their own).
type Header struct {
	Time, Cmd, Phase, Event, Session, ID []byte
	Seq                                  Seq
	Agent                                bool // belongs to a sub-agent
	Source, Wt                           []byte

	agent []byte // what follows `"agent":{` in a line in aburn's own order, with its brace
}

// Meaning is the event that Entry.Meaning returns.
func (h *Header) Meaning() Event { return meaning(Event(h.Event), len(h.Phase) > 0) }

// ChainComplete is Entry.ChainComplete.
func (h *Header) ChainComplete() bool {
	return len(h.Phase) == 0 && !h.Agent && string(h.Event) == string(Complete)
}

// ParseHeader reads only the routing fields; false means the line is no entry.
//
// A line in aburn's own order that ends in a crc is taken at its word: nothing
// behind the routing fields is looked at and nothing allocated. (Such a line is
// not torn, its end is there: only if its data ends in a member "crc" of eight
// characters could a torn one look so.) Every other line is checked as Check
// does it.
func ParseHeader(line []byte) (h Header, ok bool) {
	ok = h.Read(line)
	return h, ok
}

// Read is ParseHeader into h, for loops that use one Header for every line.
func (h *Header) Read(line []byte) bool {
	return h.read(line, nil)
}

// read is Read; the shapes of earlier lines make it quicker.
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

// ownTail reports whether what follows wt is what aburn lets follow it.
func ownTail(rest []byte) bool {
	return hasPrefix(rest, `,"data":`) && rest[8] == '{' || len(rest) == crcTail || hasPrefix(rest, `,"branch":"`)
}

func (h *Header) slow(line []byte) bool {
	var s scanned
	if s.scan(trimLine(line)) != nil {
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
