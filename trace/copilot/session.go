package copilot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace"
	"aburn/trace/draft"
)

// session is the trace of a session, or of a sub-agent in its file.
type session struct {
	b      *draft.Builder
	file   *reading
	id     string // of the trace
	agent  string // the sub-agent's id, "" for the session itself
	branch string // the git branch

	// Of a sub-agent: who started it with which call, and how it ended.
	caller, call, agentType, description, ended string

	open      map[string]*openCall
	responses map[string]bool // the answers whose text has come, by id
	forced    string          // with what a hook made the turn go on, until that stands as a prompt
	tail      tail
}

// tail is what the records end with, so far.
type tail string

const (
	prompt   tail = "the file ends with a prompt that nothing answers"
	results  tail = "the file ends with results of tools that nothing answers"
	calls    tail = "the file ends with calls that have no results"
	answered tail = "an answer without calls ends the turn"
	failure  tail = "an error of the provider ends the turn"
	aborted  tail = "the turn was aborted"
)

func newSession(f *reading, id, agent string) *session {
	return &session{b: draft.New(name, id, name, f.path), file: f, id: id, agent: agent, open: map[string]*openCall{}, responses: map[string]bool{}}
}

// head is draft.Head as a copy, which does not keep the record in memory. It also hides what other texts of the session
// gave away.
func (s *session) head(text string, max int) string { return strings.Clone(s.b.Head(text, max)) }

func (s *session) path(path string) string {
	return strings.Clone(draft.Path(path, s.b.Trace().Project.Path))
}

func (s *session) mark(at trace.Event, m trace.Session) {
	at.Body = &m
	s.b.Add(at)
}

// record adds a record.
func (s *session) record(r record, at trace.Event) {
	d := r.data
	switch r.kind {
	case "session.start":
		s.started(d, at)
	case "session.resume":
		s.mark(at, trace.Session{Marker: trace.Resumed})
	case "session.shutdown":
		s.mark(at, trace.Session{Marker: trace.Ended, Detail: token(d.Get("shutdownType").Str)})
	case "session.model_change":
		if before, now := d.Get("previousModel").Str, d.Get("newModel").Str; before != "" && before != now {
			s.mark(at, trace.Session{Marker: trace.ModelChanged, Model: token(now)})
		}
	case "session.context_changed":
		s.branch = cmp.Or(strings.Clone(d.Get("branch").Str), s.branch)
	case "session.compaction_complete":
		s.compacted(d, at)
	case "session.usage_record":
		s.bill(d.Get("usage"), at)
	case "session.error":
		s.addError(d, at)
	case "user.message":
		s.userMessage(d, at)
	case "assistant.message":
		s.answer(d, at)
	case "assistant.turn_end":
		s.refusals(at)
	case "abort":
		s.abort(d, at)
	case "hook.end":
		s.hooked(d, at)
	case "system.notification":
		s.notified(d, at)
	case "subagent.started":
		s.spawned(d, at)
	case "subagent.completed", "subagent.failed":
		s.finished(r, at)
	default:
		s.callRecord(r, at)
	}
}

func (s *session) started(d gjson.Result, at trace.Event) {
	t := s.b.Trace()
	t.Agent.Version = token(d.Get("copilotVersion").Str)
	t.Project.Path = strings.Clone(d.Get("context.cwd").Str)
	s.branch = strings.Clone(d.Get("context.branch").Str)
	s.mark(at, trace.Session{Marker: trace.Started, Model: token(d.Get("selectedModel").Str)})
	if parent := d.Get("detachedFromSpawningParentSessionId").Str; parent != "" {
		s.b.Relate(trace.SessionRelationship{Kind: trace.Continuation, Related: strings.Clone(parent), Provenance: trace.Explicit})
	}
}

// userMessage adds a prompt, or what a program says in its place.
func (s *session) userMessage(d gjson.Result, at trace.Event) {
	text, machine := d.Get("content").Str, s.machine(d)
	body := &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.UserHead), Machine: machine}
	if machine != "" {
		at.By = "client"
	} else {
		body.Command = s.command(text)
	}
	at.Body = body
	s.b.Add(at)
	s.tail = prompt
}

// machine classifies a message that no person wrote; "" if a person did. A sub-agent's come from the model that called it.
func (s *session) machine(d gjson.Result) string {
	source := d.Get("source").Str
	switch {
	case s.forced != "" && d.Get("content").Str == s.forced:
		s.forced = ""
		return "hook"
	case strings.HasPrefix(source, "skill-"):
		return "context"
	case s.agent != "", source != "" && source != "user", d.Get("isAutopilotContinuation").Bool():
		return "other"
	}
	return ""
}

