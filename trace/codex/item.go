package codex

import (
	"time"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// itemCompleted adds an item, the main record of a paginated rollout. An item of another thread is a copy: a review's
// items stand in the rollout that asked for it, too.
func (s *session) itemCompleted(p object) {
	it := s.item
	if len(it) == 0 {
		s.damaged("the record has no item")
		return
	}
	id, kind := s.id(it, "id"), it.word("type")
	e := s.newEvent(id)
	if turn := s.id(p, "turn_id"); turn != "" {
		e.Turn = turn
	}
	if thread := s.id(p, "thread_id"); thread != "" && thread != s.Thread {
		e.Copied = thread
		s.noteReviewThread(e)
	}
	if string(kind) != "ContextCompaction" {
		s.Compacted = ""
	}
	switch string(kind) {
	case "UserMessage":
		s.userMessage(e, it)
	case "AgentMessage":
		text := contentOf(it.raw("content"))
		e.Body = &trace.AgentMessage{Digest: text.digest()}
		s.Add(e)
	case "Reasoning":
		if text := contentOf(it.raw("summary_text")); len(text.parts) > 0 {
			e.Body = &trace.AgentMessage{Digest: text.digest(), Thought: true}
			s.Add(e)
		}
	case "CommandExecution":
		s.command(e, it)
	case "FileChange":
		s.fileChange(e, it)
	case "McpToolCall":
		s.mcp(e, it)
	case "ImageView":
		s.image(e, it)
	case "WebSearch", "ImageGeneration":
		s.hostedItem(e, it, string(kind))
	case "SubAgentActivity":
		s.activity(e, it)
	case "CollabAgentToolCall":
		s.collab(e, it)
	case "ContextCompaction":
		s.compactedItem(id)
	case "EnteredReviewMode":
		s.enteredReview(e, it)
	}
}

// userMessage adds a user's message. In a sub-agent's thread its parent wrote it, in a review's the client.
func (s *session) userMessage(e trace.Event, it object) {
	text := contentOf(it.raw("content"))
	m := &trace.UserMessage{Digest: text.digest(), Head: s.head(text, trace.UserHead)}
	jsonl.Elements(it.raw("content"), func(part []byte) bool {
		var o object
		if o.parse(part) && o.is("type", "skill") {
			m.Command = o.text("name")
		}
		return m.Command == ""
	})
	if s.Child || e.Copied != "" {
		e.By, m.Machine = "client", "other"
	}
	e.Body = m
	s.Add(e)
}

// ensure adds the call of an item that no earlier record showed: code, the user or another thread made it. It returns
// the call's id, and makes one up if the item has none.
func (s *session) ensure(e trace.Event, id string, made func() *trace.ToolCall) string {
	if _, c := s.Lookup(id); c != nil && id != "" {
		return id
	}
	c := made()
	c.Call = id
	if e.Copied == "" && e.By == "" {
		c.Parent = s.container(id)
	}
	s.call(e, c)
	return c.Call
}

// command adds the end of a command.
func (s *session) command(e trace.Event, it object) {
	own := e
	if it.is("source", "user_shell") {
		own.By = "user"
	}
	id := s.ensure(own, s.id(it, "id"), func() *trace.ToolCall { return s.shellCall(execCommand, it.raw("command")) })
	out := contentOf(it.raw("aggregated_output"))
	r := trace.ToolResultEvent{Call: id, Message: e.Record, From: trace.FromToolResult, Content: out.digest(),
		DurationMS: s.duration(it)}
	setStatus(&r, it.raw("status"))
	code, hasCode := jsonl.Int(it.raw("exit_code"))
	if hasCode && code >= 0 {
		n := int(code)
		r.ExitCode = &n
	}
	if r.Status == trace.StatusErrored && (hasCode && code < 0 || s.ends[id].cancelled) {
		r.Status, r.IsError = trace.StatusCancelled, nil // the client calls it failed if an interrupt or its own end killed it
	}
	s.setHead(&r, out)
	s.result(e, r)
}

// mcp adds the end of an MCP tool's call.
func (s *session) mcp(e trace.Event, it object) {
	id := s.ensure(e, s.id(it, "id"), func() *trace.ToolCall {
		tool := mcpPrefix + it.text("server") + "__" + it.text("tool")
		return &trace.ToolCall{Tool: tool, Type: trace.MCPTool, Input: draft.Digest(it.raw("arguments"))}
	})
	result := it.object("result")
	out := contentOf(result.raw("content"))
	if failure := it.object("error"); len(failure) > 0 {
		out.addValue(failure.raw("message"))
	}
	r := trace.ToolResultEvent{Call: id, Message: e.Record, From: trace.FromToolResult, Content: out.digest(),
		DurationMS: s.duration(it)}
	setStatus(&r, it.raw("status"))
	if string(result.raw("isError")) == "true" {
		is := true
		r.Status, r.IsError = trace.StatusErrored, &is
	}
	s.setHead(&r, out)
	s.result(e, r)
}

// image adds a picture that the model was shown. The item does not say how the call ended; an output decides, if there
// is one.
func (s *session) image(e trace.Event, it object) {
	if _, c := s.Lookup(s.id(it, "id")); c != nil {
		return
	}
	id := s.ensure(e, s.id(it, "id"), func() *trace.ToolCall {
		return &trace.ToolCall{Tool: viewImage, Type: trace.ReadTool, Path: s.pathOf(it.raw("path")),
			Input: draft.Digest(it.raw("path"))}
	})
	s.result(e, trace.ToolResultEvent{Call: id, Message: e.Record, From: trace.FromToolResult,
		Status: trace.StatusCompleted, Content: draft.Digest(nil)})
}

// hostedItem adds a call that the provider ran.
func (s *session) hostedItem(e trace.Event, it object, kind string) {
	tool := "web_search"
	if kind == "ImageGeneration" {
		tool = "image_generation"
	}
	id := s.ensure(e, s.id(it, "id"), func() *trace.ToolCall {
		return &trace.ToolCall{Tool: tool, Type: toolType(tool, false), Input: draft.DigestText(it.raw("query"))}
	})
	r := trace.ToolResultEvent{Call: id, Message: e.Record, From: trace.FromToolResult}
	setStatus(&r, it.raw("status"))
	if r.Status == trace.StatusUnknown {
		r.Status = trace.StatusCompleted // item_completed says so
	}
	s.result(e, r)
}

// duration returns how long an item took in milliseconds, without the wait for an approval.
func (s *session) duration(it object) int64 {
	d := &s.inner
	d.parse(it.raw("duration"))
	return (time.Duration(d.int("secs"))*time.Second + time.Duration(d.int("nanos"))).Milliseconds()
}
