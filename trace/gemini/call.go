package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace"
	"aburn/trace/build"
)

// callAll takes the calls of a message that were not taken before, and results of those that were.
func (s *session) callAll(r record, p parts, at trace.Event, id string, made bool) {
	any, open := false, 0
	r.calls.ForEach(func(_, v gjson.Result) bool {
		if x := toolOf(v); x.name.Str != "" {
			s.result(s.call(x, at, id), x, at)
			if any = true; x.status.Str != "cancelled" {
				open++
			}
		}
		return true
	})
	for _, v := range p.calls {
		if x := toolOf(v); x.name.Str != "" && !s.known(token(x.id)) {
			s.call(x, at, id)
			any = true
			open++
		}
	}
	if any {
		s.setTail(calls, made)
		s.open = open
	}
}

func (s *session) known(call string) bool {
	_, known := s.calls[call]
	return known && call != ""
}

// call takes a call, once, and returns its id.
func (s *session) call(x tool, at trace.Event, response string) string {
	id := token(x.id)
	if s.known(id) {
		return id
	}
	c := &trace.ToolCall{Call: id, Tool: token(x.name), Type: toolType(x), Response: response}
	if x.args.Exists() {
		c.Input = build.Digest([]byte(x.args.Raw))
	}
	for _, key := range []string{"file_path", "absolute_path", "dir_path", "path"} {
		if path := x.args.Get(key).Str; path != "" {
			c.Path = s.path(path)
			break
		}
	}
	if c.Type == trace.ShellTool {
		c.Head = head(x.args.Get("command").String(), trace.CommandHead)
	}
	s.b.Call(at, c)
	s.calls[c.Call] = ""
	return c.Call
}

// toolType is what a tool does; those that come with the client also under the names that they had before.
func toolType(x tool) trace.ToolType {
	switch x.name.Str {
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
	case x.agent.Str != "":
		return trace.AgentTool
	case strings.HasPrefix(x.name.Str, "mcp_") || strings.Contains(x.name.Str, "__"):
		return trace.MCPTool
	}
	return trace.OtherTool
}

// result takes what became of a call, and what came of it. Calls are written when they have ended; one that is written
// again tells something only if its status is another.
func (s *session) result(call string, x tool, at trace.Event) {
	_, c := s.b.Lookup(call)
	if c == nil || s.calls[call] != "" && s.words[call] == x.status.Str {
		return
	}
	s.words[call] = strings.Clone(x.status.Str)
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
	child := strings.Clone(x.agent.Str)
	if child != "" && !repeated {
		s.spawn(call, child, x, at)
	}
	got.Call, got.Message, got.From, got.Content = call, at.Record, trace.FromToolResult, build.Digest([]byte(text))
	if got.Failed() {
		got.Head = head(text, trace.ErrorHead)
	}
	if s.child {
		got.AgentID = s.id
	}
	if child != "" {
		got.Spawned = s.childID(child)
	}
	s.b.Result(at, got)
	if x.status.Str == "success" {
		s.change(call, x.display, at)
		s.finished = s.finished || s.child && c.Tool == "complete_task"
	}
}

// response takes a result that only a message to the model tells.
func (s *session) response(v gjson.Result, at trace.Event) {
	call := token(v.Get("id"))
	if status, known := s.calls[call]; call == "" || !known || status != "" {
		return
	}
	_, c := s.b.Lookup(call)
	text := output(v)
	got := verdict(c.Type, text, gjson.Result{})
	if v.Get("response.error").Exists() {
		got.fail(trace.StatusErrored)
	}
	s.calls[call] = got.Status
	got.Call, got.Message, got.From, got.Content = call, at.Record, trace.FromFunctionCallOutput, build.Digest([]byte(text))
	if got.Failed() {
		got.Head = head(text, trace.ErrorHead)
	}
	s.b.Result(at, got.ToolResultEvent)
}

// spawn takes the start of a sub-agent, whose session has the id child.
func (s *session) spawn(call, child string, x tool, at trace.Event) {
	known := start{call: call, agentType: strings.Clone(build.Word(x.args.Get("agent_name").Str)), description: head(x.description.Str, trace.UserHead),
		end: strings.Clone(x.display.Get("terminateReason").Str)}
	s.family.started[child] = known
	at.Body = &trace.SubagentSpawn{Session: s.childID(child), Call: call, AgentID: child, AgentType: known.agentType, Description: known.description}
	s.b.Add(at)
}

// childID is the id of the trace of the sub-agent.
func (s *session) childID(id string) string {
	return (&session{id: id, child: true, parent: s.id}).traceID()
}

// change takes a file change. The display of a call that was refused holds what would have changed.
func (s *session) change(call string, display gjson.Result, at trace.Event) {
	path := display.Get("filePath").Str
	if path == "" {
		path = display.Get("fileName").Str
	}
	diff := display.Get("fileDiff")
	if path == "" || !diff.Exists() {
		return
	}
	f := &trace.FileChange{Path: s.path(path), Action: "modified", Call: call}
	if display.Get("isNewFile").Bool() {
		f.Action = "created"
	}
	stat := display.Get("diffStat")
	switch {
	case diff.Str != "":
		added, removed := lines(diff.Str)
		f.Added, f.Removed = &added, &removed
	case stat.IsObject():
		added := int(stat.Get("model_added_lines").Int() + stat.Get("user_added_lines").Int())
		removed := int(stat.Get("model_removed_lines").Int() + stat.Get("user_removed_lines").Int())
		f.Added, f.Removed = &added, &removed
	}
	if content := display.Get("newContent"); content.Type == gjson.String {
		sum := sha256.Sum256([]byte(content.Str))
		f.Hash = hex.EncodeToString(sum[:])
	}
	at.Body = f
	s.b.Add(at)
}

// lines counts the lines that a unified diff adds and removes.
func lines(diff string) (added, removed int) {
	inside := false
	for line := range strings.SplitSeq(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true
		case inside && strings.HasPrefix(line, "+"):
			added++
		case inside && strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}
