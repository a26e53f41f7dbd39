package record

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/entries"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/logfmt"
)

// tally counts a log in one pass. It holds counters, never entries.
type tally struct {
	entries     int64
	first, last []byte // ts in file order, as written
	events      []*eventTally
	sessions    map[string]*sessionTally
	session     *sessionTally // the last one
	segments    map[string]segmentTally
	segment     string // that is being read; inSegment are its counters
	inSegment   segmentTally
}

type eventTally struct {
	event      logfmt.Event
	source     string
	n          int64
	hook, lock cost
}

type sessionTally struct {
	id, source  string
	n           int64
	calls       int64 // that ended, one way or another
	failed      int64
	first, last []byte
	order       int64 // of its last entry
}

type segmentTally struct {
	n           int64
	first, last logfmt.Seq
}

func newTally() *tally {
	return &tally{sessions: map[string]*sessionTally{}, segments: map[string]segmentTally{}}
}

func (t *tally) read(log *journal.Journal, f *entries.Filter) error {
	var seen logfmt.Deduper
	for r, err := range log.Headers(journal.Position{}) {
		if err != nil {
			return err
		}
		if r.Carried { // a copy, of a segment that is gone
			continue
		}
		if !seen.SeenBytes(r.Value.ID) && f.Match(r.Value) {
			t.add(&r.Line, r.Value)
		}
	}
	t.segments[t.segment] = t.inSegment
	return nil
}

func (t *tally) add(line *journal.Line, h *logfmt.Header) {
	source, hook, lock := costsOf(line.JSON, h)
	if t.entries++; t.entries == 1 {
		t.first = bytes.Clone(h.Time)
	}
	t.last = append(t.last[:0], h.Time...)
	t.addSegment(line.Segment, h.Seq)
	e := t.event(h.Event, source)
	e.n++
	e.hook.add(hook)
	e.lock.add(lock)
	if len(h.Session) > 0 {
		t.addSession(h, source)
	}
}

func (t *tally) addSegment(name string, seq logfmt.Seq) {
	if name != t.segment {
		t.segments[t.segment] = t.inSegment
		t.segment, t.inSegment = name, t.segments[name]
	}
	t.inSegment.n++
	if seq > 0 {
		if t.inSegment.first == 0 {
			t.inSegment.first = seq
		}
		t.inSegment.last = seq
	}
}

// event finds the counters of an event from a source. There are few, and entries of one kind come together, so each one
// that is found moves forward in the list.
func (t *tally) event(event, source []byte) *eventTally {
	for i, e := range t.events {
		if string(e.event) == string(event) && e.source == string(source) {
			if i > 0 {
				t.events[i], t.events[i-1] = t.events[i-1], e
			}
			return e
		}
	}
	e := &eventTally{event: logfmt.Event(event), source: string(source)}
	t.events = append(t.events, e)
	return e
}

func (t *tally) addSession(h *logfmt.Header, source []byte) {
	s := t.session
	if s == nil || s.id != string(h.Session) {
		s = t.sessions[string(h.Session)]
	}
	if s == nil {
		s = &sessionTally{id: string(h.Session), first: bytes.Clone(h.Time)}
		t.sessions[s.id] = s
	}
	t.session = s
	if s.source == "" && string(source) != "prompt" && string(source) != "aburn" {
		s.source = string(source)
	}
	s.n++
	s.order = t.entries
	s.last = append(s.last[:0], h.Time...)
	switch logfmt.Event(h.Event) {
	case logfmt.Tool:
		s.calls++
	case logfmt.ToolFailed, logfmt.ToolDenied:
		s.calls++
		s.failed++
	}
}