// command returns the slash command in a prompt, or "".
func (s *session) command(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if len(word) < 2 || len(word) > 60 || word[0] != '/' || strings.ContainsAny(word[1:], "/\n.") {
		return ""
	}
	return s.head(word, 60)
}

// hooked adds what a hook said to the model, and remembers with what it made the turn go on.
func (s *session) hooked(d gjson.Result, at trace.Event) {
	out := d.Get("output")
	if out.Get("decision").Str == "block" && strings.HasSuffix(d.Get("hookType").Str, "Stop") {
		s.forced = strings.Clone(out.Get("reason").Str)
	}
	if text := out.Get("additionalContext").Str; text != "" {
		at.By, at.Body = "client", &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.UserHead), Machine: "hook"}
		s.b.Add(at)
	}
}

// answer adds what the model wrote and called. A message without a model is the client's own: it calls a tool on the
// model's behalf, to show it what came in the background.
func (s *session) answer(d gjson.Result, at trace.Event) {
	first := len(s.b.Trace().Events)
	id := token(cmp.Or(d.Get("apiCallId").Str, d.Get("messageId").Str))
	ours := d.Get("model").Str == "" && d.Get("apiCallId").Str == ""
	if ours {
		at.By, id = "client", ""
	}
	add := func(text string, thought bool) {
		if text != "" {
			at.Body = &trace.AgentMessage{Digest: draft.Digest([]byte(text)), Thought: thought, Response: id}
			s.b.Add(at)
		}
	}
	add(d.Get("reasoningText").Str, true)
	add(d.Get("content").Str, false)
	requests := d.Get("toolRequests").Array()
	for _, call := range requests {
		s.addCall(callOf(call, "name"), at, id)
	}
	if !ours {
		s.respond(id, d, at, first)
	}
	if s.tail = calls; len(requests) == 0 {
		s.tail = answered
	}
}

// respond adds the answer as a response, or ties it to that of its bill. The parts of one answer have one id.
func (s *session) respond(id string, d gjson.Result, at trace.Event, first int) {
	if s.responses[id] {
		return
	}
	s.responses[id] = true
	t := s.b.Trace()
	event := min(first+1, len(t.Events))
	if i := slices.IndexFunc(t.Responses, func(r trace.Response) bool { return r.ID == id }); i >= 0 {
		t.Responses[i].Event = event
		return
	}
	s.b.Response(trace.Response{ID: id, Model: token(d.Get("model").Str), Branch: s.branch, Time: at.Time, Ref: at.Ref, Event: event})
}

// bill adds an answer as a response. The bill comes before the answer. A session that branched off names whose it was.
func (s *session) bill(u gjson.Result, at trace.Event) {
	id := token(cmp.Or(u.Get("apiCallId").Str, u.Get("providerCallId").Str))
	if id == "" {
		id = at.Record
	}
	r := trace.Response{ID: id, Model: token(u.Get("model").Str), Branch: s.branch, Time: at.Time, Usage: usage(u), Ref: at.Ref, Event: len(s.b.Trace().Events)}
	if of := u.Get("accounting.sourceSessionId").Str; s.agent == "" && of != "" && of != s.id {
		r.Copied = token(of)
	}
	s.b.Response(r)
}

// usage maps costs. The client counts cached tokens as input.
func usage(u gjson.Result) trace.Usage {
	count := func(key string) int64 { return max(u.Get(key).Int(), 0) }
	x := trace.Usage{CacheRead: count("cacheReadTokens"), CacheWrite: count("cacheWriteTokens"), Output: count("outputTokens"),
		Reasoning: count("reasoningTokens")}
	x.Input = max(count("inputTokens")-x.CacheRead-x.CacheWrite, 0)
	x.Reasoning = min(x.Reasoning, x.Output)
	return x
}

// compacted adds a compaction, and what it cost, which has no other bill.
func (s *session) compacted(d gjson.Result, at trace.Event) {
	if d.Get("success").Bool() {
		s.mark(at, trace.Session{Marker: trace.Compacted, Detail: token(d.Get("trigger").Str)})
	}
	if u := d.Get("compactionTokensUsed"); u.IsObject() {
		id := cmp.Or(token(d.Get("compactionAttemptId").Str), at.Record)
		s.b.Response(trace.Response{ID: id, Model: token(u.Get("model").Str), Branch: s.branch, Time: at.Time, Usage: usage(u), Ref: at.Ref,
			Event: len(s.b.Trace().Events)})
	}
}

