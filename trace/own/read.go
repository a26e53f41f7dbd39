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
)

// maxHeld is about how many entries' events are held at once. A log can be larger than memory, and its sessions lie side
// by side in it.
const maxHeld = 30_000

// reading is one reading of a log. It first notes which sessions the log has and where, and then makes the traces of some
// sessions at a time: all that needs a session's trace is in its family.
type reading struct {
	path        string
	log         *journal.Journal
	sink        trace.Sink
	incremental bool // it continues an earlier reading
	shortened   bool // the log no longer holds its beginning
	sessions    map[string]*session
	maxHeld     int
	at, size    int64 // entries of the present family so far, and all of them
}

func (r *reading) read(ctx context.Context, from journal.Position) error {
	in := newIndex()
	at, before, entries := from, []byte(from.Before), 0
	segments := map[string]bool{} // read so far
	for record, err := range r.log.Entries(from) {
		if err != nil {
			return err
		}
		if entries%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		entries++
		begin, size := at, int64(0)
		if at = record.Next(); at.Segment == begin.Segment && at.Offset > begin.Offset {
			size = at.Offset - begin.Offset
		}
		before = append(append(before[:0], record.JSON[max(0, len(record.JSON)-markLength):]...), '\n')
		segments[record.Segment] = true
		if record.Carried || !in.note(record.Value, record.Line, size) { // a copy of what earlier segments hold, or of no session
			r.sink.Progress(size)
		}
	}
	stats := r.log.Stats()
	if entries == 0 && stats.Damage > 0 && !r.incremental {
		return &trace.UnknownLayout{Agent: "aburn", Path: r.path, Why: "no line of it is an entry"}
	}
	if stats.Damage > 0 {
		if err := r.damage(ctx, from, segments); err != nil {
			return err
		}
	}
	for _, part := range in.parts(r.maxHeld) {
		if err := r.readPart(ctx, in, part); err != nil {
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

// readPart makes the traces of the families in a part.
func (r *reading) readPart(ctx context.Context, in *index, p *part) error {
	r.sessions = map[string]*session{}
	if err := r.makePart(ctx, in, p); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(r.sessions)) {
		if err := r.emit(r.sessions[id]); err != nil {
			return err
		}
	}
	r.sink.Progress(p.bytes)
	return nil
}

func (r *reading) makePart(ctx context.Context, in *index, p *part) error {
	var parser logfmt.Parser
	var e logfmt.Entry
	reader := newLineReader(r.log, &in.files)
	defer func() { reader.close() }()
	lines := p.lines()
	for i := range lines {
		if i%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, file, err := reader.read(lines[i:])
		if err != nil {
			return err
		}
		if parser.Parse(line, &e) != nil {
			continue // somebody changed the file meanwhile
		}
		f := in.family(e.Session)
		if f == nil || !p.has[f] {
			continue
		}
		f.made++
		r.at, r.size = int64(f.made), int64(f.entries)
		if err := r.entry(&e, key(e.Seq, e.ID, file.begin.Segment, lines[i].at-file.at)); err != nil {
			return err
		}
	}
	return nil
}

// key names an entry: by its number, or by what else identifies it.
func key(seq logfmt.Seq, id, segment string, offset int64) string {
	switch {
	case seq > 0:
		return strconv.FormatUint(uint64(seq), 10)
	case id != "":
		return "id:" + id
	}
	return segment + "@" + strconv.FormatInt(offset, 10)
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
	return r.hold(newSession(id, r.path, e)), nil
}

// known returns the session with this id: of this part, or from an earlier reading; nil if there is none.
func (r *reading) known(id string) (*session, error) {
	if s := r.sessions[id]; s != nil {
		return s, nil
	}
	if !r.incremental && !r.shortened {
		return nil, nil
	}
	before, err := r.sink.Previous(id)
	if before == nil || err != nil {
		return nil, err
	}
	return r.hold(resumed(before)), nil
}

func (r *reading) hold(s *session) *session {
	r.sessions[s.Trace().ID] = s
	return s
}

func (r *reading) emit(s *session) error {
	t, err := s.finish()
	if err != nil || len(t.Events) == 0 {
		return err
	}
	return r.sink.Trace(t)
}
