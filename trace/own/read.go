package own

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"aburn/internal/journal"
	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/packed"
)

// maxHeldEvents bounds the events held unpacked. Beyond it the sessions that were silent for longest are packed: a log
// can be larger than memory, and its sessions interleave.
const maxHeldEvents = 30_000

// reading is one reading of a log.
type reading struct {
	path          string
	log           *journal.Journal
	sink          trace.Sink
	incremental   bool // it continues an earlier reading
	shortened     bool // the log no longer holds its beginning
	sessions      map[string]*session
	packed        map[string][]byte // id → trace that is not held
	heldEvents    int               // in sessions
	maxHeldEvents int               // how many there may be
	entries       int
}

func (r *reading) read(ctx context.Context, from journal.Position) error {
	at, before := from, []byte(from.Before)
	segments := map[string]bool{} // read so far
	for record, err := range r.log.Entries(from) {
		if err != nil {
			return err
		}
		if r.entries%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.entries++
		next := record.Next()
		before = append(append(before[:0], record.JSON[max(0, len(record.JSON)-markLength):]...), '\n')
		segments[record.Segment] = true
		if next.Segment == at.Segment && next.Offset > at.Offset {
			r.sink.Progress(next.Offset - at.Offset)
		}
		at = next
		if record.Carried {
			continue // a copy of what earlier segments hold
		}
		if err := r.entry(record.Value, key(record.Value.Seq, record.Value.ID, record.Line)); err != nil {
			return err
		}
	}
	stats := r.log.Stats()
	if r.entries == 0 && stats.Damage > 0 && !r.incremental {
		return &trace.UnknownLayout{Agent: "aburn", Path: r.path, Why: "no line of it is an entry"}
	}
	if stats.Damage > 0 {
		if err := r.damage(ctx, from, segments); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.sessions)) {
		if err := r.emit(r.sessions[id]); err != nil {
			return err
		}
	}
	data, err := json.Marshal(state{at.Segment, at.Dev, at.Ino, at.Offset, before})
	if err != nil {
		return err
	}
	r.sink.Done(trace.Cursor{Offset: at.Offset, State: data}, stats.Torn)
	return nil
}

// key names an entry: by its number, or by what else identifies it.
func key(seq logfmt.Seq, id string, line journal.Line) string {
	switch {
	case seq > 0:
		return strconv.FormatUint(uint64(seq), 10)
	case id != "":
		return "id:" + id
	}
	return line.Segment + "@" + strconv.FormatInt(line.Offset, 10)
}

// damage reports the lines behind from, in these segments, that are no entries. Reading itself only counts them.
func (r *reading) damage(ctx context.Context, from journal.Position, segments map[string]bool) error {
	report, err := r.log.Verify(ctx)
	if err != nil {
		return err
	}
	for _, f := range report.Damage {
		if f.Kind == journal.BadLine && segments[f.Segment] && (f.Segment != from.Segment || f.Offset >= from.Offset) {
			r.sink.Damaged(trace.Damage{Ref: trace.Ref{Line: int64(f.Line), Offset: f.Offset},
				Reason: f.Segment + ": " + f.Text})
		}
	}
	return nil
}

// session returns the session with this id; a new one, begun by the entry e, if there is none.
func (r *reading) session(id string, e *logfmt.Entry) (*session, error) {
	s, err := r.known(id)
	if s != nil || err != nil {
		return s, err
	}
	return r.hold(newSession(id, r.path, e))
}

// known returns the session with this id: held, packed, or from an earlier reading; nil if there is none.
func (r *reading) known(id string) (*session, error) {
	if s := r.sessions[id]; s != nil {
		s.lastEntry = r.entries
		return s, nil
	}
	before, err := r.before(id)
	if before == nil || err != nil {
		return nil, err
	}
	return r.hold(resumed(before))
}

// hold adds a session, and packs others if there are too many events.
func (r *reading) hold(s *session) (*session, error) {
	s.lastEntry = r.entries
	r.sessions[s.Trace().ID] = s
	r.heldEvents += len(s.Trace().Events)
	if r.heldEvents > r.maxHeldEvents {
		return s, r.pack()
	}
	return s, nil
}

// before returns the trace that a session continues which is not held, or nil.
func (r *reading) before(id string) (*trace.SessionTrace, error) {
	if data := r.packed[id]; data != nil {
		delete(r.packed, id)
		return packed.Parse(data)
	}
	if r.incremental || r.shortened {
		return r.sink.Previous(id)
	}
	return nil, nil
}

// pack packs the half of the sessions that was silent for longer, but not the one of the current entry.
func (r *reading) pack() error {
	heard := slices.SortedFunc(maps.Keys(r.sessions),
		func(a, b string) int { return r.sessions[a].lastEntry - r.sessions[b].lastEntry })
	for _, id := range heard[:len(heard)/2] {
		s := r.sessions[id]
		if s.lastEntry == r.entries {
			break
		}
		if err := r.emit(s); err != nil {
			return err
		}
		data, err := packed.Append(nil, s.Trace())
		if err != nil {
			return err
		}
		r.packed[id] = data
		r.heldEvents -= len(s.Trace().Events)
		delete(r.sessions, id)
	}
	return nil
}

func (r *reading) emit(s *session) error {
	t, err := s.finish()
	if err != nil || len(t.Events) == 0 {
		return err
	}
	return r.sink.Trace(t)
}
