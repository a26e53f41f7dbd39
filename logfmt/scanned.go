package logfmt

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// span is line[lo:hi]; the zero span means missing.
type span struct{ lo, hi int }

// scanned is one entry line, split but not copied. A known member of an unexpected type is in
// extra instead of field.
type scanned struct {
	line   []byte
	field  [fieldCount]span // strings without their quotes
	seq    Seq
	seqKey span
	time   time.Time
	extra  []extraSpan
}

type extraSpan struct {
	field      int // fUnknown, or the known member with the wrong type
	key, value span
}

func (s *scanned) scan(line []byte) error {
	s.line = line
	if len(line) == 0 || line[0] != '{' {
		return errors.New("entry line: does not begin with {")
	}
	end, err := s.members()
	if err != nil {
		return errors.New("entry line: byte " + strconv.Itoa(end) + ": " + err.Error())
	}
	if end != len(line) {
		return errors.New("entry line: byte " + strconv.Itoa(end) + ": text after the object")
	}
	return s.check()
}

// members walks the top-level object and returns where it ends.
func (s *scanned) members() (int, error) {
	var seen [fieldCount]bool
	i := skipSpace(s.line, 1)
	if i < len(s.line) && s.line[i] == '}' {
		return i + 1, nil
	}
	for {
		value, err := scanKey(s.line, i)
		if err != nil {
			return value, err
		}
		end, err := scanValue(s.line, value)
		if err != nil {
			return end, err
		}
		s.set(span{i + 1, keyEnd(s.line, value)}, span{value, end}, &seen)
		i = skipSpace(s.line, end)
		if i >= len(s.line) {
			return i, errSyntax
		}
		switch s.line[i] {
		case '}':
			return i + 1, nil
		case ',':
			i = skipSpace(s.line, i+1)
		default:
			return i, errSyntax
		}
	}
}

// keyEnd is the place of the quote that ends the key before the value at i.
func keyEnd(line []byte, i int) int { return bytes.LastIndexByte(line[:i], '"') }

// set stores one member: the first of each known name counts.
func (s *scanned) set(key, value span, seen *[fieldCount]bool) {
	name := s.line[key.lo:key.hi]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unescape(name))
	}
	f := fieldOf(name)
	if f == fUnknown {
		s.extra = append(s.extra, extraSpan{f, key, value})
		return
	}
	if seen[f] {
		return
	}
	seen[f] = true
	switch first := s.line[value.lo]; {
	case first == 'n': // null counts as missing
	case f == fCrc, f == fAgent, f == fData && first == '{':
		s.field[f] = value
	case f == fSeq && s.setSeq(key, value):
	case f != fData && f != fSeq && first == '"':
		s.field[f] = span{value.lo + 1, value.hi - 1}
	default:
		s.extra = append(s.extra, extraSpan{f, key, value})
	}
}

// setSeq reads the number. The crc shows later whether it is ours.
func (s *scanned) setSeq(key, v span) bool {
	seq, ok := parseSeq(s.line[v.lo:v.hi])
	if ok {
		s.seq, s.seqKey, s.field[fSeq] = seq, key, v
	}
	return ok
}

// disownSeq moves the seq of a line without a crc to its place among the unknown members: it is
// another tool's.
func (s *scanned) disownSeq() {
	at := 0
	for at < len(s.extra) && s.extra[at].key.lo < s.seqKey.lo {
		at++
	}
	s.extra = slices.Insert(s.extra, at, extraSpan{fSeq, s.seqKey, s.field[fSeq]})
	s.seq, s.field[fSeq] = 0, span{}
}

func parseSeq(b []byte) (Seq, bool) {
	if len(b) == 0 || len(b) > 16 || b[0] == '0' {
		return 0, false
	}
	var n Seq
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + Seq(c-'0')
	}
	return n, n <= MaxSeq
}

// check checks the mandatory members and reads the time.
func (s *scanned) check() error {
	for f, name := range [...]string{fTime: "ts", fCmd: "cmd", fEvent: "event"} {
		if name != "" && s.field[f].lo == s.field[f].hi {
			return errors.New("entry line: no " + name)
		}
	}
	if s.seq != 0 && s.field[fCrc].hi == 0 {
		s.disownSeq()
	}
	t, ok := parseTime(s.bytes(fTime))
	if !ok {
		return errors.New("entry line: ts " + strconv.Quote(clip(string(s.bytes(fTime)), 40)) + ": not an RFC 3339 time")
	}
	s.time = t
	return nil
}

// bytes is the unescaped text of a string member; it may point into the line.
func (s *scanned) bytes(f int) []byte {
	b := s.line[s.field[f].lo:s.field[f].hi]
	if plain(b) {
		return b
	}
	return []byte(unescape(b))
}

// plain reports whether a JSON string's inside needs no unescaping.
func plain(b []byte) bool { return bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) }

// unescape reads the inside of a valid JSON string.
func unescape(b []byte) string {
	s := string(b)
	if strings.IndexByte(s, '\\') >= 0 {
		s = gjson.Parse(`"` + s + `"`).Str
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// entry copies the parts: one string for all short members, one slice for data.
func (s *scanned) entry() Entry {
	last := 0
	for f := fTime; f <= fBranch; f++ {
		if f != fAgent && s.field[f].hi > last {
			last = s.field[f].hi
		}
	}
	text := string(s.line[:last])
	get := func(f int) string {
		p := s.field[f]
		if plain(s.line[p.lo:p.hi]) {
			return text[p.lo:p.hi]
		}
		return unescape(s.line[p.lo:p.hi])
	}
	e := Entry{
		Time: s.time, Cmd: get(fCmd), Phase: get(fPhase), Event: Event(get(fEvent)), Session: SessionID(get(fSession)),
		Seq: s.seq, ID: get(fID), Source: get(fSource), Wt: get(fWt), Branch: get(fBranch),
	}
	ours := s.crcMatches()
	e.Edited = !ours && s.field[fCrc].hi > 0
	e.Agent = s.agent()
	if p := s.field[fData]; p.hi > 0 {
		e.Data = s.json(p, ours)
	}
	for _, x := range s.extra {
		e.Extra = append(e.Extra, Member{unescape(s.line[x.key.lo:x.key.hi]), s.json(x.value, ours)})
	}
	return e
}

// json copies a value; a line of ours is already compact.
func (s *scanned) json(p span, ours bool) []byte {
	v := s.line[p.lo:p.hi]
	b := make([]byte, 0, len(v))
	if ours {
		return append(b, v...)
	}
	return appendClean(b, v)
}

// agent reads the member: an object, or another tool's plain name.
func (s *scanned) agent() *Agent {
	p := s.field[fAgent]
	if p.hi == 0 || !isAgent(s.line[p.lo:p.hi]) {
		return nil
	}
	var a Agent
	switch s.line[p.lo] {
	case '"':
		a.Type = unescape(s.line[p.lo+1 : p.hi-1])
	case '{':
		gjson.ParseBytes(s.line[p.lo:p.hi]).ForEach(func(k, v gjson.Result) bool {
			if v.Type != gjson.String {
				return true
			}
			switch k.Str {
			case "type":
				a.Type = strings.ToValidUTF8(v.Str, "\uFFFD")
			case "id":
				a.ID = strings.ToValidUTF8(v.Str, "\uFFFD")
			case "parent_cmd":
				a.ParentCmd = strings.ToValidUTF8(v.Str, "\uFFFD")
			}
			return true
		})
	}
	return &a
}

// isAgent reports whether a value of the member agent names an agent.
func isAgent(v []byte) bool { return v[0] != 'f' && v[0] != 'n' && string(v) != `""` }
