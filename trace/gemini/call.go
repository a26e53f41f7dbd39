package gemini

import (
	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/genai"
)

// addCalls adds the calls of a message that are new, and results of earlier ones.
func (s *session) addCalls(r record, p genai.Parts, at trace.Event, id string, made bool) {
	any, open := false, 0
	r.calls.Each(func(v value) {
		if x := toolOf(v); x.name != "" {
			s.addResult(s.addCall(x, at, id), x, at)
			if any = true; x.status != "cancelled" {
				open++
			}
		}
	})
	for _, v := range p.Calls {
		if x := toolOf(v); x.name != "" && !s.hasCall(draft.Token(x.id.ID())) {
			s.addCall(x, at, id)
			any = true
			open++
		}
	}
	if any {
		s.setTail(calls, made)
		s.open = open
	}
}

func (s *session) hasCall(call string) bool {
	_, known := s.calls[call]
	return known && call != ""
}

// addCall adds a call, once, and returns its id.
func (s *session) addCall(x tool, at trace.Event, response string) string {
	id := draft.Token(x.id.ID())
	if s.hasCall(id) {
		return id
	}
	c := &trace.ToolCall{Call: id, Tool: x.name, Type: toolType(x), Response: response}
	if x.args.Exists() {
		c.Input = draft.Digest(x.args)
	}
	if path := genai.FilePath(x.args); path != "" {
		c.Path = s.path(path)
	}
	if c.Type == trace.ShellTool {
		c.Head = s.head(x.args.Get("command").Str(), trace.CommandHead)
	}
	s.b.Call(at, c)
	s.calls[c.Call] = ""
	return c.Call
}

// toolType classifies a tool.
func toolType(x tool) trace.ToolType {
	t := genai.ToolType(x.name)
	if x.agent != "" && (t == trace.MCPTool || t == trace.OtherTool) {
		return trace.AgentTool
	}
	return t
}

// addResult adds a call's result and its consequences. Calls are written when they have ended; one that is written
// again adds a result only if its status changed.
func (s *session) addResult(call string, x tool, at trace.Event) {
	_, c := s.b.Lookup(call)
	if c == nil || s.calls[call] != "" && s.words[call] == x.status {
		return
	}
	s.words[call] = x.status
	text := output(x.result)
	got, ended := judge(c.Type, x, text)
	if !ended || s.calls[call] == got.Status {
		return
	}
	repeated := s.calls[call] != ""
	s.calls[call] = got.Status
	if t := draft.TimeMS(x.time); !t.IsZero() {
		at.Time = t
	}
	child := x.agent
	if child != "" && !repeated {
		s.addSpawn(call, child, x, at)
	}
	got.Call, got.Message, got.From, got.Content = call, at.Record, trace.FromToolResult, draft.Digest([]byte(text))
	if got.Failed() {
		got.Head = s.head(text, trace.ErrorHead)
	}
	if s.child {
		got.AgentID = s.id
	}
	if child != "" {
		got.Spawned = s.childID(child)
	}
	s.b.Result(at, got)
	if x.status == "success" {
		s.addFileChange(call, x.display, at)
		s.finished = s.finished || s.child && c.Tool == "complete_task"
	}
}

// addResponseOf adds a result that only a message to the model holds.
func (s *session) addResponseOf(v value, at trace.Event) {
	call := draft.Token(v.Get("id").ID())
	if status, known := s.calls[call]; call == "" || !known || status != "" {
		return
	}
	_, c := s.b.Lookup(call)
	text := output(v)
	got := verdict(c.Type, text, nil)
	if v.Get("response").Get("error").Exists() {
		got.Fail(trace.StatusErrored)
	}
	s.calls[call] = got.Status
	got.Call, got.Message, got.From, got.Content = call, at.Record, trace.FromFunctionCallOutput, draft.Digest([]byte(text))
	if got.Failed() {
		got.Head = s.head(text, trace.ErrorHead)
	}
	s.b.Result(at, got.ToolResultEvent)
}

// addSpawn adds the start of a sub-agent, whose session has the id child.
func (s *session) addSpawn(call, child string, x tool, at trace.Event) {
	known := start{call: call, agentType: draft.Word(x.args.Get("agent_name").Str()),
		description: s.head(x.description.Str(), trace.UserHead),
		end:         x.display.Get("terminateReason").Str()}
	s.store.started[child] = known
	at.Body = &trace.SubagentSpawn{Session: s.childID(child), Call: call, AgentID: child,
		AgentType: known.agentType, Description: known.description}
	s.b.Add(at)
}

// childID is the trace id of a sub-agent.
func (s *session) childID(id string) string {
	return (&session{id: id, child: true, parent: s.id}).traceID()
}

// addFileChange adds a file change. A refused call's display holds a change that never happened.
func (s *session) addFileChange(call string, display value, at trace.Event) {
	path := display.Get("filePath").Str()
	if path == "" {
		path = display.Get("fileName").Str()
	}
	diff := display.Get("fileDiff")
	if path == "" || !diff.Exists() {
		return
	}
	f := &trace.FileChange{Path: s.path(path), Action: "modified", Call: call}
	if display.Get("isNewFile").IsTrue() {
		f.Action = "created"
	}
	stat := display.Get("diffStat")
	switch text := diff.Str(); {
	case text != "":
		added, removed := draft.CountDiff(text)
		f.Added, f.Removed = &added, &removed
	case stat.IsObject():
		added := int(stat.Get("model_added_lines").Count() + stat.Get("user_added_lines").Count())
		removed := int(stat.Get("model_removed_lines").Count() + stat.Get("user_removed_lines").Count())
		f.Added, f.Removed = &added, &removed
	}
	if content := display.Get("newContent"); content.IsString() {
		f.Hash = draft.FileHash([]byte(content.Str()))
	}
	at.Body = f
	s.b.Add(at)
}
