package qwen

import (
	"cmp"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/genai"
)

// session is the trace of one file being read: a session's, or a sub-agent's.
type session struct {
	b     *draft.Builder
	store *storeReading
	id    string // the session's, also for a sub-agent
	agent string // the sub-agent's id, "" for the session itself
	meta  meta   // of a sub-agent

	calls     map[string]trace.Status // status of each call, "" while it has none
	spawns    map[string]int          // Seq of the sub-agent's start, by its call
	ends      map[string]int          // how many events there were behind each record, by its uuid
	billed    string                  // id of the answer that was billed and whose text has not come
	unbilled  *trace.Usage            // of the last answer, if its bill has not come
	bare      int                     // Seq of the event that comes next, if the last answer has no event yet
	tail      tail
	open      int  // calls since the last answer that were not cancelled
	interrupt bool // the turn has an interrupt
}

// tail is what a file ends with, so far.
type tail string

const (
	prompt   tail = "the file ends with a prompt that nothing answers"
	results  tail = "the file ends with results of tools that nothing answers"
	calls    tail = "the file ends with calls that have no results"
	answer   tail = "an answer"
	failure  tail = "an error of the provider ends the turn"
	refusals tail = "the last calls were cancelled"
)

func newSession(f *storeReading, path string, r record) *session {
	s := &session{store: f, id: r.session.Str(), agent: r.agent.Str(), calls: map[string]trace.Status{}, spawns: map[string]int{}, ends: map[string]int{}}
	if s.agent != "" {
		s.meta = readMeta(path)
	}
	s.b = draft.New(name, s.traceID(s.agent), name, path)
	s.b.Trace().Project.Path = r.cwd.Str()
	return s
}

// traceID returns the id of the session's trace, or of the trace of a sub-agent in it.
func (s *session) traceID(agent string) string {
	if agent == "" {
		return s.id
	}
	return s.id + "/" + agent
}

// head is draft.Head as a copy, which does not keep the record in memory. It also hides what other texts of the session
// gave away.
func (s *session) head(text string, max int) string { return strings.Clone(s.b.Head(text, max)) }

func (s *session) path(path string) string {
	return strings.Clone(draft.Path(path, s.b.Trace().Project.Path))
}

// record adds a record.
func (s *session) record(r record, ref trace.Ref) {
	if v := r.version.Str(); v != "" {
		s.b.Trace().Agent.Version = v
	}
	at := trace.Event{Time: draft.TimeMS(r.time), Ref: ref, Record: draft.Token(r.uuid.ID()), Copied: r.copied()}
	if at.Copied != "" {
		s.b.Relate(trace.SessionRelationship{Kind: trace.Fork, Related: at.Copied, Provenance: trace.Explicit})
	}
	switch r.kind.Str() {
	case "user":
		s.userMessage(r, at)
	case "assistant":
		s.answer(r, at)
	case "tool_result":
		s.results(r, at)
	case "system":
		s.system(r, at)
	}
	s.ends[r.uuid.Str()] = len(s.b.Trace().Events)
}

// userMessage adds a prompt, or what the program says in its place.
func (s *session) userMessage(r record, at trace.Event) {
	p := genai.Split(r.message.Get("parts"))
	text, machine := p.Text, s.machine(r)
	if shown := r.payload.Get("displayText"); machine == "" && shown.IsString() {
		text = shown.Str() // without what hooks and files added
	}
	if text == "" && !p.Media {
		return
	}
	body := &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.UserHead), Machine: machine}
	if machine != "" {
		at.By = "client"
	} else {
		body.Command = s.head(genai.Command(text), 60)
	}
	at.Body = body
	s.b.Add(at)
	s.tail, s.open, s.interrupt = prompt, 0, false
	if hook := r.payload.Get("hookContext").Str(); hook != "" {
		at.By, at.Body = "client", &trace.UserMessage{Digest: draft.Digest([]byte(hook)), Head: s.head(hook, trace.UserHead), Machine: "hook"}
		s.b.Add(at)
	}
	if machine == "task_notification" {
		s.notified(text, at)
	}
}

// machine classifies a message that no person wrote; "" if a person did. A sub-agent's come from the model that called it.
func (s *session) machine(r record) string {
	switch r.subtype.Str() {
	case "notification":
		return "task_notification"
	case "cron", "goal_runtime":
		return "other"
	case "", "mid_turn_user_message", "realtime_message":
		if s.agent != "" || r.provenance.Exists() && r.provenance.Str() != "real_user" {
			return "other"
		}
		return ""
	}
	return "other"
}

