package codex

import (
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// spawn adds a sub-agent that call started, once.
func (s *session) spawn(e trace.Event, thread, call, description string) {
	if _, known := s.Spawns[thread]; known || thread == "" {
		return
	}
	if s.Spawns == nil {
		s.Spawns = map[string]string{}
	}
	s.Spawns[thread] = call
	e.Body = &trace.SubagentSpawn{Session: thread, Call: call, AgentID: thread, Background: true,
		Description: description}
	s.Add(e)
}

// spawned returns the sub-agent that call started; the first by id, if there are several.
func (s *session) spawned(call string) (thread string) {
	for t, c := range s.Spawns {
		if c == call && call != "" && (thread == "" || t < thread) {
			thread = t
		}
	}
	return thread
}

// activity adds what an item says about a sub-agent: the call that started it has the item's id; later items say how
// it ended.
func (s *session) activity(e trace.Event, it object) {
	id, thread := s.id(it, "id"), it.text("agent_thread_id")
	switch kind := it.text("kind"); kind {
	case "started":
		_, c := s.Lookup(id)
		made := c == nil
		id = s.ensure(e, id, func() *trace.ToolCall { return agentCall(spawnAgent, it.raw("agent_path")) })
		s.spawn(e, thread, id, word(it.raw("agent_path")))
		if made { // code made the call: no output will follow
			s.result(e, trace.ToolResultEvent{Call: id, Message: e.Record, From: trace.FromToolResult,
				Status: trace.StatusRunning, Spawned: thread})
		}
	case "completed", "errored", "failed", "interrupted", "shutdown":
		s.notified(e, thread, kind, content{})
	}
}

// collab adds a call of the first form of sub-agents. The call's output says how it ended; the item, which threads it
// started.
func (s *session) collab(e trace.Event, it object) {
	id, tool := s.id(it, "id"), it.text("tool")
	_, c := s.Lookup(id)
	made := c == nil
	id = s.ensure(e, id, func() *trace.ToolCall { return agentCall(tool, it.raw("prompt")) })
	if tool == spawnAgent {
		jsonl.Elements(it.raw("receiver_thread_ids"), func(thread []byte) bool {
			s.spawn(e, token(thread), id, s.Head(start(it.raw("prompt"), trace.UserHead), trace.UserHead))
			return true
		})
	}
	if !made {
		return
	}
	r := trace.ToolResultEvent{Call: id, Message: e.Record, From: trace.FromToolResult, Spawned: s.spawned(id)}
	setStatus(&r, it.raw("status"))
	if r.Spawned != "" && r.Status == trace.StatusCompleted {
		r.Status, r.IsError = trace.StatusRunning, nil
	}
	s.result(e, r)
}

// startedAgent takes the thread from a call's output where no item names it: {"agent_id": THREAD, …}.
func (s *session) startedAgent(call string, out content) {
	var o object
	if s.spawned(call) == "" && o.parse([]byte(out.start(trace.ErrorHead))) {
		s.spawn(s.newEvent(""), o.text("agent_id"), call, word(o.raw("nickname")))
	}
}

// agentCall makes a call of a sub-agent tool that only an item shows.
func agentCall(tool string, about []byte) *trace.ToolCall {
	if tool == "" {
		tool = spawnAgent
	}
	return &trace.ToolCall{Tool: tool, Type: trace.AgentTool, Input: draft.DigestText(about)}
}

// notified adds one more result to the call that started a sub-agent: how the sub-agent ended.
func (s *session) notified(e trace.Event, thread, how string, said content) {
	call, known := s.Spawns[thread]
	if !known || call == "" {
		return
	}
	r := trace.ToolResultEvent{Call: call, Message: e.Record, AgentID: thread, From: trace.FromNotification,
		Spawned: thread, Content: said.digest()}
	no, yes := false, true
	switch how {
	case "completed":
		r.Status, r.IsError = trace.StatusCompleted, &no
	case "errored", "failed":
		r.Status, r.IsError = trace.StatusErrored, &yes
	case "interrupted", "shutdown":
		r.Status = trace.StatusCancelled
	case "running", "pending_init":
		r.Status = trace.StatusRunning
	default:
		r.Status = trace.StatusUnknown
	}
	s.setHead(&r, said)
	s.result(e, r)
}

// agentMessage adds a message from one agent to another. To this agent it is a task, or the result of a task that it
// gave.
func (s *session) agentMessage(p object) {
	text := contentOf(p.raw("content"))
	machine := "other"
	kind, payload, _ := strings.Cut(text.start(trace.ErrorHead), "\nPayload:\n")
	final := strings.HasPrefix(kind, "Message Type: FINAL_ANSWER")
	if final {
		machine = "task_notification"
	}
	s.addUserText(s.id(p, "id"), text, machine)
	if final && strings.HasPrefix(payload, "Agent errored: ") { // no item says it
		s.notified(s.newEvent(s.id(p, "id")), s.threadOfPath(word(p.raw("author"))), "errored", text)
	}
}

// threadOfPath returns the sub-agent that was started under a path, the last one if there are several.
func (s *session) threadOfPath(path string) (thread string) {
	for _, e := range s.Trace().Events {
		if b, ok := e.Body.(*trace.SubagentSpawn); ok && b.Description == path && b.AgentType == "" {
			thread = b.Session
		}
	}
	return thread
}

// clientMessage adds a message that the client wrote in the user's place. Items hold the other messages.
func (s *session) clientMessage(p object) {
	text := contentOf(p.raw("content"))
	switch word := text.start(trace.UserHead); {
	case strings.HasPrefix(word, "<subagent_notification>"):
		s.addUserText(s.id(p, "id"), text, "task_notification")
		s.agentNotification(s.id(p, "id"), text)
	case strings.HasPrefix(word, "<hook_prompt"):
		s.addUserText(s.id(p, "id"), text, "hook")
	case strings.HasPrefix(word, "<user_shell_command>") && !s.Paginated:
		s.userShell(s.id(p, "id"), text)
	}
}

// agentNotification reads a notification of the first form: {"agent_path": THREAD, "status": {"completed": TEXT}}.
func (s *session) agentNotification(id string, text content) {
	_, inner, _ := strings.Cut(text.start(64<<10), "\n")
	inner, _, _ = strings.Cut(inner, "\n</subagent_notification>")
	var o object
	if !o.parse([]byte(inner)) {
		return
	}
	how, said := token(o.raw("status")), content{}
	if status := o.object("status"); len(status) > 0 {
		how = string(status[0].key)
		said.addValue(status[0].value)
	}
	s.notified(s.newEvent(id), o.text("agent_path"), how, said)
}

// enteredReview opens the turn of a review, which has a thread of its own.
func (s *session) enteredReview(e trace.Event, it object) {
	if !s.Open {
		s.open(e.Turn)
	}
	s.Review = s.Head(start(it.raw("user_facing_hint"), trace.UserHead), trace.UserHead)
}

// noteReviewThread adds the sub-agent of a review, at the first record that is a copy from its thread.
func (s *session) noteReviewThread(e trace.Event) {
	thread := e.Copied
	if _, known := s.Spawns[thread]; known {
		return
	}
	if s.Spawns == nil {
		s.Spawns = map[string]string{}
	}
	s.Spawns[thread] = ""
	e.Copied, e.Inferred = "", "the first record of another thread"
	e.Body = &trace.SubagentSpawn{Session: thread, AgentID: thread, AgentType: "review", Description: s.Review}
	s.Add(e)
}
