package claude

import (
	"encoding/json"
	"fmt"
	"strconv"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// conversation builds one trace.
type conversation struct {
	b       *draft.Builder
	st      conversationState
	session string                  // prefix of its sub-agents' trace ids
	agent   string                  // the sub-agent's id, empty for a session
	spawns  map[string]int          // call id → index of its SubagentSpawn
	prompts map[string]trace.Digest // call id → prompt of its sub-agent
	usage   []byte                  // of the last response, as raw JSON
	usedBy  string                  // the id of that response
	ids     *ids                    // shared by the transcript
	scratch draft.Text
	before  draft.Text
}

// conversationState is what a later reading needs and the trace does not hold. A cursor keeps it.
type conversationState struct {
	Turn          string           `json:"turn,omitempty"`
	Model         string           `json:"model,omitempty"`
	Open          map[string]*call `json:"open,omitempty"` // the agent's calls without a result
	Bang          string           `json:"bang,omitempty"` // the user's running shell command
	At            stage            `json:"at,omitempty"`
	From          string           `json:"from,omitempty"`  // the evidence for At
	LastCancelled string           `json:"hit,omitempty"`   // the last cancelled call of this turn
	Cut           bool             `json:"cut,omitempty"`   // the end of a process cut this turn off
	ProcessEnded  bool             `json:"left,omitempty"`  // a process wrote its costs, as it does at its end
	Ended         bool             `json:"ended,omitempty"` // the end of the turn was marked

	Begun   bool    `json:"begun,omitempty"`   // the conversation has a record
	Own     bool    `json:"own,omitempty"`     // later records cannot be copies
	Copies  string  `json:"copies,omitempty"`  // the promptId that all copies share
	Cost    float64 `json:"cost,omitempty"`    // in US dollars, of all processes
	Foreign string  `json:"foreign,omitempty"` // the session that the last record was copied from
}

func marker(m trace.Marker, detail string) *trace.Session {
	return &trace.Session{Marker: m, Detail: detail}
}

// call holds what a result needs of its call.
type call struct {
	Path  string `json:"path,omitempty"`  // the file that it changes
	Hash  string `json:"hash,omitempty"`  // of the written content, if that is the whole file
	Lines int    `json:"lines,omitempty"` // of the written content
}

// stage says where a turn stands.
type stage string

const (
	asked       stage = "asked"    // the model has to answer
	speaking    stage = "speaking" // the model continues after the last record
	unsure      stage = "unsure"   // the client does not say whether the model continues
	answered    stage = "answered"
	interrupted stage = "interrupted"
	failed      stage = "failed"
)

func newConversation(id string, t *transcript) *conversation {
	m := &conversation{b: draft.New(source, id, source, t.store.Path), session: t.session, ids: t.rec.ids,
		spawns: map[string]int{}, prompts: map[string]trace.Digest{}}
	m.st.Open = map[string]*call{}
	m.b.Expect(t.store.Size)
	return m
}

// resume continues a trace that an earlier reading stored.
func resume(before *trace.SessionTrace, st conversationState, t *transcript) *conversation {
	before.Unlink()
	m := &conversation{b: draft.Resume(before), st: st, session: t.session, agent: t.agent.id, ids: t.rec.ids,
		spawns: map[string]int{}, prompts: map[string]trace.Digest{}}
	if m.st.Open == nil {
		m.st.Open = map[string]*call{}
	}
	for i := range before.Events {
		if s, ok := before.Events[i].Body.(*trace.SubagentSpawn); ok {
			m.spawns[s.Call] = i
		}
	}
	return m
}

// record adds a record of the conversation. It returns what is wrong with the record, if anything.
func (m *conversation) record(ref trace.Ref, r *record) string {
	m.noteSession(r)
	e := trace.Event{Ref: ref, Time: draft.Time(r.stamp), Record: r.record(), Turn: m.st.Turn, Copied: m.st.Foreign}
	switch {
	case is(r.kind, "user"):
		return m.user(e, r)
	case is(r.kind, "assistant"):
		return m.assistant(e, r)
	case is(r.kind, "system"):
		m.system(e, r)
	case is(r.kind, "progress"):
		m.progress(r)
	case r.attachment != nil:
		m.attached(e, r)
	}
	return ""
}

// noteSession updates the session from the members that every record has.
func (m *conversation) noteSession(r *record) {
	tr := m.b.Trace()
	if tr.Project.Path == "" && len(r.cwd) > 2 {
		tr.Project.Path = draft.Path(jsonl.Text(r.cwd), "")
	}
	if len(r.version) > 2 && string(r.version[1:len(r.version)-1]) != tr.Agent.Version {
		tr.Agent.Version = token(r.version)
	}
	if len(r.prompt) > 2 && string(r.prompt[1:len(r.prompt)-1]) != m.st.Turn {
		m.st.Turn = m.ids.token(r.prompt)
	}
	if m.agent == "" && !r.sidechain {
		m.lineage(r)
	}
	m.st.Begun = true
}

// bookkeeping reads a record that stands beside the conversation.
func (m *conversation) bookkeeping(ref trace.Ref, kind []byte, r *record) {
	switch string(kind) {
	case "queue-operation":
		if is(r.operation, "enqueue") && has(r.content, notificationTag) {
			m.notified(trace.Event{Ref: ref, Time: draft.Time(r.stamp), Turn: m.st.Turn}, r.content, trace.FromQueue)
		}
	case "cost-state":
		m.st.ProcessEnded = true
		if usd := dollars(r.cost); usd > 0 {
			m.st.Cost = usd
		}
	}
}

// addResumed notes that another process continued the session.
func (m *conversation) addResumed(e trace.Event, why string) {
	m.st.ProcessEnded = false
	e.Inferred, e.Body = why, marker(trace.Resumed, "")
	m.b.Add(e)
}

// inferResumed notes a resume that shows only because the conversation continues after a process wrote its costs.
func (m *conversation) inferResumed(e trace.Event) {
	if m.st.ProcessEnded {
		m.addResumed(e, "the conversation goes on after a process told its costs, as it does when it ends")
	}
}

func (m *conversation) system(e trace.Event, r *record) {
	switch string(inside(r.subtype)) {
	case "compact_boundary":
		m.inferResumed(e)
		e.Body = marker(trace.Compacted, token(member(r.compact, "trigger")))
		m.b.Add(e)
	case "stop_hook_summary", "turn_duration":
		if m.st.At == unsure {
			m.st.At, m.st.From = answered, jsonl.Text(r.subtype)
		}
		if !m.st.Ended {
			m.st.Ended = true
			e.Body = marker(trace.Stopped, "")
			m.b.Add(e)
		}
	case "api_error":
		m.retried(e, r)
	case "local_command":
		m.localCommand(e, r.content)
	}
}

// retried adds a failed request that the client repeats.
func (m *conversation) retried(e trace.Event, r *record) {
	x := &trace.Error{}
	code := member(member(r.code, "connection"), "code")
	text := member(r.code, "formatted")
	if text == nil {
		text = member(r.code, "message")
	}
	if status, ok := jsonl.Int(member(r.code, "status")); ok {
		x.Status = int(status)
	}
	if code == nil {
		code = member(member(member(r.code, "error"), "error"), "type")
	}
	x.Code, x.Head, x.Digest = token(code), m.head(text, trace.ErrorHead), draft.DigestText(text)
	e.Body = x
	m.b.Add(e)
}

// progress takes a running sub-agent's id, before the call has a result.
func (m *conversation) progress(r *record) {
	if is(member(r.data, "type"), "agent_progress") {
		m.spawned(jsonl.Text(r.parentCall), token(member(r.data, "agentId")), "")
	}
}

// attached adds what the client itself put before the model, if it belongs to the conversation.
func (m *conversation) attached(e trace.Event, r *record) {
	switch string(inside(member(r.attachment, "type"))) {
	case "queued_command":
		text := member(r.attachment, "prompt")
		if len(text) > 0 && text[0] == '[' {
			text = firstText(text)
		}
		mode := member(r.attachment, "commandMode")
		switch {
		case is(mode, "task-notification"), has(text, notificationTag):
			m.notice(e, text)
		case isTrue(member(r.attachment, "isMeta")):
			m.addUserMessage(e, text, wroteContext, r)
		case mode == nil, is(mode, "prompt"): // other modes get records of their own later
			m.addUserMessage(e, text, wrotePrompt, r)
		}
	case "max_turns_reached":
		n := member(r.attachment, "maxTurns")
		e.Body = &trace.Error{Code: "max_turns_reached", Fatal: true,
			Head: fmt.Sprintf("the limit of %s turns was reached", token(n))}
		m.b.Add(e)
		m.st.At, m.st.From = failed, "max_turns_reached"
	}
}

// dollars parses an amount of money. It returns 0 for anything else.
func dollars(raw []byte) float64 {
	if len(raw) == 0 {
		return 0
	}
	usd, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(usd > 0) || usd > 1e9 {
		return 0
	}
	return usd
}

// settle sets what only the end of the reading shows.
func (m *conversation) settle() {
	tr := m.b.Trace()
	tr.Outcome, tr.OutcomeFrom = m.outcome()
	if m.agent == "" && !m.st.Own {
		tr.Lineage.MayCopy = len(tr.Events)
	}
	if m.st.Cost > 0 {
		tr.Extra = json.RawMessage(`{"total_cost_usd":` + strconv.FormatFloat(m.st.Cost, 'f', -1, 64) + `}`)
	}
}

// outcome says how the last turn ended, and the evidence.
func (m *conversation) outcome() (trace.Outcome, string) {
	switch m.st.At {
	case answered:
		return trace.Completed, m.st.From
	case interrupted:
		return trace.Interrupted, m.st.From
	case failed:
		return trace.Errored, m.st.From
	case asked, speaking:
		if open := m.openCall(); open != "" {
			return trace.Killed, "the transcript ends in the call " + open
		}
		return trace.Killed, "the transcript ends before the model's answer"
	}
	return trace.Unknown, ""
}

// openCall returns the first call without a result, "" if there is none.
func (m *conversation) openCall() string {
	first, at := "", 0
	for id := range m.st.Open {
		if _, c := m.b.Lookup(id); c != nil && (at == 0 || c.Index < at) {
			first, at = id, c.Index
		}
	}
	return first
}