// answer adds what the model wrote and called. A sub-agent's calls have records of their own behind it.
func (s *session) answer(r record, at trace.Event) {
	first := len(s.b.Trace().Events)
	p := genai.Split(r.message.Get("parts"))
	id := s.respond(r, at, first, len(p.Calls) > 0)
	add := func(text string, thought bool) {
		if text != "" {
			at.Body = &trace.AgentMessage{Digest: draft.Digest([]byte(text)), Thought: thought, Response: id}
			s.b.Add(at)
		}
	}
	add(p.Thought, true)
	add(p.Text, false)
	if p.Text != "" {
		s.tail, s.open = answer, 0
	}
	for _, call := range p.Calls {
		s.addCall(call, at, id)
	}
}

// respond adds the answer as a response, and returns its id. The bill, which has the provider's id, comes before it.
func (s *session) respond(r record, at trace.Event, first int, called bool) string {
	t := s.b.Trace()
	if !r.usage.IsObject() && s.billed == "" {
		if n := len(t.Responses); called && n > 0 && s.agent != "" { // the record of a call alone
			last := &t.Responses[n-1]
			last.Event = cmp.Or(s.bare, last.Event)
			s.bare = 0
			return last.ID
		}
		if r.model.Str() == "" {
			return at.Record
		}
	}
	x := trace.Response{ID: at.Record, Model: draft.Token(r.model.ID()), Branch: draft.Token(r.branch.ID()), Time: at.Time, Usage: usageOf(r.usage), Ref: at.Ref,
		Event: first + 1, Copied: at.Copied}
	if s.billed != "" {
		x.ID, s.billed = s.billed, ""
	} else {
		s.unbilled = &x.Usage
	}
	if s.bare = 0; !holds(r.message.Get("parts")) {
		x.Event, s.bare = first, first+1
	}
	s.b.Response(x)
	for i := len(t.Responses) - 1; i >= 0; i-- {
		if t.Responses[i].ID == x.ID {
			t.Responses[i].Event, t.Responses[i].Branch = x.Event, x.Branch
			break
		}
	}
	return x.ID
}

// holds reports whether v is an array that is not empty.
func holds(v value) (some bool) {
	v.Each(func(value) { some = true })
	return some
}

// usageOf maps the costs in an answer. The client counts cached tokens as input.
func usageOf(v value) trace.Usage {
	return usage(v.Get("promptTokenCount").Count(), v.Get("candidatesTokenCount").Count(), v.Get("cachedContentTokenCount").Count(),
		v.Get("thoughtsTokenCount").Count(), v.Get("totalTokenCount").Count())
}

// usage maps costs. Whether thoughts are a part of the output depends on the provider; the total shows it.
func usage(input, output, cached, thoughts, total int64) trace.Usage {
	if thoughts > 0 && input+output+thoughts == total || thoughts > output {
		output += thoughts
	}
	return trace.Usage{Input: max(input-cached, 0), CacheRead: cached, Output: output, Reasoning: thoughts}
}

// system adds what a record of the program tells.
func (s *session) system(r record, at trace.Event) {
	switch r.subtype.Str() {
	case "ui_telemetry":
		s.telemetry(r.payload.Get("uiEvent"), at)
	case "chat_compression":
		at.Body = &trace.Session{Marker: trace.Compacted, Detail: draft.Token(r.payload.Get("info").Get("triggerReason").ID())}
		s.b.Add(at)
	case "rewind":
		s.rewind(r.parent.Str())
	case "parent_session":
		if parent := r.payload.Get("parentSessionId").Str(); parent != "" && s.agent == "" {
			s.b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: parent, Provenance: trace.Explicit})
		}
	}
}

// telemetry takes what the client counts. It writes the bill of each answer before the answer.
func (s *session) telemetry(x value, at trace.Event) {
	switch x.Get("event.name").Str() {
	case "qwen-code.api_response":
		s.bill(x, at)
	case "qwen-code.api_error":
		if x.Get("subagent_id").Str() == "" {
			s.addError(x, at)
		}
	}
}

