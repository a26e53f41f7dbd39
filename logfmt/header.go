package logfmt

// Header holds the routing fields of one line. The slices point into the line
// (or, for an escaped value, into memory of their own).
type Header struct {
	Time, Cmd, Phase, Event, Session, ID []byte
	Seq                                  Seq
	Agent                                bool // has a member "agent"
	Wt                                   []byte
}

// Meaning is Entry.Meaning's event for a header.
func (h *Header) Meaning() Event { return meaning(Event(h.Event), len(h.Phase) > 0) }

// ParseHeader reads only the routing fields; false means the line is no entry.
// It does not allocate for lines in the fixed order without a backslash.
func ParseHeader(line []byte) (Header, bool) {
	e, err := Parse(line)
	if err != nil {
		return Header{}, false
	}
	return Header{
		Time: e.Time.AppendFormat(nil, "2006-01-02T15:04:05.000Z"), Cmd: []byte(e.Cmd), Phase: []byte(e.Phase),
		Event: []byte(e.Event), Session: []byte(e.Session), ID: []byte(e.ID), Seq: e.Seq, Agent: e.Agent != nil, Wt: []byte(e.Wt),
	}, true
}