// costsOf reads what a header lacks: the source, and the costs hook_us and lock_us in microseconds, -1 if the entry has none.
//
// A hook's entry, as aburn writes it, is read from where wt stands and from its end:
//
//	…"source":"claude","wt":"","data":{…,"hook_us":812,"lock_us":5},"crc":"9a3c01fe"}
//
// If no other object begins in data, the costs at its end are its own. Every other line takes the slow path.
func costsOf(line []byte, h *logfmt.Header) (source []byte, hook, lock int64) {
	wt := cap(line) - cap(h.Wt) // h.Wt is a part of line, or else memory of its own
	if wt <= 0 || wt >= len(line) || cap(h.Wt) == 0 || &line[wt] != &h.Wt[:1][0] {
		return slowCostsOf(line)
	}
	head, found := bytes.CutSuffix(line[:wt], []byte(`","wt":"`))
	at := bytes.LastIndexByte(head, '"') + 1
	own := found && bytes.HasSuffix(head[:at], []byte(`,"source":"`))
	data, found := bytes.CutPrefix(line[wt+len(h.Wt):], []byte(`","data":{`))
	if !own || !found || len(data) <= len(crcEnd) || bytes.IndexByte(data, '{') >= 0 {
		return slowCostsOf(line)
	}
	rest, found := bytes.CutSuffix(data[:len(data)-len(crcEnd)], []byte(`}`))
	lock, rest = lastNumber(rest, `,"lock_us":`)
	hook, _ = lastNumber(rest, `"hook_us":`)
	if !found || lock < 0 || hook < 0 {
		return slowCostsOf(line)
	}
	return head[at:], hook, lock
}

// crcEnd is the shape of a line's end.
const crcEnd = `,"crc":"00000000"}`

// lastNumber cuts a member with a whole number off the end of b; v is -1 if there is none.
func lastNumber(b []byte, member string) (v int64, rest []byte) {
	i, unit := len(b), int64(1)
	for ; i > 0 && unit < 1e15 && b[i-1] >= '0' && b[i-1] <= '9'; i-- {
		v += unit * int64(b[i-1]-'0')
		unit *= 10
	}
	rest, found := bytes.CutSuffix(b[:i], []byte(member))
	if unit == 1 || !found {
		return -1, b
	}
	return v, rest
}

func slowCostsOf(line []byte) (source []byte, hook, lock int64) {
	hook, lock = -1, -1
	r := gjson.ParseBytes(line)
	if v := r.Get("data.hook_us"); v.Type == gjson.Number {
		hook = v.Int()
	}
	if v := r.Get("data.lock_us"); v.Type == gjson.Number {
		lock = v.Int()
	}
	return []byte(r.Get("source").String()), hook, lock
}

// inOrder are the events in the order of SPEC.md, then unknown ones by name.
func (t *tally) inOrder() []*eventTally {
	known := logfmt.Events()
	rank := func(ev logfmt.Event) int {
		if i := slices.Index(known, ev); i >= 0 {
			return i
		}
		return len(known)
	}
	list := slices.Clone(t.events)
	slices.SortFunc(list, func(a, b *eventTally) int {
		if d := rank(a.event) - rank(b.event); d != 0 {
			return d
		}
		if d := strings.Compare(string(a.event), string(b.event)); d != 0 {
			return d
		}
		return strings.Compare(a.source, b.source)
	})
	return list
}

// recentSessions are the sessions, the one with the newest entry first.
func (t *tally) recentSessions() []*sessionTally {
	list := make([]*sessionTally, 0, len(t.sessions))
	for _, s := range t.sessions {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *sessionTally) int { return int(b.order - a.order) })
	return list
}

// cost is an exact distribution of microseconds: values below exactBelow are counted, the few above are kept.
type cost struct {
	n, max int64
	small  []int32 // how many of each value
	large  []int64
}

const exactBelow = 1 << 16

func (c *cost) add(us int64) {
	if us < 0 {
		return
	}
	c.n++
	c.max = max(c.max, us)
	if us >= exactBelow {
		c.large = append(c.large, us)
		return
	}
	if int(us) >= len(c.small) {
		c.small = append(c.small, make([]int32, int(us)+1-len(c.small))...)
	}
	c.small[us]++
}

var percentiles = [...]int64{50, 95, 99}

// percentile is the smallest value that at least p percent of the values do not exceed.
func (c *cost) percentile(p int64) int64 {
	rank := (c.n*p + 99) / 100
	var passed int64
	for us, n := range c.small {
		if passed += int64(n); passed >= rank {
			return int64(us)
		}
	}
	slices.Sort(c.large)
	return c.large[rank-passed-1]
}

func (c *cost) text(p int64) string {
	if c.n == 0 {
		return ""
	}
	return plain.Duration(time.Duration(c.percentile(p)) * time.Microsecond)
}

func (c *cost) json() *costJSON {
	if c.n == 0 {
		return nil
	}
	return &costJSON{c.n, c.percentile(50), c.percentile(95), c.percentile(99), c.max}
}
