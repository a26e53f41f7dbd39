package openclaw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"aburn/trace"
)

// maxEvent bounds an unpacked event, in bytes. The client packs none that is larger.
const maxEvent = 4 << 20

// eventColumns are the columns that unpack needs, in its order.
var eventColumns = []string{"seq", "event_json", "event_zstd", "event_utf8_bytes"}

// reading is one reading of a database.
type reading struct {
	*db
	sink        trace.Sink
	sessions    *windows
	toRead      map[string]bool            // the ids of the sessions to read
	spawned     map[string]caller          // sub-agent's key → its call
	ids         map[string]map[string]bool // session → ids of its records, for sessions that others came from
	incremental bool                       // this reading continues an earlier one
	zstd        *zstd.Decoder
	bytes       int64
}

func (r *reading) close() {
	if r.zstd != nil {
		r.zstd.Close()
	}
}

// run reads the sessions that changed, oldest first. Callers come before their sub-agents, so that a sub-agent is read
// again when a call turns out to have started it.
func (r *reading) run(ctx context.Context) error {
	for _, w := range r.sessions.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !r.toRead[w.id] {
			continue
		}
		if err := r.session(w); err != nil {
			return err
		}
	}
	return r.reportArchived()
}

func (r *reading) session(w *window) error {
	s := newSession(w.id, r.path, r.how)
	s.key, s.child = w.key, w.child()
	s.sessionOf = func(key string) string {
		if list := r.sessions.byKey[key]; len(list) > 0 {
			return list[0].id
		}
		return ""
	}
	by, err := r.caller(w)
	if err != nil {
		return err
	}
	for _, rel := range r.sessions.relations(w, "", "", caller{}) {
		if err := r.addOrigin(s, rel.Related); err != nil {
			return err
		}
	}
	n := 0
	err = r.query(table, "WHERE session_id = ? ORDER BY seq", []any{w.id}, func(x row) error {
		n++
		return r.event(s, w, x)
	}, eventColumns...)
	if err != nil || n == 0 {
		return err
	}
	if r.incremental {
		before, err := r.sink.Previous(w.id)
		if err != nil {
			return err
		}
		if before != nil {
			s.restoreDestroyed(before)
		}
	}
	for _, x := range s.spawns {
		r.spawned[x.key] = caller{x, w.id}
		for _, child := range r.sessions.byKey[x.key] {
			r.toRead[child.id] = true
		}
	}
	for _, rel := range r.sessions.relations(w, s.parent, s.opening, by) {
		rel.SourceVersion = r.version
		s.b.Relate(rel)
	}
	t, err := s.finish(w.ended(), r.agent, r.version)
	if err != nil {
		return err
	}
	return r.sink.Trace(t)
}

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
	if s.parent != "" { // set by the header
		return r.addOrigin(s, s.parent)
	}
	return nil
}

// unpack returns the event as JSON.
func (r *reading) unpack(x row) ([]byte, error) {
	const plain, packed = 1, 2
	if len(x.Bytes(packed)) == 0 {
		return bytes.Clone(x.Bytes(plain)), nil
	}
	if r.zstd == nil {
		var err error
		if r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxEvent)); err != nil {
			return nil, err
		}
	}
	data, err := r.zstd.DecodeAll(x.Bytes(packed), nil)
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	if size := x.int("event_utf8_bytes"); size != int64(len(data)) {
		return nil, fmt.Errorf("it has %d bytes unpacked, not %d", len(data), size)
	}
	return data, nil
}

// addOrigin notes that s may hold copies of another session's records: of its present ones, and of those that an
// earlier reading found.
func (r *reading) addOrigin(s *session, id string) error {
	if id == s.b.Trace().ID || slices.ContainsFunc(s.origins, func(o origin) bool { return o.session == id }) {
		return nil
	}
	ids := r.ids[id]
	if ids == nil {
		var err error
		if ids, err = previousRecords(id, r.sink); err != nil {
			return err
		}
		if err := r.query("transcript_event_identities", "WHERE session_id = ?", []any{id}, func(x row) error {
			ids[token(x.text("event_id"))] = true
			return nil
		}, "event_id"); err != nil {
			return err
		}
		r.ids[id] = ids
	}
	s.origins = append(s.origins, origin{id, ids})
	return nil
}

// previousRecords returns the ids of the records that the sink has of a session.
func previousRecords(id string, sink trace.Sink) (map[string]bool, error) {
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

// caller returns the call that started w, if this reading or an earlier one knows it.
func (r *reading) caller(w *window) (caller, error) {
	by, ok := r.spawned[w.key]
	if ok || !w.child() {
		return by, nil
	}
	key := firstOf(w.spawnedBy, w.node.spawnedBy, w.parentKey, w.node.parentKey)
	for _, p := range r.sessions.byKey[key] {
		t, err := r.sink.Previous(p.id)
		if err != nil {
			return caller{}, err
		}
		if t == nil {
			continue
		}
		for i := range t.Events {
			if x, ok := t.Events[i].Body.(*trace.SubagentSpawn); ok && x.AgentID == token(w.key) &&
				t.Events[i].Copied == "" {
				return caller{spawn{w.key, x.Call, x.AgentType, x.Description}, p.id}, nil
			}
		}
	}
	return caller{}, nil
}

// reportArchived reports sessions whose records lie in the client's cold archive, which is not read.
func (r *reading) reportArchived() error {
	return r.query("session_transcript_cold_archives", "", nil, func(x row) error {
		if id := x.text("session_id"); r.toRead[id] {
			r.sink.Damaged(trace.Damage{Ref: trace.Ref{Table: "session_transcript_cold_archives", Key: id},
				Reason: "the session's " + x.text("event_count") + " events are in a cold archive, which is not read"})
		}
		return nil
	}, "session_id", "event_count")
}

// Records calls each with the index of each ref and its record in a database, or why there is none. Transcripts are lines,
// for which no reader is needed.
func Records(ctx context.Context, path string, refs []trace.Ref, each func(i int, record []byte, err error)) (err error) {
	lite, d, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lite.Close()) }()
	r := &reading{db: d}
	defer r.close()
	for i, ref := range refs {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := r.record(path, ref)
		each(i, data, err)
	}
	return nil
}

// record is the record of a ref.
func (r *reading) record(path string, ref trace.Ref) (data []byte, err error) {
	i := strings.LastIndexByte(ref.Key, '/')
	seq, bad := strconv.ParseInt(ref.Key[i+1:], 10, 64)
	if ref.Table != table || i < 0 || bad != nil {
		return nil, fmt.Errorf("%s: %q %q is no event's place in it", path, ref.Table, ref.Key)
	}
	found := false
	err = r.query(table, "WHERE session_id = ? AND seq = ?", []any{ref.Key[:i], seq}, func(x row) error {
		found = true
		data, err = r.unpack(x)
		return err
	}, eventColumns...)
	if err == nil && !found {
		err = fmt.Errorf("%s: there is no event %s in it now", path, ref.Key)
	}
	return data, err
}
