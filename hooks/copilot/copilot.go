// Package copilot reads the hook payloads of the Copilot CLI, as the real client 1.0.102 sends them. They name neither
// their event nor their calls, and tell exit codes only in a result's last line: what is not there stays unknown. It knows
// one agent, so it imports no other adapter and neither the log nor the queue.
package copilot

import (
	"path/filepath"
	"strings"

	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Agent is the adapter for the Copilot CLI.
func Agent() hooks.Agent {
	return hooks.Agent{
		Agent: &agentcli.Copilot, Ignored: ignored, Read: read, Knows: knows, Own: own, Keys: sharedKey, Complete: complete,
		Context: context, Continue: continueTurn, MidTurn: midTurn, PrintMode: printMode,
	}
}

// sharedKey keeps the names by which hooks.Payload recognises a client that is not this one.
func sharedKey(key string) string {
	switch key {
	case "sessionId":
		return "session_id"
	case "toolName":
		return "tool_name"
	case "toolArgs":
		return "tool_input"
	case "toolResult":
		return "tool_response"
	case "agentId":
		return "agent_id"
	case "agentType":
		return "agent_type"
	case "transcriptPath":
		return "transcript_path"
	case "hook_event_name", "timestamp": // the argument names the event; the log has a clock of its own
		return ""
	}
	return key
}

// events is the client's file of a session, in the folder that has the session's id.
const events = "events.jsonl"

// complete finds the session of a sub-agent, whose own id most of its payloads give as the session's. Only some name the
// transcript, which is the root session's. A parent may be a sub-agent too.
func complete(p *hooks.Payload, env func(string) string) {
	p.Version = env("COPILOT_CLI_BINARY_VERSION")
	if p.AgentID != "" {
		if filepath.Base(p.Transcript) == events {
			p.Session = hooks.Session(filepath.Base(filepath.Dir(p.Transcript)))
		} else {
			p.Session = hooks.Session(p.Str("parentAgentId"))
			p.Rootless = true
		}
		return
	}
	id := string(p.Session)
	home := agentcli.Copilot.Home.Folder(env("HOME"), env)
	if p.Transcript == "" && home != "" && id != "" && !strings.ContainsAny(id, `/\.`) {
		p.Transcript = filepath.Join(home, "session-state", id, events)
	}
}

func own(p *hooks.Payload) bool { return p.AgentID == "" }

// midTurn leaves out postToolUseFailure, after which no answer was seen to reach the model.
func midTurn(p *hooks.Payload) bool { return p.Event == "postToolUse" }

// printMode is unknown: neither a payload nor a variable tells.
func printMode(*hooks.Payload, func(string) string) bool { return false }

func context(_, text string) []byte {
	var o logfmt.Object
	return o.Str("additionalContext", text).Bytes()
}

// continueTurn makes the turn go on, but only once: the client itself would allow eight.
func continueTurn(p *hooks.Payload, text string) []byte {
	if p.Get("stop_hook_active").Bool() {
		return nil
	}
	var o logfmt.Object
	return o.Str("decision", "block").Str("reason", text).Bytes()
}

// ignored events repeat others: a sub-agent's agentStop comes just before its subagentStop, and permissionRequest also
// comes for calls that are allowed. aburn does not register permissionRequest: a hook that fails there denies.
func ignored(p *hooks.Payload) bool {
	switch p.Event {
	case "agentStop":
		return p.AgentID != ""
	case "permissionRequest", "preMcpToolCall", "userPromptTransformed":
		return true
	}
	return false
}

func read(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	switch p.Event {
	case "sessionStart":
		return opened(p), true
	case "sessionEnd":
		return closing(p.SessionEnd(), p, sessionEnded), true
	case "userPromptSubmitted":
		return prompted(p), true
	case "agentStop":
		return closing(hooks.NewDraft(logfmt.Stop), p, turnEnded), true
	case "errorOccurred":
		return turnFailed(p)
	case "subagentStart":
		return hooks.One(p.AgentEvent(logfmt.AgentSpawn)), true
	case "subagentStop":
		return closing(p.AgentEvent(logfmt.AgentComplete), p, turnEnded), true
	case "preCompact":
		return hooks.One(p.Compact("before")), true
	case "notification":
		return hooks.One(p.Notice(p.Str("notification_type"))), true
	}
	return readTool(p, proj)
}

func closing(d hooks.Draft, p *hooks.Payload, at moment) hooks.Plan {
	return hooks.Plan{Drafts: []hooks.Draft{d}, Closer: &closer{transcript: p.Transcript, agent: p.AgentID, at: at}}
}

// opened is a session's start, which comes with its first prompt and may come after it.
func opened(p *hooks.Payload) hooks.Plan {
	plan := p.Opened("copilot-cli", p.Version)
	plan.New = p.Str("source") == "new"
	return plan
}

// notification is how a report of the client's about work in the background begins, which it makes a prompt of.
const notification = "<system_notification>"

// prompted is a prompt. No person typed that of a sub-agent, nor the text of a hook's with which the turn goes on: of
// those we know only our own.
func prompted(p *hooks.Payload) hooks.Plan {
	text := p.Str("prompt")
	d := p.Prompt(p.AgentID != "" || hooks.IsAdvice(text) || strings.HasPrefix(text, notification))
	if p.AgentID != "" {
		return hooks.One(d)
	}
	return closing(d, p, promptCame)
}

// turnFailed is a failed request to the model. What other errors mean for the turn is not known.
func turnFailed(p *hooks.Payload) (hooks.Plan, bool) {
	if p.Str("errorContext") != "model_call" {
		return hooks.Plan{}, false
	}
	return hooks.One(p.TurnFailed("model_call", p.Get("error").Get("message").Str)), true
}

// knows lists the fields that the adapter reads, or leaves out because they say nothing about the work.
func knows(key string) bool {
	switch key {
	case "source", "initialPrompt", "reason", "prompt", "parentAgentId", "agentName", "response", "stopReason", "stop_hook_active",
		"error", "errorContext", "recoverable", "trigger", "customInstructions", "message", "title", "notification_type":
		return true
	}
	return false
}
