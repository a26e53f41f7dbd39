package logfmt

import "bytes"

// Parse reads one JSON line (without its newline; a trailing CR is tolerated).
// The error names the reason in words, with its place; nothing of the line is
// kept by the Entry.
//
// A line whose crc matches is as a writer of this format wrote it: the JSON
// inside its data is not checked again (Check does).
func Parse(line []byte) (Entry, error) {
	if e, ok := parseOwn(line); ok {
		return e, nil
	}
	var s scanned
	if err := s.scan(trimLine(line)); err != nil {
		return Entry{}, err
	}
	return s.entry(), nil
}

// Check reports why line is no entry, having looked at every byte, also of a
// line whose crc matches.
func Check(line []byte) error {
	var s scanned
	return s.scan(trimLine(line))
}

// parseOwn reads a line in the fixed order whose crc matches; false sends it
// the other way, whatever it is.
func parseOwn(line []byte) (Entry, bool) {
	var r routing
	if !hasCrcTail(line) || !r.read(line) || !crcOK(line) {
		return Entry{}, false
	}
	i, end := r.end, len(line)-crcTail
	var branch span
	if hasPrefix(line[i:], `,"branch":"`) {
		branch = longStringAt(line, i+len(`,"branch":"`))
		i = branch.hi + 1
	}
	data, ok := ownData(line, i, end)
	at, okTime := parseOwnTime(line[r.time.lo:r.time.hi])
	if !ok || !okTime || bytes.IndexByte(line[branch.lo:branch.hi], '\\') >= 0 {
		return Entry{}, false
	}
	text := string(line[:i])
	e := Entry{
		Time: at, Cmd: text[r.cmd.lo:r.cmd.hi], Phase: text[r.phase.lo:r.phase.hi], Event: Event(text[r.event.lo:r.event.hi]),
		Session: SessionID(text[r.session.lo:r.session.hi]), Seq: r.seq, ID: text[r.id.lo:r.id.hi],
		Source: text[r.source.lo:r.source.hi], Wt: text[r.wt.lo:r.wt.hi], Branch: text[branch.lo:branch.hi],
	}
	if data.hi > 0 {
		e.Data = append(make([]byte, 0, data.hi-data.lo), line[data.lo:data.hi]...)
	}
	if r.hasAgent {
		a := &r.agent
		e.Agent = &Agent{Type: text[a[0].lo:a[0].hi], ID: text[a[1].lo:a[1].hi], ParentCmd: text[a[2].lo:a[2].hi]}
	}
	return e, true
}

// ownData finds data between i and the crc, if nothing but data is there. An
// unknown member could only follow its brace: without `},"` there is none.
func ownData(line []byte, i, end int) (span, bool) {
	const key = `,"data":`
	if i == end {
		return span{}, true
	}
	if !hasPrefix(line[i:], key) || line[i+len(key)] != '{' || line[end-1] != '}' {
		return span{}, false
	}
	data := span{i + len(key), end}
	if bytes.Contains(line[data.lo:end], []byte(`},"`)) {
		dataEnd, err := scanValue(line[:end], data.lo)
		return data, err == nil && dataEnd == end
	}
	return data, true
}
