package codex

import (
	"bytes"
	"encoding/json"
	"fmt"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// session is the reading of one rollout.
type session struct {
	*draft.Builder // nil until the first record
	state
	path string
	size int64 // of the file
	sink trace.Sink

	line jsonl.Line // that is at hand
	record
	// ends is what is known of the calls, answers the turns of the answers of the model, both by id.
	ends    map[string]end
	answers map[string]string
	// outer, inner and scratch are memory that serves again.
	outer, inner object
	scratch      []byte
	ids          draft.Memo
}

// state is what a reading must know of what it read before, beside the trace itself.
type state struct {
	ID string `json:"id"`
	// Thread is the thread's id: ID, but for a segment.
	Thread    string `json:"thread"`
	Paginated bool   `json:"paginated,omitempty"`
	Child     bool   `json:"child,omitempty"`
	Exec      bool   `json:"exec,omitempty"` // the source is exec: each turn has a process of its own
	Model     string `json:"model,omitempty"`
	// Own is the first ordinal of the session's own records; Copying says that a legacy rollout is still in those it repeats.
	Own     int64 `json:"own,omitempty"`
	Copying bool  `json:"copying,omitempty"`

	turns
	pending
	// Compacted is the record that told of a compaction last, if nothing has happened since.
	Compacted string `json:"compacted,omitempty"`
	// Cells is the code that yielded: cell id → call. Code is the calls of code, as their nested calls are looked for.
	Cells map[string]string `json:"cells,omitempty"`
	Code  []string          `json:"code,omitempty"`
	// Waits is the cells, and Writes the processes, that calls without a result are for.
	Waits  map[string]string `json:"waits,omitempty"`
	Writes map[string]string `json:"writes,omitempty"`
	// Processes is the commands that yielded: process → call.
	Processes map[string]string `json:"processes,omitempty"`
	// Spawns is the sub-agents: thread → call. Review is what is being reviewed.
	Spawns map[string]string `json:"spawns,omitempty"`
	Review string            `json:"review,omitempty"`
}

// end is what is known of a call's end.
type end struct {
	final     bool // an item or an output said how it ended
	item      bool // it was an item
	cancelled bool // it was stopped
}

// begin makes ready to read a store, from its Cursor on.
func begin(store trace.Store, sink trace.Sink) (*session, error) {
	s := &session{path: store.Path, size: store.Size, sink: sink, ends: map[string]end{}, answers: map[string]string{}}
	if len(store.Cursor.State) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(store.Cursor.State, &s.state); err != nil {
		return nil, fmt.Errorf("%s: state of the cursor: %w", store.Path, err)
	}
	t, err := sink.Previous(s.ID)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("%s: no trace %s to go on with", store.Path, s.ID)
	}
	t.Sources[0].Path = store.Path // it moves when it is archived
	s.answers = answerTurns(t)
	s.Builder = draft.Resume(t)
	for i := range t.Results {
		r := &t.Results[i]
		if _, c := s.Lookup(r.Call); c == nil || c.Index == r.CallIndex { // not of an earlier call with this id
			s.know(r)
		}
	}
	return s, nil
}

// know notes what a result says of its call.
func (s *session) know(r *trace.ToolResultEvent) {
	if r.Status != trace.StatusRunning {
		known := s.ends[r.Call]
		s.ends[r.Call] = end{final: true, item: known.item || r.From == trace.FromToolResult, cancelled: known.cancelled || r.Status == trace.StatusCancelled}
	}
}

// keep is the state as a cursor holds it; nil before the first record.
func (s *session) keep() ([]byte, error) {
	if s.Builder == nil {
		return nil, nil
	}
	return json.Marshal(&s.state)
}

// read takes a line.
func (s *session) read(l jsonl.Line) error {
	s.line = l
	data := bytes.TrimSpace(l.Data)
	switch {
	case l.Data == nil:
		return s.damaged("the line is too long to be read")
	case len(data) == 0:
		return nil
	case s.Builder == nil:
		return s.first(data)
	case s.passes(data):
		return nil
	case !s.split(data, s.Own):
		return s.damaged("the record is no JSON object")
	case s.kind == "":
		return nil
	case len(s.payload) == 0:
		return s.damaged("the record has no payload")
	}
	s.take(s.kind, s.payload)
	return nil
}

// take takes a record.
func (s *session) take(kind string, p object) {
	switch {
	case kind == "session_meta":
		s.meta(p)
	case s.Copying && !s.ownTurn(kind, p):
		// repeated from another session
	case kind == "turn_context":
		s.context(p)
	case kind == "response_item":
		s.response(p)
	case kind == "event_msg":
		s.event(p)
	case kind == "token_usage_record":
		s.billed(p)
	case kind == "compacted":
		s.compacted(p)
	}
}

// damaged notes that the record at hand cannot be read.
func (s *session) damaged(why string) error {
	if s.Builder == nil {
		return &trace.UnknownLayout{Agent: Name, Path: s.path, Why: "its first record: " + why}
	}
	d := trace.Damage{Ref: s.ref(), Reason: why}
	t := s.Trace()
	t.Damaged = append(t.Damaged, d)
	s.sink.Damaged(d)
	return nil
}

func (s *session) ref() trace.Ref { return trace.Ref{Line: s.line.N, Offset: s.line.Offset} }

// at is an event of the record at hand, whose id in the source is id.
func (s *session) at(id string) trace.Event {
	return trace.Event{Time: s.when, Ref: s.ref(), Record: id, Turn: s.Turn}
}

// id is a member that is an id, of which most come several times.
func (s *session) id(o object, key string) string {
	raw := o.raw(key)
	if known := s.ids.Find(raw); known != "" {
		return known
	}
	return s.ids.Keep(raw, draft.Token(s.ids.Text(raw)))
}

// add appends an event of the record at hand.
func (s *session) add(id string, body trace.Body) {
	e := s.at(id)
	e.Body = body
	s.Add(e)
}

func (s *session) mark(m trace.Session) { s.add("", &m) }

// finish is the trace so far.
func (s *session) finish() *trace.SessionTrace {
	t := s.Trace()
	t.Outcome, t.OutcomeFrom = s.turns.outcome()
	return s.Settle()
}
