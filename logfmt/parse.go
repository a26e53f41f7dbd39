package logfmt

import (
	"bytes"
	"time"
)

// Parse reads one JSON line without its newline; blanks and a CR around it are tolerated, and mark a
// line that has a crc as edited. The error gives the reason with its place. The Entry keeps no
// reference to the line.
//
// A line with a matching crc is as a writer of this format wrote it, so the JSON inside its data
// is not checked again (Check does).
func Parse(line []byte) (Entry, error) {
	if e, ok := parseOwn(line); ok {
		return e, nil
	}
	var s scanned
	if err := s.scan(TrimLine(line)); err != nil {
		return Entry{}, err
	}
	e := s.entry()
	e.Edited = e.Edited || len(s.line) < len(line) && s.field[fCrc].hi > 0
	return e, nil
}

// Check says why line is no entry. It examines every byte, even with a matching crc.
func Check(line []byte) error {
	var s scanned
	return s.scan(TrimLine(line))
}

// parseOwn reads a line in the fixed order with a matching crc. It returns false for any other
// line.
func parseOwn(line []byte) (Entry, bool) {
	var o ownLine
	if !o.read(line, nil) {
		return Entry{}, false
	}
	text := string(line[:o.end]) // one string for all short members
	e := o.entry(func(part []byte) string {
		if len(part) == 0 {
			return ""
		}
		lo := cap(line) - cap(part) // part is a part of line
		return text[lo : lo+len(part)]
	})
	if o.data != nil {
		e.Data = append(make([]byte, 0, len(o.data)), o.data...)
	}
	return e, true
}

// ownLine is a line in the fixed order, split but not copied.
type ownLine struct {
	Header
	at           time.Time
	branch, data []byte
	end          int // of the short members
}

// read splits the line. It reports whether it is in the fixed order and its crc matches.
func (o *ownLine) read(line []byte, s *shapes) bool {
	if !hasCrcTail(line) || !crcOK(line) {
		return false
	}
	if o.end = o.Header.ownLike(line, s); o.end == 0 {
		return false
	}
	o.branch = nil
	if rest := line[o.end:]; hasPrefix(rest, `,"branch`) && hasPrefix(rest[8:], `":"`) {
		o.branch, o.end = longString(line, o.end+11, 0)
	}
	var ok, okTime bool
	o.data, ok = ownData(line, o.end, len(line)-crcTail)
	o.at, okTime = parseOwnTime(o.Time)
	return ok && okTime && bytes.IndexByte(o.branch, '\\') < 0
}

// entry makes the Entry except its data; text makes the strings.
func (o *ownLine) entry(text func([]byte) string) Entry {
	e := Entry{
		Time: o.at, Cmd: text(o.Cmd), Phase: text(o.Phase), Event: Event(text(o.Event)), Session: SessionID(text(o.Session)),
		Seq: o.Seq, ID: text(o.ID), Source: text(o.Source), Wt: text(o.Wt), Branch: text(o.branch),
	}
	if o.Agent {
		a, _ := readAgent(o.agent)
		e.Agent = &Agent{Type: text(a[0]), ID: text(a[1]), ParentCmd: text(a[2])}
	}
	return e
}

// ownData finds data between i and the crc, if it is the only member there. An unknown member
// could only follow data's brace, so without `},"` there is none.
func ownData(line []byte, i, end int) ([]byte, bool) {
	if i == end {
		return nil, true
	}
	if rest := line[i:]; !hasPrefix(rest, `,"data":`) || rest[8] != '{' || line[end-1] != '}' {
		return nil, false
	}
	data := line[i+8 : end]
	if bytes.Contains(data, []byte(`},"`)) {
		dataEnd, err := scanValue(line[:end], i+8)
		return data, err == nil && dataEnd == end
	}
	return data, true
}