// addError adds a failure of the provider. It ends the turn, unless the client goes on with another model.
func (s *session) addError(d gjson.Result, at trace.Event) {
	text := d.Get("message").Str
	status := d.Get("statusCode").Int()
	if status < 0 || status > 999 {
		status = 0
	}
	fatal := !d.Get("eligibleForAutoSwitch").Bool()
	at.Body = &trace.Error{Code: token(d.Get("errorType").Str), Status: int(status), Fatal: fatal, Digest: draft.Digest([]byte(text)),
		Head: s.head(text, trace.ErrorHead)}
	s.b.Add(at)
	if fatal {
		s.tail = failure
	}
}

// spawned adds a sub-agent to the trace of its caller. The record is the sub-agent's own.
func (s *session) spawned(d gjson.Result, at trace.Event) {
	if s.agent == "" || s.call != "" {
		return
	}
	caller := s.file.root
	if parent := s.file.agents[d.Get("parentId").Str]; parent != nil && parent != s {
		caller = parent
	}
	s.caller, s.call = caller.id, token(d.Get("toolCallId").Str)
	s.agentType = draft.Word(strings.Clone(cmp.Or(d.Get("agentType").Str, d.Get("agentName").Str)))
	s.description = s.head(d.Get("agentDescription").Str, trace.UserHead)
	at.Body = &trace.SubagentSpawn{Session: draft.SessionID(s.id), Call: s.call, AgentID: draft.Token(s.agent), AgentType: s.agentType,
		Description: s.description, Background: d.Get("executionMode").Str == "background"}
	caller.b.Add(at)
	if c := caller.open[s.call]; c != nil {
		c.spawned = draft.SessionID(s.id)
	}
}

// finished notes how a sub-agent ended, which also ends a call that runs on in the background.
func (s *session) finished(r record, at trace.Event) {
	if s.agent == "" {
		return
	}
	status := trace.StatusCompleted
	switch {
	case r.kind == "subagent.failed":
		s.ended, status = "failed", trace.StatusErrored
	case r.data.Get("cancelled").Bool():
		s.ended, status = "cancelled", trace.StatusCancelled
	default:
		s.ended = "completed"
	}
	caller := s.file.owners[s.call]
	if caller == nil {
		return
	}
	if c := caller.open[s.call]; c != nil && c.running {
		caller.end(c, judged{ToolResultEvent: trace.ToolResultEvent{Status: status, From: trace.FromNotification}, text: r.data.Get("error").Str}, at)
	}
}

// notified adds what the client reports of work in the background, and ends the command that it reports.
func (s *session) notified(d gjson.Result, at trace.Event) {
	text, kind := d.Get("content").Str, d.Get("kind")
	at.By, at.Body = "client", &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.UserHead), Machine: "task_notification"}
	s.b.Add(at)
	if kind.Get("type").Str != "shell_completed" {
		return
	}
	c := s.open[s.file.shells[kind.Get("shellId").Str]]
	if c == nil || !c.running {
		return
	}
	j := judged{ToolResultEvent: trace.ToolResultEvent{Status: trace.StatusCompleted, From: trace.FromNotification}, text: text}
	if code := kind.Get("exitCode"); code.Type == gjson.Number {
		j.exited(int(code.Int()))
	}
	at.By = ""
	s.end(c, j, at)
}

// abort ends what runs. It stands once, in the session's name, for its sub-agents too.
func (s *session) abort(d gjson.Result, at trace.Event) {
	s.refusals(at)
	interrupt := &trace.Interrupt{Reason: token(d.Get("reason").Str)}
	for _, x := range s.file.order {
		for _, c := range x.unfinished() {
			if x == s && interrupt.Call == "" {
				interrupt.Call = c.id
			}
			stopped := at
			stopped.Inferred = "an abort behind a call without an end"
			x.end(c, judged{ToolResultEvent: trace.ToolResultEvent{Status: trace.StatusCancelled, From: trace.FromProgress}}, stopped)
		}
	}
	at.Body = interrupt
	s.b.Add(at)
	for _, x := range s.file.order {
		if x.tail == calls || x.tail == prompt || x.tail == results || x == s {
			x.tail = aborted
		}
	}
}

// outcome says how the last turn ended.
func (s *session) outcome() (trace.Outcome, string) {
	switch s.ended {
	case "completed":
		return trace.Completed, "subagent.completed"
	case "failed":
		return trace.Errored, "subagent.failed"
	case "cancelled":
		return trace.Interrupted, "subagent.completed, cancelled"
	}
	switch s.tail {
	case answered:
		return trace.Completed, string(s.tail)
	case failure:
		return trace.Errored, string(s.tail)
	case aborted:
		return trace.Interrupted, string(s.tail)
	case prompt, results, calls:
		return trace.Killed, string(s.tail)
	}
	return trace.Unknown, ""
}
