// Package gemini reads the hook payloads of Gemini CLI, as the real client 0.61.0 sends
// them. They have no ids of calls, no exit codes, and no mark of a sub-agent: calls are
// paired by tool and input, codes read from the client's own words, and a call without
// an end is looked up in the session's transcript. It knows one agent, so it imports no
// other adapter and neither the log nor the queue.
package gemini

import (
	"strings"

	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Agent is the adapter for Gemini CLI.
func Agent() hooks.Agent {
	return hooks.Agent{
		Agent: &agentcli.Gemini, Ignored: ignored, Read: read, Knows: knows, Own: own,
		Context: hooks.HookContext, Continue: continueTurn, MidTurn: midTurn, PrintMode: printMode,
	}
}

// nests runs a sub-agent. Nothing in the payloads of its calls tells them from the session's.
const nests = "invoke_agent"

func own(*hooks.Payload) bool { return true }

// midTurn is never: the client names no turn, and a sub-agent's call looks like the session's.
func midTurn(*hooks.Payload) bool { return false }

// printMode is unknown: neither payload nor environment tells.
func printMode(*hooks.Payload, func(string) string) bool { return false }

// continueTurn makes the turn go on, but only once: the client itself has no limit.
func continueTurn(p *hooks.Payload, text string) []byte {
	if p.Get("stop_hook_active").Bool() {
		return nil
	}
	var o logfmt.Object
	return o.Str("decision", "block").Str("reason", text).Bytes()
}

// ignored events come at every request to the model. A PreCompress comes even if nothing
// is compressed. aburn never registers them.
func ignored(p *hooks.Payload) bool {
	switch p.Event {
	case "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return true
	}
	return false
}

func read(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	plan, ok := planOf(p, proj)
	for i := range plan.Drafts {
		d := &plan.Drafts[i]
		if d.Once == "" { // two hooks for one event, of the user and of the project, get the same time
			d.Once = p.Str("timestamp")
		}
	}
	return plan, ok
}

func planOf(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	switch p.Event {
	case "SessionStart":
		return p.Opened("gemini-cli", ""), true
	case "SessionEnd":
		d := p.SessionEnd()
		d.NotAfter = []logfmt.Event{logfmt.SessionEnd} // quitting sends it three times
		return closing(d, p), true
	case "BeforeAgent":
		return closing(p.Prompt(hooks.IsAdvice(p.Str("prompt"))), p), true
	case "AfterAgent":
		plan := closing(hooks.NewDraft(logfmt.Stop), p)
		plan.Closer.(*closer).ended = true
		return plan, true
	case "Notification":
		return hooks.One(notice(p)), true
	case "BeforeTool":
		return started(p, proj), true
	case "AfterTool":
		return finished(p, proj), true
	}
	return hooks.Plan{}, false
}

func notice(p *hooks.Payload) hooks.Draft {
	kind := p.Str("notification_type")
	if kind == "ToolPermission" {
		kind = "permission_prompt" // as other agents say
	}
	d := p.Notice(kind)
	if command := p.Get("details.command").Str; command != "" {
		d.Data.Str("command", hooks.CommandHead(command))
	}
	return d
}

// callID is the id that a call gets from its own beginning: of its input and of the time
// at which the client sent it.
func callID(p *hooks.Payload) string {
	return hooks.Head(hooks.InputKey(p.Input) + "-" + strings.Map(digit, p.Str("timestamp")))
}

func digit(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

func started(p *hooks.Payload, proj *project.Project) hooks.Plan {
	p.ToolUseID = callID(p)
	plan := hooks.One(p.ToolCall(logfmt.ToolStart, func(o *logfmt.Object) { describe(o, p, proj) }))
	if p.Tool == nests {
		plan.Drafts = append(plan.Drafts, agentEvent(logfmt.AgentSpawn, p.Input, p.ToolUseID))
	}
	return plan
}

// agentEvent is about the sub-agent of a call. Without an id of its own it has the call's.
func agentEvent(ev logfmt.Event, input hooks.JSON, id string) hooks.Draft {
	d := hooks.NewDraft(ev)
	d.Data.StrIf("agent_id", id).StrIf("agent_type", hooks.Head(input.Get("agent_name").Str))
	return d
}

// describe adds what a call is about: a shell command's head, a sub-agent or a file's path.
func describe(o *logfmt.Object, p *hooks.Payload, proj *project.Project) {
	switch p.Tool {
	case shellTool:
		o.StrIf("head", hooks.CommandHead(p.Input.Get("command").Str))
	case nests:
		o.StrIf("task", hooks.Head(p.Input.Get("agent_name").Str))
	default:
		o.StrIf("path", pathOf(p, proj))
	}
}

// pathOf is the call's file or folder as entries have it.
func pathOf(p *hooks.Payload, proj *project.Project) string {
	return hooks.PathFrom(p.Cwd, p.Input.First("file_path", "absolute_path", "dir_path", "path"), proj)
}

// knows lists the fields that the adapter reads, or leaves out because they say nothing
// about the work.
func knows(key string) bool {
	switch key {
	case "timestamp", "source", "reason", "prompt", "prompt_response", "stop_hook_active", "trigger",
		"notification_type", "message", "details", "mcp_context":
		return true
	}
	return false
}
