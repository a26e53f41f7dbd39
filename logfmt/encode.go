package logfmt

import (
	"errors"
	"strconv"
	"strings"
)

const (
	maxHuman  = 512 // the human line with its newline
	maxJSON   = MaxEntry - maxHuman - 1
	maxExtra  = 16 << 10 // all unknown members of a cut entry
	maxName   = 256      // branch, and each of the agent's names
	maxSource = 64
	maxWt     = 4096
)

// AppendTo appends the entry as the log has it: the JSON line and the human line, each with its
// newline, together at most MaxEntry bytes. A larger entry is cut as SPEC.md says. An error names
// a missing mandatory part; dst is then returned unchanged.
func (e *Entry) AppendTo(dst []byte) ([]byte, error) {
	n, err := e.normal()
	if err != nil {
		return dst, err
	}
	dst = append(n.appendJSON(dst), '\n')
	return append(n.appendHuman(dst), '\n'), nil
}

// AppendJSON appends only the JSON line, without a newline, as it follows RelayPrefix.
func (e *Entry) AppendJSON(dst []byte) ([]byte, error) {
	n, err := e.normal()
	if err != nil {
		return dst, err
	}
	return n.appendJSON(dst), nil
}

// normal is e as the log can hold it: valid names, compact JSON, bounded. Even with an error it
// is good enough for a human line.
func (e *Entry) normal() (Entry, error) {
	n := *e
	n.Cmd, n.Phase = Token(e.Cmd, MaxCmd), Token(e.Phase, MaxPhase)
	n.Event = Event(Token(string(e.Event), MaxEvent))
	n.Session, n.ID = SessionID(Token(string(e.Session), MaxSession)), Token(e.ID, MaxID)
	n.Source, n.Wt, n.Branch = name(e.Source, maxSource), name(e.Wt, maxWt), name(e.Branch, maxName)
	if n.Seq > MaxSeq {
		n.Seq = 0
	}
	if a := e.Agent; a != nil {
		n.Agent = &Agent{name(a.Type, maxName), name(a.ID, maxName), name(a.ParentCmd, maxName)}
	}
	n.Data, n.Extra = nil, nil
	if e.Cmd == "" || e.Event == "" || !writableTime(e.Time) {
		return n, errors.New("encode entry: ts, cmd or event is missing or out of range")
	}
	if err := n.setData(e.Data); err != nil {
		return n, err
	}
	if err := n.setExtra(e.Extra); err != nil {
		return n, err
	}
	n.cut()
	return n, nil
}

func name(s string, max int) string { return clip(strings.ToValidUTF8(s, "\uFFFD"), max) }

func (e *Entry) setData(data []byte) error {
	if data == nil {
		return nil
	}
	if i := skipSpace(data, 0); i >= len(data) || data[i] != '{' || !Valid(data) {
		return errors.New("encode entry: data is not a JSON object")
	}
	e.Data = appendClean(make([]byte, 0, len(data)), data)
	return nil
}

// setExtra sets the unknown members, and known ones of an unexpected type whose place is free.
func (e *Entry) setExtra(extra []Member) error {
	for _, m := range extra {
		if e.writes(fieldOf([]byte(m.Key))) {
			continue
		}
		if !Valid(m.Raw) {
			return errors.New("encode entry: member " + strconv.Quote(clip(m.Key, 40)) + " is not valid JSON")
		}
		e.Extra = append(e.Extra, Member{strings.ToValidUTF8(m.Key, "\uFFFD"), appendClean(make([]byte, 0, len(m.Raw)), m.Raw)})
	}
	return nil
}

// writes reports whether appendJSON writes the known member f itself. A foreign seq beside our
// crc would be read as ours.
func (e *Entry) writes(f int) bool {
	switch f {
	case fTime, fCmd, fEvent, fSeq, fWt, fCrc:
		return true
	case fPhase:
		return e.Phase != ""
	case fSession:
		return e.Session != ""
	case fID:
		return e.ID != ""
	case fAgent:
		return e.Agent != nil
	case fSource:
		return e.Source != ""
	case fBranch:
		return e.Branch != ""
	case fData:
		return e.Data != nil
	}
	return false
}

// appendJSON writes a normal entry. The format fixes the order of the members.
func (e *Entry) appendJSON(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, `{"ts":"`...)
	dst = append(e.Time.UTC().AppendFormat(dst, timeLayout), '"')
	dst = appendMember(dst, "cmd", e.Cmd)
	dst = appendMember(dst, "phase", e.Phase)
	dst = appendMember(dst, "event", string(e.Event))
	dst = appendMember(dst, "session", string(e.Session))
	if e.Seq != 0 {
		dst = strconv.AppendUint(append(dst, `,"seq":`...), uint64(e.Seq), 10)
	}
	dst = appendMember(dst, "id", e.ID)
	dst = e.Agent.append(dst)
	dst = appendMember(dst, "source", e.Source)
	dst = appendString(append(dst, `,"wt":`...), e.Wt)
	dst = appendMember(dst, "branch", e.Branch)
	if e.Data != nil {
		dst = append(append(dst, `,"data":`...), e.Data...)
	}
	for _, m := range e.Extra {
		dst = append(append(appendString(append(dst, ','), m.Key), ':'), m.Raw...)
	}
	crc := Sum(dst[start:])
	return append(appendHex32(append(dst, crcKey...), crc), `"}`...)
}

// appendMember writes a string member unless it is empty.
func appendMember(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), key...), `":`...)
	return appendString(dst, value)
}

func (a *Agent) append(dst []byte) []byte {
	if a == nil {
		return dst
	}
	var o Object
	o.StrIf("type", a.Type).StrIf("id", a.ID).StrIf("parent_cmd", a.ParentCmd)
	if o.Empty() {
		return append(dst, `,"agent":{}`...)
	}
	return append(append(dst, `,"agent":`...), o.Bytes()...)
}
