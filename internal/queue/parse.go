package queue

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"aburn/logfmt"
)

// timeLayout is the format of written times: RFC 3339, UTC, milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// reading parses JSON without copying it: texts are slices of one string.
type reading struct {
	data []byte
	text string // data as a string
}

func newReading(data []byte) reading { return reading{data, string(data)} }

type span struct{ lo, hi int }

// place is the place of a part of data.
func (r *reading) place(part []byte) span {
	lo := cap(r.data) - cap(part)
	return span{lo, lo + len(part)}
}

func (r *reading) string(value []byte) (string, bool) {
	if value[0] != '"' {
		return "", false
	}
	inside := value[1 : len(value)-1]
	if escape := bytes.IndexByte(inside, '\\'); escape >= 0 || !utf8.Valid(inside) {
		return unescape(inside, escape), true
	}
	at := r.place(inside)
	return r.text[at.lo:at.hi], true
}

// unescape returns the text of a JSON string's inside, whose first backslash is at escape. A
// prompt's escapes are mostly line ends, which are fast here; logfmt handles others and invalid
// bytes.
func unescape(inside []byte, escape int) string {
	if !utf8.Valid(inside) {
		return logfmt.RawString(inside).String()
	}
	var b strings.Builder
	b.Grow(len(inside))
	for rest := inside; ; escape = bytes.IndexByte(rest, '\\') {
		if escape < 0 {
			b.Write(rest)
			return b.String()
		}
		c := rest[escape+1]
		switch c {
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case '"', '\\', '/':
		default:
			return logfmt.RawString(inside).String()
		}
		b.Write(rest[:escape])
		b.WriteByte(c)
		rest = rest[escape+2:]
	}
}

// time parses an RFC 3339 time of any zone.
func (r *reading) time(value []byte) (time.Time, bool) {
	s, ok := r.string(value)
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, s)
	return t.UTC(), err == nil && !t.IsZero()
}

// members are the keys of a task that set handles.
var members = [...]string{"id", "created_at", "priority", "source", "kind", "anomaly_type", "prompt", "suggested_agent", "context", "status",
	"attempts", "session", "scope", "evidence", "expires_at", "signature", "lease", "delivered_at", "seen_at", "typed_at", "hmac"}

// memberNumber is the index of a key in members, or -1.
func memberNumber(key string) int { return slices.Index(members[:], key) }

func parseTask(object []byte) Task {
	r := newReading(object)
	return r.task(object)
}

// task parses one object of tasks. It never fails: a known member of an unexpected type, or a
// repeated one, counts as unknown.
func (r *reading) task(object []byte) Task {
	var t Task
	var seen [len(members)]bool
	logfmt.Members(object, func(key logfmt.RawString, value []byte) bool {
		n := memberNumber(string(key))
		known := n >= 0 && !seen[n] && (value[0] == 'n' || r.set(&t, members[n], value))
		if n >= 0 {
			seen[n] = true
		}
		if !known {
			t.Extra = append(t.Extra, logfmt.Member{Key: string(key), Raw: value})
		}
		return true
	})
	return t
}

// set sets one member. It returns false if the value's type is wrong.
func (r *reading) set(t *Task, key string, value []byte) (ok bool) {
	switch key {
	case "created_at":
		t.CreatedAt, ok = r.time(value)
	case "expires_at":
		t.ExpiresAt, ok = r.time(value)
	case "delivered_at":
		t.DeliveredAt, ok = r.time(value)
	case "seen_at":
		t.SeenAt, ok = r.time(value)
	case "typed_at":
		t.TypedAt, ok = r.time(value)
	case "context":
		t.Context, ok = value, true
	case "attempts":
		t.Attempts, ok = parseCount(value)
	case "evidence":
		t.Evidence, ok = parseEvidence(value)
	case "lease":
		t.Lease, ok = r.lease(value)
	default:
		var text string
		if text, ok = r.string(value); ok {
			ok = t.setText(key, text)
		}
	}
	return ok
}

// setText sets one text member.
func (t *Task) setText(key, text string) (ok bool) {
	switch key {
	case "id":
		t.ID = text
	case "priority":
		t.Priority, ok = ParsePriority(text)
		return ok
	case "source":
		t.Source = text
	case "kind":
		t.Kind = text
	case "anomaly_type":
		t.Type = text
	case "prompt":
		t.Prompt = text
	case "suggested_agent":
		t.SuggestedAgent = text
	case "status":
		t.Status = Status(text)
	case "session":
		t.Session = logfmt.SessionID(text)
	case "scope":
		t.Scope = text
	case "signature":
		t.Signature = text
	case "hmac":
		t.HMAC = text
	}
	return true
}

// parseCount parses a number of claims, or a process id.
func parseCount(value []byte) (int, bool) {
	n, err := strconv.ParseUint(string(value), 10, 31)
	return int(n), err == nil
}

func parseEvidence(value []byte) (list []uint64, ok bool) {
	ok = value[0] == '['
	logfmt.Elements(value, func(element []byte) bool {
		n, err := strconv.ParseUint(string(element), 10, 53)
		ok = ok && err == nil
		list = append(list, n)
		return ok
	})
	if !ok {
		return nil, false
	}
	return list, true
}

func (r *reading) lease(value []byte) (*Lease, bool) {
	l, ok := &Lease{}, false
	logfmt.Members(value, func(key logfmt.RawString, m []byte) bool {
		switch string(key) {
		case "pid":
			l.PID, _ = parseCount(m)
		case "session":
			s, _ := r.string(m)
			l.Session = logfmt.SessionID(s)
		case "prompt_id":
			l.PromptID, _ = r.string(m)
		case "until":
			l.Until, ok = r.time(m)
		}
		return true
	})
	return l, ok
}
