package claude

import (
	"encoding/json"
	"fmt"
	"strconv"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// talk is one trace in the making.
type talk struct {
	b       *draft.Builder
	st      talkState
	session string                  // whose sub-agents' traces are named after
	agent   string                  // the sub-agent's id, empty for a session
	spawns  map[string]int          // call → index of its SubagentSpawn
	prompts map[string]trace.Digest // of the calls of sub-agents
	usage   []byte                  // of the last response, as it stood there
	usedBy  string                  // that response
	ids     *ids                    // of the transcript
	scratch draft.Text
	before  draft.Text
}

// talkState is what the trace does not tell about where the reading of it stands.
type talkState struct {
	Turn  string           `json:"turn,omitempty"`
	Model string           `json:"model,omitempty"`
	Open  map[string]*call `json:"open,omitempty"` // the agent's calls without a result
	Bang  string           `json:"bang,omitempty"` // the user's command that runs
	At    stage            `json:"at,omitempty"`
	From  string           `json:"from,omitempty"`  // what says so, for the outcome
	Hit   string           `json:"hit,omitempty"`   // the call that was cancelled last in this turn
	Cut   bool             `json:"cut,omitempty"`   // the end of a process cut this turn off
	Left  bool             `json:"left,omitempty"`  // a process said how much it cost, as it does at its end
	Ended bool             `json:"ended,omitempty"` // the end of the turn was marked

	Begun   bool    `json:"begun,omitempty"`   // there is a record of the conversation
	Own     bool    `json:"own,omitempty"`     // what comes cannot be a copy
	Copies  string  `json:"copies,omitempty"`  // the promptId that all copies share
	Cost    float64 `json:"cost,omitempty"`    // in US dollars, of all processes
	Foreign string  `json:"foreign,omitempty"` // the session that the last record was copied from
}

// marker is the body of a Session event.
func marker(m trace.Marker, detail string) *trace.Session {
	return &trace.Session{Marker: m, Detail: detail}
}

// call is what is kept of a call until its result is there.
type call struct {
	Path  string `json:"path,omitempty"`  // of the file that it changes
	Hash  string `json:"hash,omitempty"`  // of what it writes, if that is the whole file
	Lines int    `json:"lines,omitempty"` // of it
}

// stage is where a turn stands.
type stage string

const (
	asked       stage = "asked"    // the model has to answer
	speaking    stage = "speaking" // it goes on after what was written last
	unsure      stage = "unsure"   // it may go on or not, the client did not say
	answered    stage = "answered"
	interrupted stage = "interrupted"
	failed      stage = "failed"
)

func newTalk(id string, t *transcript) *talk {
	m := &talk{b: draft.New(source, id, source, t.store.Path), session: t.session, ids: t.rec.ids, spawns: map[string]int{}, prompts: map[string]trace.Digest{}}
	m.st.Open = map[string]*call{}
	m.b.Expect(t.store.Size)
	return m
}

// resume goes on with a trace.
func resume(before *trace.SessionTrace, st talkState, t *transcript) *talk {
	before.Unlink()
	m := &talk{b: draft.Resume(before), st: st, session: t.session, agent: t.agent.id, ids: t.rec.ids, spawns: map[string]int{}, prompts: map[string]trace.Digest{}}
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

// take brings a record of the conversation into the trace. It returns what is wrong with it, if anything is.
func (m *talk) take(ref trace.Ref, r *record) string {
	m.know(r)
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

// know keeps what every record says of its session.
func (m *talk) know(r *record) {
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

// bookkeeping takes what the client wrote beside the conversation.
func (m *talk) bookkeeping(ref trace.Ref, kind []byte, r *record) {
	switch string(kind) {
	case "queue-operation":
		if is(r.operation, "enqueue") && has(r.content, notificationTag) {
			m.notified(trace.Event{Ref: ref, Time: draft.Time(r.stamp), Turn: m.st.Turn}, r.content, trace.FromQueue)
		}
	case "cost-state":
		m.st.Left = true
		if usd := dollars(r.cost); usd > 0 {
			m.st.Cost = usd
		}
	}
}

// resumes notes that another process went on with the session.
func (m *talk) resumes(e trace.Event, why string) {
	m.st.Left = false
	e.Inferred, e.Body = why, marker(trace.Resumed, "")
	m.b.Add(e)
}

// comesBack notes it where the source shows it by nothing but that the conversation goes on.
func (m *talk) comesBack(e trace.Event) {
	if m.st.Left {
		m.resumes(e, "the conversation goes on after a process told its costs, as it does when it ends")
	}
}

// system takes what the client says of itself.
func (m *talk) system(e trace.Event, r *record) {
	switch string(inside(r.subtype)) {
	case "compact_boundary":
		m.comesBack(e)
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

// retried takes a request that failed and that the client repeats.
func (m *talk) retried(e trace.Event, r *record) {
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
	x.Code, x.Head, x.Digest = token(code), head(text, trace.ErrorHead), draft.DigestText(text)
	e.Body = x
	m.b.Add(e)
}

// progress takes what a sub-agent tells while it works: its id, before there is a result.
func (m *talk) progress(r *record) {
	if is(member(r.data, "type"), "agent_progress") {
		m.spawned(jsonl.Text(r.parentCall), token(member(r.data, "agentId")), "")
	}
}

// attached takes what the client put before the model of its own accord, if it is of the conversation.
func (m *talk) attached(e trace.Event, r *record) {
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
			m.say(e, text, wroteContext, r)
		case mode == nil, is(mode, "prompt"): // others have records of their own when their turn comes
			m.say(e, text, wrotePrompt, r)
		}
	case "max_turns_reached":
		n := member(r.attachment, "maxTurns")
		e.Body = &trace.Error{Code: "max_turns_reached", Fatal: true, Head: fmt.Sprintf("the limit of %s turns was reached", token(n))}
		m.b.Add(e)
		m.st.At, m.st.From = failed, "max_turns_reached"
	}
}

// dollars is an amount of money, 0 if raw is none.
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

// settle sets what only the end of the reading tells.
func (m *talk) settle() {
	tr := m.b.Trace()
	tr.Outcome, tr.OutcomeFrom = m.outcome()
	if m.agent == "" && !m.st.Own {
		tr.Lineage.MayCopy = len(tr.Events)
	}
	if m.st.Cost > 0 {
		tr.Extra = json.RawMessage(`{"total_cost_usd":` + strconv.FormatFloat(m.st.Cost, 'f', -1, 64) + `}`)
	}
}

// outcome is how the last turn ended.
func (m *talk) outcome() (trace.Outcome, string) {
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

// openCall is the first call without a result; empty if there is none.
func (m *talk) openCall() string {
	first, at := "", 0
	for id := range m.st.Open {
		if _, c := m.b.Lookup(id); c != nil && (at == 0 || c.Index < at) {
			first, at = id, c.Index
		}
	}
	return first
}
