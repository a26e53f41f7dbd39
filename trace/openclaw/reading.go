package openclaw

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"aburn/trace"
)

// maxEvent bounds an event when it is unpacked, in bytes: the client packs none that is larger.
const maxEvent = 4 << 20

// eventColumns are those of an event, as unpack expects them.
var eventColumns = []string{"seq", "event_json", "event_zstd", "event_utf8_bytes"}

// reading is one reading of a database.
type reading struct {
	*db
	sink    trace.Sink
	all     *windows
	due     map[string]bool            // sessions that are read
	spawned map[string]caller          // by the key of the sub-agent
	ids     map[string]map[string]bool // of the records of sessions that others came from
	onward  bool                       // there was an earlier reading, which this one goes on from
	zstd    *zstd.Decoder
	bytes   int64
}

func (r *reading) close() {
	if r.zstd != nil {
		r.zstd.Close()
	}
}

// run reads the sessions that are due, in the order in which they were begun: callers come before their sub-agents, who
// are read again when a call turns out to be theirs.
func (r *reading) run(ctx context.Context) error {
	for _, w := range r.all.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !r.due[w.id] {
			continue
		}
		if err := r.session(w); err != nil {
			return err
		}
	}
	return r.cold()
}

// session reads one session.
func (r *reading) session(w *window) error {
	s := newSession(w.id, r.path, r.how)
	s.key, s.child = w.key, w.child()
	s.sessionOf = func(key string) string {
		if list := r.all.byKey[key]; len(list) > 0 {
			return list[0].id
		}
		return ""
	}
	by, err := r.caller(w)
	if err != nil {
		return err
	}
	for _, rel := range r.all.relations(w, "", "", caller{}) {
		if err := r.origin(s, rel.Related); err != nil {
			return err
		}
	}
	n := 0
	err = r.each(table, "WHERE session_id = ? ORDER BY seq", []any{w.id}, func(x row) error {
		n++
		return r.event(s, w, x)
	}, eventColumns...)
	if err != nil || n == 0 {
		return err
	}
	if r.onward {
		before, err := r.sink.Previous(w.id)
		if err != nil {
			return err
		}
		if before != nil {
			s.keep(before)
		}
	}
	for _, x := range s.spawns {
		r.spawned[x.key] = caller{x, w.id}
		for _, child := range r.all.byKey[x.key] {
			r.due[child.id] = true
		}
	}
	for _, rel := range r.all.relations(w, s.parent, s.opening, by) {
		rel.SourceVersion = r.version
		s.b.Relate(rel)
	}
	t, err := s.finish(w.ended(), r.agent, r.version)
	if err != nil {
		return err
	}
	return r.sink.Trace(t)
}

// event takes one event.
func (r *reading) event(s *session, w *window, x row) error {
	ref := trace.Ref{Table: table, Key: w.id + "/" + strconv.FormatInt(x.int("seq"), 10)}
	data, err := r.unpack(x)
	why := ""
	if err != nil {
		why = err.Error()
	} else {
		r.bytes += int64(len(data))
		r.sink.Progress(int64(len(data)))
		why = s.record(data, ref)
	}
	if why != "" {
		d := trace.Damage{Ref: ref, Reason: why}
		t := s.b.Trace()
		t.Damaged = append(t.Damaged, d)
		r.sink.Damaged(d)
	}
	if s.parent != "" { // the header names it
		return r.origin(s, s.parent)
	}
	return nil
}

// unpack is the event as JSON.
func (r *reading) unpack(x row) ([]byte, error) {
	const plain, packed = 1, 2
	if x.ColumnLen(packed) == 0 {
		data := make([]byte, x.ColumnLen(plain))
		x.ColumnBytes(plain, data)
		return data, nil
	}
	if r.zstd == nil {
		var err error
		if r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxEvent)); err != nil {
			return nil, err
		}
	}
	data := make([]byte, x.ColumnLen(packed))
	x.ColumnBytes(packed, data)
	data, err := r.zstd.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	if size := x.int("event_utf8_bytes"); size != int64(len(data)) {
		return nil, fmt.Errorf("it has %d bytes unpacked, not %d", len(data), size)
	}
	return data, nil
}

// origin notes that records of s can be copies of those of the session id: of those that there are, and of those that an
// earlier reading found.
func (r *reading) origin(s *session, id string) error {
	if id == s.b.Trace().ID || slices.ContainsFunc(s.from, func(o origin) bool { return o.session == id }) {
		return nil
	}
	ids := r.ids[id]
	if ids == nil {
		var err error
		if ids, err = earlier(id, r.sink); err != nil {
			return err
		}
		if err := r.each("transcript_event_identities", "WHERE session_id = ?", []any{id}, func(x row) error {
			ids[token(x.text("event_id"))] = true
			return nil
		}, "event_id"); err != nil {
			return err
		}
		r.ids[id] = ids
	}
	s.from = append(s.from, origin{id, ids})
	return nil
}

// earlier is the ids of the records of a session that the sink has.
func earlier(id string, sink trace.Sink) (map[string]bool, error) {
	ids := map[string]bool{}
	t, err := sink.Previous(id)
	if err != nil || t == nil {
		return ids, err
	}
	for i := range t.Events {
		if record := t.Events[i].Record; record != "" {
			ids[record] = true
		}
	}
	return ids, nil
}

// caller is the call that started w, if it is a sub-agent and the call is known: from this reading, or from an earlier one.
func (r *reading) caller(w *window) (caller, error) {
	by, ok := r.spawned[w.key]
	if ok || !w.child() {
		return by, nil
	}
	key := firstOf(w.spawnedBy, w.node.spawnedBy, w.parentKey, w.node.parentKey)
	for _, p := range r.all.byKey[key] {
		t, err := r.sink.Previous(p.id)
		if err != nil {
			return caller{}, err
		}
		if t == nil {
			continue
		}
		for i := range t.Events {
			if x, ok := t.Events[i].Body.(*trace.SubagentSpawn); ok && x.AgentID == token(w.key) && t.Events[i].Copied == "" {
				return caller{spawn{w.key, x.Call, x.AgentType, x.Description}, p.id}, nil
			}
		}
	}
	return caller{}, nil
}

// cold reports sessions whose records the client has put away where we do not read.
func (r *reading) cold() error {
	return r.each("session_transcript_cold_archives", "", nil, func(x row) error {
		if id := x.text("session_id"); r.due[id] {
			r.sink.Damaged(trace.Damage{Ref: trace.Ref{Table: "session_transcript_cold_archives", Key: id},
				Reason: "the session's " + x.text("event_count") + " events are in a cold archive, which is not read"})
		}
		return nil
	}, "session_id", "event_count")
}
