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

// maxLive is how many events are held as they are. When there are more, the sessions that were not heard of for the longest
// time are packed: a log can be larger than memory, and the sessions in it lie side by side.
const maxLive = 30_000

// reading is one reading of a log.
type reading struct {
	path      string
	log       *journal.Journal
	sink      trace.Sink
	goesOn    bool // from where an earlier one ended
	shortened bool // the log does not hold its own beginning any more
	sessions  map[string]*session
	packed    map[string][]byte // by id, the traces that are not held
	live      int               // events in sessions
	most      int               // how many there may be
	entries   int
}

func (r *reading) read(ctx context.Context, from journal.Position) error {
	at, before := from, []byte(from.Before)
	segments := map[string]bool{} // that were read
	for record, err := range r.log.Entries(from) {
		if err != nil {
			return err
		}
		if r.entries%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.entries++
		next := record.Next()
		before = append(append(before[:0], record.JSON[max(0, len(record.JSON)-mark):]...), '\n')
		segments[record.Segment] = true
		if next.Segment == at.Segment && next.Offset > at.Offset {
			r.sink.Progress(next.Offset - at.Offset)
		}
		at = next
		if record.Carried {
			continue // a copy of what the segments before said
		}
		if err := r.entry(record.Value, key(record.Value.Seq, record.Value.ID, record.Line)); err != nil {
			return err
		}
	}
	stats := r.log.Stats()
	if r.entries == 0 && stats.Damage > 0 && !r.goesOn {
		return &trace.UnknownLayout{Agent: "aburn", Path: r.path, Why: "no line of it is an entry"}
	}
	if stats.Damage > 0 {
		if err := r.damage(ctx, from, segments); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.sessions)) {
		if err := r.give(r.sessions[id]); err != nil {
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

// key names an entry: by its number, or what else tells it from others.
func key(seq logfmt.Seq, id string, line journal.Line) string {
	switch {
	case seq > 0:
		return strconv.FormatUint(uint64(seq), 10)
	case id != "":
		return "id:" + id
	}
	return line.Segment + "@" + strconv.FormatInt(line.Offset, 10)
}

// damage tells the places of the lines behind from, in these segments, that are no entries. Reading only counts them.
func (r *reading) damage(ctx context.Context, from journal.Position, segments map[string]bool) error {
	report, err := r.log.Verify(ctx)
	if err != nil {
		return err
	}
	for _, f := range report.Damage {
		if f.Kind == journal.BadLine && segments[f.Segment] && (f.Segment != from.Segment || f.Offset >= from.Offset) {
			r.sink.Damaged(trace.Damage{Ref: trace.Ref{Line: int64(f.Line), Offset: f.Offset}, Reason: f.Segment + ": " + f.Text})
		}
	}
	return nil
}

// session is the one with this id; a new one, of the entry e, if there is none.
func (r *reading) session(id string, e *logfmt.Entry) (*session, error) {
	s, err := r.known(id)
	if s != nil || err != nil {
		return s, err
	}
	return r.hold(newSession(id, r.path, e))
}

// known is the session with this id: held, packed, or from an earlier reading; nil if there is none.
func (r *reading) known(id string) (*session, error) {
	if s := r.sessions[id]; s != nil {
		s.heard = r.entries
		return s, nil
	}
	before, err := r.before(id)
	if before == nil || err != nil {
		return nil, err
	}
	return r.hold(resumed(before))
}

// hold takes a session in, and packs others if there are too many.
func (r *reading) hold(s *session) (*session, error) {
	s.heard = r.entries
	r.sessions[s.Trace().ID] = s
	r.live += len(s.Trace().Events)
	if r.live > r.most {
		return s, r.pack()
	}
	return s, nil
}

// before is the trace that an entry of an unheld session goes on with, or nil.
func (r *reading) before(id string) (*trace.SessionTrace, error) {
	if data := r.packed[id]; data != nil {
		delete(r.packed, id)
		return packed.Parse(data)
	}
	if r.goesOn || r.shortened {
		return r.sink.Previous(id)
	}
	return nil, nil
}

// pack packs the half of the sessions that was not heard of for longer, and none that the entry at hand is about.
func (r *reading) pack() error {
	heard := slices.SortedFunc(maps.Keys(r.sessions), func(a, b string) int { return r.sessions[a].heard - r.sessions[b].heard })
	for _, id := range heard[:len(heard)/2] {
		s := r.sessions[id]
		if s.heard == r.entries {
			break
		}
		if err := r.give(s); err != nil {
			return err
		}
		data, err := packed.Append(nil, s.Trace())
		if err != nil {
			return err
		}
		r.packed[id] = data
		r.live -= len(s.Trace().Events)
		delete(r.sessions, id)
	}
	return nil
}

// give hands a session over.
func (r *reading) give(s *session) error {
	t, err := s.finish()
	if err != nil || len(t.Events) == 0 {
		return err
	}
	return r.sink.Trace(t)
}
