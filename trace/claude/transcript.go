package claude

import (
	"encoding/json"
	"fmt"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// transcript is a file while it is read: the trace of its session or sub-agent, and of the sub-agents within it, as
// clients wrote them that gave these no files of their own.
type transcript struct {
	store   trace.Store
	sink    trace.Sink
	at      trace.Cursor // where this reading began
	id      string       // of the trace of the file, empty while no record told it
	session string       // that the file belongs to
	agent   agentFile    // of a sub-agent's file
	main    *talk
	inline  *inline
	chain   *chain
	rec     record // the line that is being read
	known   bool   // a line was understood
	lines   int64
	untold  int64 // bytes that the sink does not know of
	changed bool  // what is told beside the file changed
	damaged []trace.Damage
	told    int64 // damage before this offset is known to the sink
}

// progress is after how many bytes the sink is told.
const progress = 1 << 20

// begin makes a transcript ready to be read on from a cursor.
func begin(s trace.Store, sink trace.Sink, from trace.Cursor) (*transcript, error) {
	t := &transcript{store: s, sink: sink, chain: &chain{}, rec: record{ids: new(ids)}, told: s.Cursor.Offset}
	t.session, t.agent = names(s)
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
		return t, nil // what is there to go on with is not known: from the beginning
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
	t.main = resume(before, st.Talk, t)
	if t.agent.id != "" {
		t.changed = t.agent.tell(&before.Relationships[0], t.session)
	}
	return t, nil
}

// line takes one line.
func (t *transcript) line(l jsonl.Line) error {
	t.lines++
	if t.untold += l.Size; t.untold >= progress {
		t.sink.Progress(t.untold)
		t.untold = 0
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
	if use := useOf(kindOf(l.Data)); use == skipped || use == ignored {
		t.known = t.known || use == skipped
		t.between()
		return nil
	}
	if !t.rec.parse(l.Data) {
		t.damage(ref, "the line is no JSON object")
		return nil
	}
	return t.record(ref, &t.rec)
}

// use is what a type of records is read for.
type use int

const (
	ignored  use = iota // nobody knows it: it does not show that the file is a transcript
	skipped             // it does, and nothing in it is needed
	aside               // it stands beside the conversation
	spoken              // it is of the conversation
	untested            // the type does not come first in the line
)

// useOf says what records of a type are read for.
func useOf(kind []byte) use {
	switch string(kind) {
	case "":
		return untested
	case "user", "assistant", "system", "attachment", "progress":
		return spoken
	case "queue-operation", "cost-state":
		return aside
	case "atis-latch", "tools-used", "mode", "permission-mode", "file-history-snapshot", "file-history-delta", "last-prompt",
		"custom-title", "agent-name", "agent-setting", "worktree-state", "relocated", "api-request", "api-request-blob",
		"api-request-shape", "summary", "ai-title", "tag", "pr-link", "content-replacement":
		return skipped
	}
	return ignored
}

// between notes that the client wrote something between the records of the conversation, as it does not when it copies them.
func (t *transcript) between() {
	if t.main != nil && t.main.st.Begun {
		t.main.own()
	}
}

// record brings one record into its trace.
func (t *transcript) record(ref trace.Ref, r *record) error {
	kind := inside(r.kind)
	if use := useOf(kind); use != spoken {
		t.known = t.known || use == skipped || use == aside
		t.between()
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
		return t.side(ref, r)
	}
	if t.agent.id == "" {
		if err := t.chain.link(r, len(t.main.b.Trace().Events)); err != nil {
			return err
		}
	}
	if why := t.main.take(ref, r); why != "" {
		t.damage(ref, why)
	}
	return nil
}

// start begins the trace of the file with its first record.
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
	t.main = newTalk(t.id, t)
	if t.agent.id != "" {
		t.main.agent = t.agent.id
		t.relate(r)
	}
	return true
}

// damage notes a place that could not be read.
func (t *transcript) damage(ref trace.Ref, why string) {
	d := trace.Damage{Ref: ref, Reason: why}
	t.damaged = append(t.damaged, d)
	if ref.Offset >= t.told {
		t.sink.Damaged(d)
		t.told = ref.Offset + 1
	}
}

// finish gives the traces that changed, and the cursor, to the sink.
func (t *transcript) finish(end jsonl.End) error {
	if t.untold > 0 {
		t.sink.Progress(t.untold)
	}
	if !t.known && t.lines > 0 {
		return t.unknown()
	}
	st := state{V: stateVersion, Known: t.known, Whole: len(t.damaged) > 0} // before a trace that it will belong to
	if t.main != nil {
		for _, m := range append([]*talk{t.main}, t.inline.all()...) {
			if err := t.give(m); err != nil {
				return err
			}
		}
		if len(t.main.b.Trace().Events) > 0 {
			st.ID, st.Session, st.Talk, st.Ring = t.id, t.session, t.main.st, t.chain.last()
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

// give gives one trace to the sink, if anything happened in it and something is new.
func (t *transcript) give(m *talk) error {
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

// state is what a cursor keeps beside the trace, to go on with.
type state struct {
	V       int       `json:"v"`
	Whole   bool      `json:"whole,omitempty"` // it is to be read from the beginning each time
	Known   bool      `json:"known,omitempty"`
	ID      string    `json:"id,omitempty"` // of the trace of the file
	Session string    `json:"session,omitempty"`
	Ring    []string  `json:"ring,omitempty"`
	Rewound bool      `json:"rewound,omitempty"`
	Talk    talkState `json:"talk"`
}

const stateVersion = 1
