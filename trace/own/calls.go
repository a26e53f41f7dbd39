package own

import (
	"strings"

	"aburn/logfmt"
	"aburn/trace"
	"aburn/trace/draft"
)

// call adds a tool call. inferred says why there is one although no entry says that it began.
func (x *step) call(inferred string) {
	d := x.d
	e := x.event
	e.Inferred = inferred
	tool := d.Tool.String()
	c := &trace.ToolCall{Call: d.ToolUseID.String(), Tool: tool, Type: typeOf(tool), Key: hash(d.Input.String(), 8),
		Path: draft.Path(d.Path.String(), "")}
	if c.Type == trace.ShellTool {
		c.Head = draft.Head(d.Head.String(), trace.CommandHead)
	}
	x.Call(e, c)
}

// hash is s if it is that many hex digits.
func hash(s string, digits int) string {
	if len(s) != digits || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}

// ended is the end of a call, or that it goes on in the background.
func (x *step) ended() error {
	d := x.d
	id := d.ToolUseID.String()
	if _, c := x.Lookup(id); c == nil || id == "" {
		x.call(string(x.e.Event) + " without TOOL_START") // refused before it could begin
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
	e.Inferred = draft.Head(d.Inferred.String(), trace.UserHead)
	x.Result(e, r)
	if sum := hash(d.Sha256.String(), 64); sum != "" && len(d.Path) > 0 && r.Status == trace.StatusCompleted {
		action := "modified"
		if d.Tool.String() == "Write" || d.Tool.String() == "apply_patch" {
			action = "unknown" // it may have been there before
		}
		x.body(&trace.FileChange{Path: draft.Path(d.Path.String(), ""), Action: action, Hash: sum, Call: id})
	}
	if r.Status == trace.StatusCancelled && r.Denied == "" && x.e.Source == "claude" && d.Outcome.String() == "interrupted" {
		x.interrupt("a call that was interrupted") // this client has no hook for it
	}
	if child != "" {
		return x.spawned(child, id)
	}
	return nil
}

// status is what became of the call, by the entry's event and what it says beside.
func (x *step) status(r *trace.ToolResultEvent) {
	d := x.d
	failed := true
	switch outcome := d.Outcome.String(); {
	case x.e.Event == logfmt.ToolDenied:
		r.Status, r.IsError = trace.StatusErrored, &failed
		r.Head = draft.Head(d.Reason.String(), trace.ErrorHead)
		if r.Denied = deniedBy(d.Reason.String()); r.Denied == "user" {
			r.Status = trace.StatusCancelled
		}
	case x.e.Event == logfmt.ToolFailed:
		r.Status, r.IsError = trace.StatusErrored, &failed
		r.Head = draft.Head(d.Error.String(), trace.ErrorHead)
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

// deniedBy is who refused a call, by the words that the model was told. A call that would have needed somebody's approval
// was refused for want of one, by nobody.
func deniedBy(reason string) string {
	switch {
	case strings.HasPrefix(reason, "The user doesn't want"), strings.Contains(reason, "aborted by user"), strings.Contains(reason, "rejected by user"):
		return "user"
	case strings.HasPrefix(reason, "PreToolUse:"), strings.HasPrefix(reason, "Hook PreToolUse:"), strings.Contains(reason, "blocked by PreToolUse hook"):
		return "hook"
	case strings.HasPrefix(reason, "Permission to "), strings.HasPrefix(reason, "Cannot write to "), strings.HasPrefix(reason, "Tool use is not allowed"):
		return "rule"
	}
	return "other"
}

// typeOf is the type of a tool by the name that hooks are told, of any agent that has hooks.
func typeOf(tool string) trace.ToolType {
	switch tool {
	case "Bash", "PowerShell", "BashOutput", "KillShell", "shell", "exec_command", "write_stdin":
		return trace.ShellTool
	case "Read", "NotebookRead", "view_image":
		return trace.ReadTool
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch":
		return trace.EditTool
	case "Glob", "Grep", "LS":
		return trace.SearchTool
	case "WebFetch", "WebSearch", "web_search":
		return trace.WebTool
	case "Agent", "Task":
		return trace.AgentTool
	}
	switch {
	case strings.HasPrefix(tool, "mcp__"):
		return trace.MCPTool
	case strings.HasPrefix(tool, "collaboration"), strings.HasPrefix(tool, "multi_agent"), strings.HasSuffix(tool, "spawn_agent"): // Codex glues the namespace on
		return trace.AgentTool
	}
	return trace.OtherTool
}
