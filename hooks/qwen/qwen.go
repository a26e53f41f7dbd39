// Package qwen reads the hook payloads of Qwen Code, as the real client 0.24.4 sends
// them. It never takes a model call for a prompt, nor a sub-agent for the session, and
// names a call by the model's own id, the only one that all its events share. It knows
// one agent, so it imports no other adapter and neither the log nor the queue.
package qwen

import (
	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Agent is the adapter for Qwen Code.
func Agent() hooks.Agent {
	return hooks.Agent{
		Agent: &agentcli.Qwen, Ignored: ignored, Read: read, Knows: knows, Own: own, PromptID: "prompt_id",
		Context: hooks.HookContext, Continue: continueTurn, MidTurn: midTurn, PrintMode: printMode,
	}
}

// own relies on agent_id: every payload of a sub-agent has one.
func own(p *hooks.Payload) bool { return p.AgentID == "" }

// midTurn leaves out failures: nobody saw the model get what their hook says.
func midTurn(p *hooks.Payload) bool { return p.Event == "PostToolUse" }

// printMode is unknown: neither payload nor environment tells.
func printMode(*hooks.Payload, func(string) string) bool { return false }

// continueTurn makes the turn go on, but only once: the client itself would allow eight.
func continueTurn(p *hooks.Payload, text string) []byte {
	if p.Get("stop_hook_active").Bool() {
		return nil
	}
	var o logfmt.Object
	return o.Str("decision", "block").Str("reason", text).Bytes()
}

// ignored events say nothing about the work. An empty prompt comes before every further
// request of a turn. A PreCompact comes even if nothing is compacted.
func ignored(p *hooks.Payload) bool {
	switch p.Event {
	case "InstructionsLoaded", "MessageDisplay", "PreCompact":
		return true
	case "UserPromptSubmit":
		return p.Str("prompt") == ""
	case "Notification":
		return p.Str("notification_type") == "auth_success"
	}
	return false
}

func read(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	if id := p.Str("tool_call_id"); id != "" { // PostToolBatch knows no other
		p.ToolUseID = id
	}
	switch p.Event {
	case "SessionStart":
		return p.Opened("qwen-code", ""), true
	case "SessionEnd":
		return hooks.One(p.SessionEnd()), true
	case "UserPromptSubmit": // only what a person typed has been submitted
		return hooks.One(p.Prompt(!p.Get("submitted_prompt").Exists())), true
	case "UserPromptExpansion":
		return hooks.One(p.SlashCommand(p.Str("command_name"))), true
	case "Notification":
		return hooks.One(notice(p)), true
	case "Stop":
		return hooks.One(hooks.NewDraft(logfmt.Stop)), true
	case "StopFailure":
		return hooks.One(p.TurnFailed(p.Str("error"), p.Str("error_details"))), true
	case "PostCompact":
		return hooks.One(p.Compact("after")), true
	case "SubagentStart":
		return hooks.One(p.AgentEvent(logfmt.AgentSpawn)), true
	case "SubagentStop":
		return hooks.One(p.AgentComplete()), true
	}
	return readTool(p, proj)
}

// notice is a notification. That the client waits for input comes at each start and after
// each turn; it is recorded only where nothing else says that the turn has ended.
func notice(p *hooks.Payload) hooks.Draft {
	kind := p.Str("notification_type")
	d := p.Notice(kind)
	if kind == "idle_prompt" {
		d.NotAfter = []logfmt.Event{"", logfmt.SessionStart, logfmt.SessionEnd, logfmt.Stop, logfmt.TurnFailed, logfmt.Notify, logfmt.Compact}
	}
	return d
}

// knows lists the fields that the adapter reads, or leaves out because they say nothing
// about the work.
func knows(key string) bool {
	switch key {
	case "timestamp", "prompt_id", "permission_mode", "tool_call_id", // of every event
		"source", "model", "reason", "prompt", "submitted_prompt", "command_name", "command_args",
		"message", "title", "notification_type",
		"stop_hook_active", "last_assistant_message", "background_tasks", "crons", "agent_transcript_path",
		"context_usage", "context_limit", "input_tokens",
		"error", "error_details", "is_interrupt", "duration_ms", "trigger", "compact_summary", "tool_calls":
		return true
	}
	return false
}
