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

	line jsonl.Line // being read
	record
	// ends maps a call's id to what is known of its end; answers maps a response's id to its turn.
	ends    map[string]end
	answers map[string]string
	// outer, inner and scratch are reused memory.
	outer, inner object
	scratch      []byte
	ids          draft.Memo
}

// state is what a reading needs from earlier ones beside the trace. A cursor keeps it.
type state struct {
	ID string `json:"id"`
	// Thread is the thread's id. It equals ID except in a segment.
	Thread    string `json:"thread"`
	Paginated bool   `json:"paginated,omitempty"`
	Child     bool   `json:"child,omitempty"`
	Exec      bool   `json:"exec,omitempty"` // the source is exec: each turn has a process of its own
	Model     string `json:"model,omitempty"`
	Branch    string `json:"branch,omitempty"`
	// OwnFrom is the first ordinal of the session's own records. Copying says that a legacy rollout is still repeating
	// another session's.
	OwnFrom int64 `json:"own,omitempty"`
	Copying bool  `json:"copying,omitempty"`

	turns
	pending
	// Compacted says which record told of the last compaction, if nothing has happened since.
	Compacted string `json:"compacted,omitempty"`
	// Cells maps the cell of code that yielded to its call. Code lists the calls of code, the newest last.
	Cells map[string]string `json:"cells,omitempty"`
	Code  []string          `json:"code,omitempty"`
	// Waits and Writes map a call without a result to the cell or process that it is for.
	Waits  map[string]string `json:"waits,omitempty"`
	Writes map[string]string `json:"writes,omitempty"`
	// Processes maps the process of a command that yielded to its call.
	Processes map[string]string `json:"processes,omitempty"`
	// Spawns maps a sub-agent's thread to its call. Review describes the subject of a review.
	Spawns map[string]string `json:"spawns,omitempty"`
	Review string            `json:"review,omitempty"`
}

// end is what is known of a call's end.
type end struct {
	final     bool // an item or an output said how it ended
	item      bool // an item did
	cancelled bool // it was stopped
}

// begin prepares reading a store from its Cursor on.
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
	t.Sources[0].Path = store.Path // archiving moves it
	s.answers = answerTurns(t)
	s.Builder = draft.Resume(t)
	for i := range t.Results {
		r := &t.Results[i]
		if _, c := s.Lookup(r.Call); c == nil || c.Index == r.CallIndex { // not of an earlier call with this id
			s.noteEnd(r)
		}
	}
	return s, nil
}

func (s *session) noteEnd(r *trace.ToolResultEvent) {
	if r.Status != trace.StatusRunning {
		known := s.ends[r.Call]
		s.ends[r.Call] = end{final: true, item: known.item || r.From == trace.FromToolResult,
			cancelled: known.cancelled || r.Status == trace.StatusCancelled}
	}
}

// cursorState returns the state for a cursor; nil before the first record.
func (s *session) cursorState() ([]byte, error) {
	if s.Builder == nil {
		return nil, nil
	}
	return json.Marshal(&s.state)
}

func (s *session) read(l jsonl.Line) error {
	s.line = l
	data := bytes.TrimSpace(l.Data)
	switch {
	case l.Data == nil:
		return s.damaged("the line is too long to be read")
	case len(data) == 0:
		return nil
	case s.Builder == nil:
		return s.firstRecord(data)
	case s.canSkip(data):
		return nil
	case !s.split(data, s.OwnFrom):
		return s.damaged("the record is no JSON object")
	case s.kind == "":
		return nil
	case len(s.payload) == 0:
		return s.damaged("the record has no payload")
	}
	s.dispatch(s.kind, s.payload)
	return nil
}

// take takes a record.
func (s *session) dispatch(kind string, p object) {
	switch {
	case kind == "session_meta":
		s.laterMeta(p)
	case s.Copying && !s.ownTurn(kind, p):
		// repeated from another session
	case kind == "turn_context":
		s.turnContext(p)
	case kind == "response_item":
		s.response(p)
	case kind == "event_msg":
		s.event(p)
	case kind == "token_usage_record":
		s.tokenUsageRecord(p)
	case kind == "compacted":
		s.compacted(p)
	}
}

// damaged notes that the current record cannot be read. An unreadable first record is an error.
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

// newEvent makes an event of the current record, whose id in the source is id.
func (s *session) newEvent(id string) trace.Event {
	return trace.Event{Time: s.when, Ref: s.ref(), Record: id, Turn: s.Turn}
}

// id returns a member that is an id. Ids are cached, because most recur.
func (s *session) id(o object, key string) string {
	raw := o.raw(key)
	if known := s.ids.Find(raw); known != "" {
		return known
	}
	return s.ids.Keep(raw, draft.Token(s.ids.Text(raw)))
}

func (s *session) add(id string, body trace.Body) {
	e := s.newEvent(id)
	e.Body = body
	s.Add(e)
}

func (s *session) mark(m trace.Session) { s.add("", &m) }

func (s *session) finish() *trace.SessionTrace {
	t := s.Trace()
	t.Outcome, t.OutcomeFrom = s.turns.outcome()
	return s.Settle()
}
