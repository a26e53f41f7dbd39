package claude

import (
	"encoding/json"
	"fmt"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// transcript is a file being read. It builds the trace of the file's session or sub-agent. Old clients kept sub-agents
// in the session's file: those are inline.
type transcript struct {
	store      trace.Store
	sink       trace.Sink
	at         trace.Cursor // where this reading began
	id         string       // of the file's trace; "" until a record gives it
	session    string       // the session that the file belongs to
	agent      agentFile    // set for a sub-agent's file
	main       *conversation
	inline     *inline
	chain      *chain
	rec        record // the line being read
	known      bool   // some line was understood
	lines      int64
	unreported int64 // bytes that the sink has not heard of
	changed    bool  // the meta file changed
	damaged    []trace.Damage
	reportedTo int64 // the sink knows the damage before this offset
}

// progress is the number of bytes between two reports to the sink.
const progress = 1 << 20

// begin prepares reading on from a cursor.
func begin(s trace.Store, sink trace.Sink, from trace.Cursor) (*transcript, error) {
	t := &transcript{store: s, sink: sink, chain: &chain{}, rec: record{ids: new(ids)}, reportedTo: s.Cursor.Offset}
	t.session, t.agent = idsOf(s)
	t.id = t.session
	if t.agent.id != "" && t.session != "" {
		t.id = t.session + "/" + t.agent.id
	}
	if from.Offset == 0 {
		return t, nil
	}
	var st state
	if err := json.Unmarshal(from.State, &st); err != nil || st.V != stateVersion || st.Whole {
		t.chain.keepAll()
		return t, nil // the state is of no use: read from the beginning
	}
	if st.ID == "" {
		t.at, t.known = from, st.Known
		return t, nil
	}
	before, err := sink.Previous(st.ID)
	if err != nil {
		return nil, err
	}
	if before == nil {
		return t, nil
	}
	t.at, t.known, t.id, t.session = from, st.Known, st.ID, st.Session
	t.chain.ring, t.chain.rewound = st.Ring, st.Rewound
	t.main = resume(before, st.Conversation, t)
	if t.agent.id != "" {
		t.changed = t.agent.readMeta(&before.Relationships[0], t.session)
	}
	return t, nil
}

func (t *transcript) line(l jsonl.Line) error {
	t.lines++
	if t.unreported += l.Size; t.unreported >= progress {
		t.sink.Progress(t.unreported)
		t.unreported = 0
	}
	ref := trace.Ref{Line: l.N, Offset: l.Offset}
	switch {
	case l.Data == nil && l.Size > jsonl.MaxLine:
		t.damage(ref, fmt.Sprintf("a line of %d bytes is more than is read", l.Size))
		return nil
	case len(l.Data) == 0:
		return nil
	case l.Data[0] != '{' || l.Data[len(l.Data)-1] != '}':
		t.damage(ref, "the line is no JSON object")
		return nil
	}
	if use := useOf(kindOf(l.Data)); use == skipped || use == unrecognised {
		t.known = t.known || use == skipped
		t.noteOtherRecord()
		return nil
	}
	if !t.rec.parse(l.Data) {
		t.damage(ref, "the line is no JSON object")
		return nil
	}
	return t.record(ref, &t.rec)
}

// use says how a type of records is read.
type use int

const (
	unrecognised       use = iota // an unknown type, which does not prove that the file is a transcript
	skipped                       // a known type that nothing is taken from
	besideConversation            // bookkeeping of the client
	conversational                // part of the conversation
	typeNotFirst                  // the line does not begin with its type
)

func useOf(kind []byte) use {
	switch string(kind) {
	case "":
		return typeNotFirst
	case "user", "assistant", "system", "attachment", "progress":
		return conversational
	case "queue-operation", "cost-state":
		return besideConversation
	case "atis-latch", "tools-used", "mode", "permission-mode", "file-history-snapshot", "file-history-delta",
		"last-prompt",
		"custom-title", "agent-name", "agent-setting", "worktree-state", "relocated", "api-request", "api-request-blob",
		"api-request-shape", "summary", "ai-title", "tag", "pr-link", "content-replacement":
		return skipped
	}
	return unrecognised
}

// noteOtherRecord ends the copied records: the client writes nothing between them.
func (t *transcript) noteOtherRecord() {
	if t.main != nil && t.main.st.Begun {
		t.main.endOfCopies()
	}
}

func (t *transcript) record(ref trace.Ref, r *record) error {
	kind := inside(r.kind)
	if use := useOf(kind); use != conversational {
		t.known = t.known || use == skipped || use == besideConversation
		t.noteOtherRecord()
		if t.main != nil {
			t.main.bookkeeping(ref, kind, r)
		}
		return nil
	}
	t.known = true
	if t.main == nil && !t.start(r) {
		t.damage(ref, "the record names no session")
		return nil
	}
	if r.sidechain && t.agent.id == "" {
		return t.inlineRecord(ref, r)
	}
	if t.agent.id == "" {
		if err := t.chain.link(r, len(t.main.b.Trace().Events)); err != nil {
			return err
		}
	}
	if why := t.main.record(ref, r); why != "" {
		t.damage(ref, why)
	}
	return nil
}

// start begins the trace of the file. It returns false if the record names no session.
func (t *transcript) start(r *record) bool {
	if t.session == "" {
		if t.session = token(r.session); t.session == "" {
			return false
		}
		t.id = t.session
		if t.agent.id != "" {
			t.id += "/" + t.agent.id
		}
	}
	t.main = newConversation(t.id, t)
	if t.agent.id != "" {
		t.main.agent = t.agent.id
		t.relate(r)
	}
	return true
}

// damage notes a place that could not be read, and tells the sink once.
func (t *transcript) damage(ref trace.Ref, why string) {
	d := trace.Damage{Ref: ref, Reason: why}
	t.damaged = append(t.damaged, d)
	if ref.Offset >= t.reportedTo {
		t.sink.Damaged(d)
		t.reportedTo = ref.Offset + 1
	}
}

func (t *transcript) finish(end jsonl.End) error {
	if t.unreported > 0 {
		t.sink.Progress(t.unreported)
	}
	if !t.known && t.lines > 0 {
		return t.unknown()
	}
	st := state{V: stateVersion, Known: t.known, Whole: len(t.damaged) > 0} // damage before the first trace is found again
	if t.main != nil {
		for _, m := range append([]*conversation{t.main}, t.inline.all()...) {
			if err := t.emit(m); err != nil {
				return err
			}
		}
		if len(t.main.b.Trace().Events) > 0 {
			st.ID, st.Session, st.Conversation, st.Ring = t.id, t.session, t.main.st, t.chain.last()
			st.Rewound = t.chain.rewound || t.chain.all != nil
		}
		st.Whole = t.inline != nil || st.ID == ""
	}
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	t.sink.Done(trace.Cursor{Offset: end.Offset, Line: end.Line, State: data}, end.Torn)
	return nil
}

// emit gives a trace to the sink if it has events and something is new.
func (t *transcript) emit(m *conversation) error {
	tr := m.b.Trace()
	if len(tr.Events) == 0 || t.lines == 0 && !t.changed {
		return nil
	}
	if m == t.main {
		t.chain.abandon(tr.Events)
		tr.Damaged = append(tr.Damaged, t.damaged...)
	}
	m.settle()
	return t.sink.Trace(m.b.Settle())
}

// unknown is the error for a file in which nothing was understood.
func (t *transcript) unknown() error {
	why := "none of its lines is of a type that transcripts have"
	if int64(len(t.damaged)) == t.lines {
		why = "none of its lines is a JSON object"
	}
	return &trace.UnknownLayout{Agent: "Claude Code", Version: jsonl.Text(t.rec.version), Path: t.store.Path, Why: why}
}

// state is what a cursor keeps beside the trace.
type state struct {
	V            int               `json:"v"`
	Whole        bool              `json:"whole,omitempty"` // every reading begins at the beginning of the file
	Known        bool              `json:"known,omitempty"`
	ID           string            `json:"id,omitempty"` // of the file's trace
	Session      string            `json:"session,omitempty"`
	Ring         []string          `json:"ring,omitempty"`
	Rewound      bool              `json:"rewound,omitempty"`
	Conversation conversationState `json:"talk"`
}

const stateVersion = 1
