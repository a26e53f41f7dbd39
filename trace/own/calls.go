package own

import (
	"strings"

	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/draft"
)

// call adds a tool call. inferred is the evidence if no entry says that the call began.
func (x *step) call(inferred string) {
	d := x.d
	e := x.event
	e.Inferred = inferred
	tool := d.Tool.String()
	c := &trace.ToolCall{Call: d.ToolUseID.String(), Tool: tool, Type: TypeOf(tool), Key: hash(d.Input.String(), 8),
		Path: draft.Path(d.Path.String(), "")}
	if c.Type == trace.ShellTool {
		c.Head = x.Head(d.Head.String(), trace.CommandHead)
	}
	x.Call(e, c)
}

// hash returns s if it is that many hex digits.
func hash(s string, digits int) string {
	if len(s) != digits || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}

// ended adds the end of a call, or its move to the background.
func (x *step) ended() error {
	d := x.d
	id := d.ToolUseID.String()
	if _, c := x.Lookup(id); c == nil || id == "" {
		x.call(string(x.e.Event) + " without TOOL_START") // refused before it began
		id = x.last().Body.(*trace.ToolCall).Call
	}
	r := trace.ToolResultEvent{Call: id, From: trace.FromToolResult, DurationMS: d.DurationMS}
	if d.HasExitCode {
		code := int(d.ExitCode)
		r.ExitCode = &code
	}
	x.status(&r)
	child := ""
	if a := d.AgentID.String(); a != "" {
		child = childID(string(x.e.Session), a)
		r.Spawned = child
	}
	e := x.event
	e.Inferred = x.Head(d.Inferred.String(), trace.UserHead)
	x.Result(e, r)
	if sum := hash(d.Sha256.String(), 64); sum != "" && len(d.Path) > 0 && r.Status == trace.StatusCompleted {
		action := "modified"
		switch d.Tool.String() {
		case "Write", "apply_patch", "write_file":
			action = "unknown" // the file may have existed before
		}
		x.addBody(&trace.FileChange{Path: draft.Path(d.Path.String(), ""), Action: action, Hash: sum, Call: id})
	}
	if r.Status == trace.StatusCancelled && r.Denied == "" && x.e.Source == "claude" &&
		d.Outcome.String() == "interrupted" {
		x.interrupt("a call that was interrupted") // this client has no hook for interrupts
	}
	if child != "" {
		return x.spawned(child, id)
	}
	return nil
}

// status judges a call by the entry's event and details.
func (x *step) status(r *trace.ToolResultEvent) {
	d := x.d
	failed := true
	switch outcome := d.Outcome.String(); {
	case x.e.Event == logfmt.ToolDenied:
		r.Status, r.IsError = trace.StatusErrored, &failed
		r.Head = x.Head(d.Reason.String(), trace.ErrorHead)
		if r.Denied = deniedBy(d.Reason.String()); r.Denied == "user" {
			r.Status = trace.StatusCancelled
		}
	case x.e.Event == logfmt.ToolFailed:
		r.Status, r.IsError = trace.StatusErrored, &failed
		r.Head = x.Head(d.Error.String(), trace.ErrorHead)
		if outcome == "interrupted" || outcome == "killed" {
			r.Status = trace.StatusCancelled
		}
	case d.Background:
		r.Status = trace.StatusRunning
	case outcome == "interrupted":
		r.Status = trace.StatusCancelled
	case outcome == "unknown":
		r.Status = trace.StatusUnknown
	default:
		r.Status = trace.StatusCompleted
	}
}

