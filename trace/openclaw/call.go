package openclaw

import (
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace"
	"aburn/trace/draft"
)

// call makes a tool call, without adding it.
func (s *session) call(id, tool string, args gjson.Result) *trace.ToolCall {
	c := &trace.ToolCall{Call: token(id), Tool: token(tool), Type: toolType(tool)}
	if args.Exists() {
		c.Input = draft.Digest([]byte(args.Raw))
	}
	for _, key := range []string{"path", "file_path", "filePath"} {
		if path := args.Get(key).Str; path != "" {
			c.Path = s.path(path)
			break
		}
	}
	switch {
	case c.Type == trace.ShellTool:
		c.Head = s.head(args.Get("command").String(), trace.CommandHead)
	case tool == "write" && args.Get("content").Type == gjson.String:
		s.expected[c.Call] = draft.FileHash([]byte(args.Get("content").Str))
	case c.Type == trace.AgentTool:
		s.expected[c.Call] = s.head(args.Get("label").Str, trace.UserHead)
	}
	return c
}

func toolType(tool string) trace.ToolType {
	switch tool {
	case "exec", "bash", "shell":
		return trace.ShellTool
	case "read":
		return trace.ReadTool
	case "write", "edit", "apply_patch":
		return trace.EditTool
	case "grep", "find", "ls", "glob":
		return trace.SearchTool
	case "web_search", "web_fetch", "browser":
		return trace.WebTool
	case "sessions_spawn":
		return trace.AgentTool
	}
	if strings.Contains(tool, "__") {
		return trace.MCPTool
	}
	return trace.OtherTool
}

// nestedCall adds a call that was made from within another one, and its result.
func (s *session) nestedCall(d gjson.Result, at trace.Event) {
	if d.Get("toolName").Str == "" {
		return
	}
	c := s.call(d.Get("toolCallId").Str, d.Get("toolName").Str, d.Get("input"))
	c.Parent = token(d.Get("parentToolCallId").Str)
	begun := at
	if t := d.Get("startedAt"); t.Type == gjson.Number {
		begun.Time = stamp(t)
	}
	s.b.Call(begun, c)
	if end := d.Get("timestamp"); end.Type == gjson.Number {
		at.Time = stamp(end)
	}
	s.addCallEnd(c, d.Get("result.content"), d.Get("result.details"), d.Get("isError"), at)
}

func (s *session) toolResult(call string, m gjson.Result, at trace.Event) {
	delete(s.open, token(call))
	_, c := s.b.Lookup(token(call))
	if c == nil {
		c = &trace.ToolCall{Call: token(call), Tool: m.Get("toolName").Str, Type: toolType(m.Get("toolName").Str)}
	}
	if c.Call != "" {
		s.addCallEnd(c, m.Get("content"), m.Get("details"), m.Get("isError"), at)
	}
}

// addCallEnd adds the result of the call c, and its sub-agents and file changes.
func (s *session) addCallEnd(c *trace.ToolCall, content, details, isError gjson.Result, at trace.Event) {
	said := text(content)
	r := trace.ToolResultEvent{Call: c.Call, Message: at.Record, From: trace.FromToolResult,
		Content: draft.Digest([]byte(said)), DurationMS: max(details.Get("durationMs").Int(), 0)}
	if s.child {
		r.AgentID = token(s.key)
	}
	judge(&r, c.Tool, details)
	if isError.IsBool() {
		is := isError.Bool()
		r.IsError = &is
		if is && r.Status == trace.StatusCompleted {
			r.Status = trace.StatusErrored
		}
	}
	if key := strings.Clone(details.Get("childSessionKey").Str); key != "" && c.Tool == "sessions_spawn" &&
		!r.Failed() {
		r.Spawned = s.spawn(c, key, at)
	}
	s.addResult(r, said, at)
	s.background(c, details, said, at)
	if !r.Failed() {
		s.changes(c, details, at)
	}
	delete(s.expected, c.Call)
}

// addResult adds a result, with the head of its text if it failed.
func (s *session) addResult(r trace.ToolResultEvent, said string, at trace.Event) {
	if r.Failed() {
		r.Head = s.head(said, trace.ErrorHead)
	}
	s.b.Result(at, r)
}

