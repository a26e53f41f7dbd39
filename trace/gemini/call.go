package gemini

import (
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// addCalls adds the calls of a message that are new, and results of earlier ones.
func (s *session) addCalls(r record, p parts, at trace.Event, id string, made bool) {
	any, open := false, 0
	r.calls.each(func(v value) {
		if x := toolOf(v); x.name != "" {
			s.addResult(s.addCall(x, at, id), x, at)
			if any = true; x.status != "cancelled" {
				open++
			}
		}
	})
	for _, v := range p.calls {
		if x := toolOf(v); x.name != "" && !s.hasCall(token(x.id)) {
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
	id := token(x.id)
	if s.hasCall(id) {
		return id
	}
	c := &trace.ToolCall{Call: id, Tool: x.name, Type: toolType(x), Response: response}
	if x.args.exists() {
		c.Input = draft.Digest(x.args)
	}
	for _, key := range []string{"file_path", "absolute_path", "dir_path", "path"} {
		if path := x.args.get(key).str(); path != "" {
			c.Path = s.path(path)
			break
		}
	}
	if c.Type == trace.ShellTool {
		c.Head = s.head(x.args.get("command").str(), trace.CommandHead)
	}
	s.b.Call(at, c)
	s.calls[c.Call] = ""
	return c.Call
}

// toolType classifies a tool. Tools that come with the client are also known under their earlier names.
func toolType(x tool) trace.ToolType {
	switch x.name {
	case "run_shell_command":
		return trace.ShellTool
	case "read_file", "read_many_files":
		return trace.ReadTool
	case "write_file", "replace":
		return trace.EditTool
	case "glob", "grep_search", "search_file_content", "list_directory":
		return trace.SearchTool
	case "web_fetch", "google_web_search":
		return trace.WebTool
	case "invoke_agent", "delegate_to_agent", "codebase_investigator":
		return trace.AgentTool
	}
	switch {
	case x.agent != "":
		return trace.AgentTool
	case strings.HasPrefix(x.name, "mcp_") || strings.Contains(x.name, "__"):
		return trace.MCPTool
	}
	return trace.OtherTool
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
	if t := when(x.time); !t.IsZero() {
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
	call := token(v.get("id"))
	if status, known := s.calls[call]; call == "" || !known || status != "" {
		return
	}
	_, c := s.b.Lookup(call)
	text := output(v)
	got := verdict(c.Type, text, nil)
	if v.get("response").get("error").exists() {
		got.fail(trace.StatusErrored)
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
	known := start{call: call, agentType: draft.Word(x.args.get("agent_name").str()),
		description: s.head(x.description.str(), trace.UserHead),
		end:         x.display.get("terminateReason").str()}
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
	path := display.get("filePath").str()
	if path == "" {
		path = display.get("fileName").str()
	}
	diff := display.get("fileDiff")
	if path == "" || !diff.exists() {
		return
	}
	f := &trace.FileChange{Path: s.path(path), Action: "modified", Call: call}
	if display.get("isNewFile").isTrue() {
		f.Action = "created"
	}
	stat := display.get("diffStat")
	switch text := diff.str(); {
	case text != "":
		added, removed := draft.CountDiff(text)
		f.Added, f.Removed = &added, &removed
	case stat.isObject():
		added := int(stat.get("model_added_lines").int() + stat.get("user_added_lines").int())
		removed := int(stat.get("model_removed_lines").int() + stat.get("user_removed_lines").int())
		f.Added, f.Removed = &added, &removed
	}
	if content := display.get("newContent"); content.isString() {
		f.Hash = draft.FileHash([]byte(content.str()))
	}
	at.Body = f
	s.b.Add(at)
}