// bill adds an answer as a response. Answers to sub-agents that have a trace stand there. Others, such as those to the
// client's own helpers, stand nowhere else.
func (s *session) bill(x value, at trace.Event) {
	u := usage(x.Get("input_token_count").Count(), x.Get("output_token_count").Count(), x.Get("cached_content_token_count").Count(),
		x.Get("thoughts_token_count").Count(), x.Get("total_token_count").Count())
	agent := x.Get("subagent_id").Str()
	switch {
	case agent != "" && s.store.traced(s.traceID(agent), agent):
		return
	case agent == "" && s.unbilled != nil && *s.unbilled == u: // the answer stands before its bill
		s.unbilled = nil
		return
	}
	id := draft.Token(x.Get("response_id").ID())
	if id == "" {
		id = at.Record
	}
	s.b.Response(trace.Response{ID: id, Model: draft.Token(x.Get("model").ID()), Time: at.Time, Usage: u, Ref: at.Ref, Event: len(s.b.Trace().Events),
		Copied: at.Copied})
	if agent == "" {
		s.billed = id
	}
}

// addError adds a failure of the provider. A turn that goes on has an answer behind it, so this one may be the end.
func (s *session) addError(x value, at trace.Event) {
	text := x.Get("error_message").Str()
	status, _ := x.Get("status_code").Int()
	if status < 0 || status > 999 {
		status = 0
	}
	at.Body = &trace.Error{Code: draft.Token(x.Get("error_type").ID()), Status: int(status),
		Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.ErrorHead)}
	s.b.Add(at)
	s.tail = failure
}

// rewind abandons everything behind the record with this uuid; with "" it abandons the whole conversation. What stands
// behind a record that is not here stays.
func (s *session) rewind(uuid string) {
	events := s.b.Trace().Events
	end, known := s.ends[uuid]
	if uuid == "" {
		end, known = min(1, len(events)), true // the start stays
	}
	if !known {
		return
	}
	for i := end; i < len(events); i++ {
		events[i].Abandoned = true
	}
	s.tail = answer
}

// inFolder is the evidence for a sub-agent that no call names.
const inFolder = "a file in the session's folder"

// relate relates a sub-agent to its caller, which is nil if its file is not here.
func (s *session) relate(caller *session) {
	s.b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: s.traceID(s.meta.parent), AgentID: s.agent, Provenance: trace.Explicit,
		ParentCall: s.meta.call, AgentType: s.meta.agentType, Description: s.head(s.meta.description, trace.UserHead)})
	if caller == nil {
		return
	}
	t := caller.b.Trace()
	call := draft.Token(s.meta.call)
	if seq := caller.spawns[call]; seq > 0 {
		spawn := t.Events[seq-1].Body.(*trace.SubagentSpawn)
		spawn.Session, spawn.AgentID, spawn.NotStarted = draft.SessionID(s.traceID(s.agent)), draft.Token(s.agent), false
		for i := range t.Results {
			if t.Results[i].Call == call {
				t.Results[i].Spawned = spawn.Session
			}
		}
		return
	}
	first := &s.b.Trace().Sources[0]
	caller.b.Add(trace.Event{Time: s.b.Trace().Events[0].Time, Ref: trace.Ref{File: caller.b.File(first.Path, first.How), Line: 1}, Inferred: inFolder,
		Body: &trace.SubagentSpawn{Session: s.traceID(s.agent), AgentID: s.agent, AgentType: s.meta.agentType,
			Description: s.head(s.meta.description, trace.UserHead)}})
}

func (s *session) damaged(ref trace.Ref, why string) {
	t := s.b.Trace()
	d := trace.Damage{Ref: ref, Reason: why}
	t.Damaged = append(t.Damaged, d)
	s.store.sink.Damaged(d)
}

func (s *session) finish() (*trace.SessionTrace, error) {
	t := s.b.Trace()
	t.Outcome, t.OutcomeFrom = s.outcome()
	return s.b.Finish()
}

// outcome says how the session ended. Of a sub-agent the client notes it. Of a session it notes nothing: a turn that ends
// with an answer may have gone on, because the file lags behind what the client does.
func (s *session) outcome() (trace.Outcome, string) {
	noted := "status " + s.meta.status + " in the notes about the sub-agent"
	switch s.meta.status {
	case "completed":
		return trace.Completed, noted
	case "failed":
		return trace.Errored, noted
	case "cancelled":
		return trace.Interrupted, noted
	}
	switch {
	case s.tail == results && s.open == 0:
		return trace.Interrupted, string(refusals)
	case s.tail == prompt || s.tail == results || s.tail == calls:
		return trace.Killed, string(s.tail)
	case s.tail == failure:
		return trace.Errored, string(s.tail)
	}
	return trace.Unknown, ""
}