// judge sets the status from the details of a result. The client reports a failed command as completed and not as an
// error.
func judge(r *trace.ToolResultEvent, tool string, d gjson.Result) {
	r.Status = trace.StatusCompleted
	status := d.Get("status").Str
	if tool == "process" && status != "error" { // it reports on another call
		return
	}
	shell := toolType(tool) == trace.ShellTool
	switch {
	case status == "running":
		r.Status = trace.StatusRunning
	case status == "failed", status == "error", status == "timeout", status == "forbidden":
		r.Status = trace.StatusErrored
	case shell && status != "" && status != "completed":
		r.Status = trace.StatusUnknown
	}
	if !shell {
		return
	}
	if code := d.Get("exitCode"); code.Type == gjson.Number {
		exit(r, int(code.Int()))
	} else if r.Status == trace.StatusCompleted && (d.Get("exitSignal").Str != "" || d.Get("timedOut").Bool()) {
		r.Status = trace.StatusErrored
	}
}

// exit sets the exit code of a command that ended.
func exit(r *trace.ToolResultEvent, code int) {
	r.ExitCode = &code
	if code != 0 && r.Status == trace.StatusCompleted {
		r.Status = trace.StatusErrored
	}
}

// background adds the end of a background command to the call that began it. Another call reports that end.
func (s *session) background(c *trace.ToolCall, d gjson.Result, said string, at trace.Event) {
	id := token(d.Get("sessionId").Str)
	status := d.Get("status").Str
	switch {
	case id == "":
	case status == "running" && c.Type == trace.ShellTool:
		s.running[id] = c.Call
	case c.Tool == "process" && s.running[id] != "" && (status == "completed" || status == "failed"):
		r := trace.ToolResultEvent{Call: s.running[id], Message: at.Record, From: trace.FromProgress,
			Content: draft.Digest([]byte(said))}
		judge(&r, "exec", d)
		s.addResult(r, said, at)
		delete(s.running, id)
	}
}

// spawn adds a sub-agent and returns its session, "" if unknown.
func (s *session) spawn(c *trace.ToolCall, key string, at trace.Event) string {
	x := spawn{key: key, call: c.Call, agentType: agentOf(key), description: s.expected[c.Call]}
	if at.Copied == "" {
		s.spawns = append(s.spawns, x)
	}
	child := s.sessionOf(key)
	at.Body = &trace.SubagentSpawn{Session: child, Call: c.Call, AgentID: token(key), AgentType: token(x.agentType),
		Description: x.description, Background: true}
	s.b.Add(at)
	return child
}

// agentOf returns the agent in a session's key ("agent:main:subagent:…"), "" if there is none.
func agentOf(key string) string {
	rest, ok := strings.CutPrefix(key, "agent:")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, ":")
	return id
}

// changes adds the file changes in the details of a result.
func (s *session) changes(c *trace.ToolCall, d gjson.Result, at trace.Event) {
	if c.Type != trace.EditTool {
		return
	}
	if c.Tool == "apply_patch" {
		for _, list := range []struct{ key, action string }{{"added", "created"}, {"modified", "modified"},
			{"deleted", "deleted"}} {
			d.Get("summary." + list.key).ForEach(func(_, path gjson.Result) bool {
				if path.Str != "" {
					at.Body = &trace.FileChange{Path: s.path(path.Str), Action: list.action, Call: c.Call}
					s.b.Add(at)
				}
				return true
			})
		}
		return
	}
	patch := d.Get("patch").Str
	path := c.Path
	if path == "" {
		path = s.path(target(patch))
	}
	if changed := d.Get("changed"); path == "" || !d.Get("diff").Exists() && patch == "" || changed.Exists() &&
		!changed.Bool() {
		return
	}
	f := &trace.FileChange{Path: path, Action: "modified", Call: c.Call, Hash: s.expected[c.Call]}
	if d.Get("created").Bool() {
		f.Action = "created"
	}
	if patch != "" {
		added, removed := draft.CountDiff(patch)
		f.Added, f.Removed = &added, &removed
	}
	at.Body = f
	s.b.Add(at)
}

// target returns the file that a patch creates.
func target(patch string) string {
	_, rest, ok := strings.Cut(patch, "\n+++ ")
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	path, _, _ := strings.Cut(line, "\t")
	return path
}