// deniedBy returns who refused a call, by the words that the model got. A call that needed an approval which nobody
// could give was refused by nobody.
func deniedBy(reason string) string {
	switch {
	case strings.HasPrefix(reason, "The user doesn't want"), strings.Contains(reason, "aborted by user"),
		strings.Contains(reason, "rejected by user"), strings.Contains(reason, "User did not allow tool call"),
		reason == "cancelled", reason == "denied-interactively-by-user":
		return "user"
	case strings.HasPrefix(reason, "PreToolUse:"), strings.HasPrefix(reason, "Hook PreToolUse:"),
		strings.Contains(reason, "blocked by PreToolUse hook"), reason == "denied-by-permission-request-hook":
		return "hook"
	case strings.HasPrefix(reason, "Permission to "), strings.HasPrefix(reason, "Cannot write to "),
		strings.HasPrefix(reason, "Tool use is not allowed"), strings.Contains(reason, "denied by permission rules."),
		strings.Contains(reason, "declined. Matching deny rule:"), reason == "denied-by-rules", reason == "denied-by-content-exclusion-policy":
		return "rule"
	}
	return "other"
}

// TypeOf classifies a tool by the name in hooks, of any agent that has hooks.
func TypeOf(tool string) trace.ToolType {
	switch tool {
	case "Bash", "PowerShell", "BashOutput", "KillShell", "shell", "exec_command", "write_stdin", "run_shell_command", "bash", "powershell",
		"read_bash", "write_bash", "stop_bash", "list_bash", "read_powershell", "write_powershell", "stop_powershell", "list_powershell":
		return trace.ShellTool
	case "Read", "NotebookRead", "view_image", "read_file", "read_many_files", "read", "view":
		return trace.ReadTool
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "write_file", "replace", "edit", "write", "multiedit", "patch", "create",
		"str_replace_editor":
		return trace.EditTool
	case "Glob", "Grep", "LS", "glob", "grep_search", "search_file_content", "list_directory", "grep", "rg", "list", "ls":
		return trace.SearchTool
	case "WebFetch", "WebSearch", "web_search", "web_fetch", "google_web_search", "webfetch", "websearch":
		return trace.WebTool
	case "Agent", "Task", "invoke_agent", "agent", "task":
		return trace.AgentTool
	}
	switch {
	case strings.HasPrefix(tool, "mcp_"), strings.Contains(tool, "-"): // the Copilot CLI says server-tool
		return trace.MCPTool
	case strings.HasPrefix(tool, "collaboration"), strings.HasPrefix(tool, "multi_agent"),
		strings.HasSuffix(tool, "spawn_agent"): // Codex prepends the namespace
		return trace.AgentTool
	}
	return trace.OtherTool
}

// agent adds the beginning or end of a sub-agent to its trace. The parent's trace gets the spawn.
func (x *step) agent(parent string) error {
	if parent == "" {
		return nil // a prompt wrote it without a sub-agent's id
	}
	if x.e.Event == logfmt.AgentComplete {
		x.addBody(&trace.Session{Marker: trace.Stopped, Detail: x.d.Status.String()})
		return nil
	}
	x.addBody(&trace.Session{Marker: trace.Started, Detail: "subagent"})
	s, err := x.reading.session(parent, x.e)
	if err != nil {
		return err
	}
	e := x.event
	e.Body = &trace.SubagentSpawn{Session: x.Trace().ID, AgentID: x.e.Agent.ID, AgentType: x.e.Agent.Type,
		Description: x.Head(x.d.Task.String(), trace.UserHead), Background: x.d.Background}
	s.Add(e)
	return nil
}

// spawned ties a sub-agent to the call that started it, which only the end of that call names.
func (x *step) spawned(child, call string) error {
	for i := range x.Trace().Events {
		if b, ok := x.Trace().Events[i].Body.(*trace.SubagentSpawn); ok && b.Session == child && b.Call == "" {
			b.Call, b.Background = call, b.Background || x.d.Background
			if b.Description == "" {
				b.Description = x.Head(x.d.Task.String(), trace.UserHead)
			}
		}
	}
	s, err := x.reading.known(child)
	if s == nil || err != nil {
		return err
	}
	for i := range s.Trace().Relationships {
		if r := &s.Trace().Relationships[i]; r.Kind == trace.Subagent && r.ParentCall == "" {
			r.ParentCall = draft.Token(call)
			if r.Description == "" {
				r.Description = x.Head(x.d.Task.String(), trace.UserHead)
			}
		}
	}
	return nil
}
