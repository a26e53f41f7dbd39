// Package claude reads the hook payloads of Claude Code, as the real client 2.1.329
// sends them. It never mistakes a sub-agent for the session, and reads exit codes only
// from the client's own words. It knows one agent, so it imports no other adapter and
// neither the log nor the queue.
package claude

import (
	"strings"

	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Agent is the adapter for Claude Code.
func Agent() hooks.Agent {
	return hooks.Agent{
		Agent: &agentcli.Claude, Ignored: ignored, Read: read, Knows: knows, Own: own, PromptID: "prompt_id",
		Context: hooks.HookContext, Continue: continueTurn, MidTurn: midTurn, PrintMode: printMode, Status: status,
		Decide: hooks.PermissionDecision,
	}
}

// own relies on agent_id: every payload of a sub-agent has one.
func own(p *hooks.Payload) bool { return p.AgentID == "" }

// midTurn leaves out PostToolBatch, which tells the ends of several calls.
func midTurn(p *hooks.Payload) bool {
	return p.Event == "PostToolUse" || p.Event == "PostToolUseFailure"
}

// printMode relies on the client's own variable, because no payload tells.
func printMode(_ *hooks.Payload, env func(string) string) bool {
	return env("CLAUDE_CODE_ENTRYPOINT") == "sdk-cli"
}

// continueTurn makes the turn go on, but only once: the client itself would allow eight.
func continueTurn(p *hooks.Payload, text string) []byte {
	if p.Get("stop_hook_active").Bool() {
		return nil
	}
	return hooks.HookContext(p.Event, text)
}

// ignored events come for every piece of text, or need a path as their answer. aburn
// never registers them. A sub-agent without a type is the client's own helper for
// compaction.
func ignored(p *hooks.Payload) bool {
	switch p.Event {
	case "MessageDisplay", "WorktreeCreate":
		return true
	case "SubagentStart", "SubagentStop":
		return p.AgentType == ""
	}
	return false
}

func read(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	switch p.Event {
	case "SessionStart":
		return p.Opened("claude-code", ""), true
	case "SessionEnd":
		return hooks.One(p.SessionEnd()), true
	case "UserPromptSubmit":
		return hooks.One(prompt(p)), true
	case "UserPromptExpansion":
		return hooks.One(command(p)), true
	case "Notification":
		return hooks.One(p.Notice(p.Str("notification_type"))), true
	case "Stop":
		return hooks.One(hooks.NewDraft(logfmt.Stop)), true
	case "StopFailure":
		return hooks.One(turnFailed(p)), true
	case "PreCompact":
		return hooks.One(p.Compact("before")), true
	case "PostCompact":
		return hooks.One(p.Compact("after")), true
	case "SubagentStart":
		return hooks.One(p.AgentEvent(logfmt.AgentSpawn)), true
	case "SubagentStop":
		return hooks.One(p.AgentComplete()), true
	}
	return readTool(p, proj)
}

// prompt is typed by a person or reports finished background work. Only its text tells
// which, and which call a report is about.
func prompt(p *hooks.Payload) hooks.Draft {
	text := p.Str("prompt")
	if !strings.HasPrefix(text, "<task-notification>") {
		return p.Prompt(false)
	}
	d := p.Prompt(true)
	d.Data.StrIf("tool_use_id", hooks.Head(tagged(text, "tool-use-id"))).StrIf("status", hooks.Head(tagged(text, "status")))
	return d
}

// tagged is the text in the first tag of that name.
func tagged(text, name string) string {
	_, rest, _ := strings.Cut(text, "<"+name+">")
	value, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	return value
}

// command is a slash command. The plugin's name stands before its own.
func command(p *hooks.Payload) hooks.Draft {
	name := p.Str("command_name")
	return p.SlashCommand(name[strings.LastIndexByte(name, ':')+1:])
}

func turnFailed(p *hooks.Payload) hooks.Draft {
	text := p.Str("error_details")
	if text == "" {
		text = p.Str("last_assistant_message") // the client's own words about the error
	}
	return p.TurnFailed(p.Str("error"), text)
}

// knows lists the fields that the adapter reads, or leaves out because they say nothing
// about the work.
func knows(key string) bool {
	switch key {
	case "prompt_id", "permission_mode", "effort", "mcp_server", "scratchpad_dir", // of every event
		"source", "model", "session_title", "seconds_since_last_response", "context_tokens",
		"prompt_cache_likely_expired", "estimated_cache_write_usd", // SessionStart
		"reason", "prompt", "expansion_type", "command_name", "command_args", "command_source",
		"message", "title", "notification_type",
		"stop_hook_active", "last_assistant_message", "background_tasks", "session_crons", "agent_transcript_path",
		"error", "error_details", "is_interrupt", "duration_ms",
		"trigger", "custom_instructions", "compact_summary",
		"permission_suggestions", "tool_calls":
		return true
	}
	return false
}
