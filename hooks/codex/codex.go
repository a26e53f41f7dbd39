// Package codex reads the hook payloads of Codex, as the real client 0.169.0 sends
// them. Codex tells its hooks neither exit codes nor failures: the package reads them
// from the session's transcript, and what is missing there stays unknown. It knows one
// agent, so it imports no other adapter and neither the log nor the queue.
package codex

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Agent is the adapter for Codex.
func Agent() hooks.Agent {
	return hooks.Agent{
		Agent: &agentcli.Codex, Ignored: ignored, Read: read, Knows: knows, Own: own, PromptID: "turn_id",
		Context: hooks.HookContext, Continue: continueTurn, MidTurn: midTurn, PrintMode: printMode, Decide: decide,
	}
}

// own relies on the transcript's name: reviews and sub-agents of older clients run under
// the session's id. Without a transcript it is unknown, and own is false.
func own(p *hooks.Payload) bool {
	return p.AgentID == "" && strings.HasSuffix(p.Transcript, "-"+string(p.Session)+".jsonl")
}

// decide never asks: the client fails the hook over that, and runs the tool.
func decide(d hooks.Decision, reason string) []byte {
	if d != hooks.DenyCall {
		return nil
	}
	return hooks.PermissionDecision(d, reason)
}

func midTurn(p *hooks.Payload) bool { return p.Event == "PostToolUse" }

// printMode relies on the transcript's first record: `codex exec` names itself there.
func printMode(p *hooks.Payload, _ func(string) string) bool {
	return hooks.FirstRecord(p.Transcript).Get("payload.originator").Str == "codex_exec"
}

// continueTurn makes the turn go on, but only once: the client itself has no limit.
func continueTurn(p *hooks.Payload, text string) []byte {
	if p.Get("stop_hook_active").Bool() {
		return nil
	}
	var o logfmt.Object
	return o.Str("decision", "block").Str("reason", text).Bytes()
}

// ignored events are requests to the model that did not fail.
func ignored(p *hooks.Payload) bool {
	return p.Event == "PreModelRequest" || p.Event == "PostModelRequest" && p.Str("status") != "failed"
}

func read(p *hooks.Payload, proj *project.Project) (hooks.Plan, bool) {
	about := func(o *logfmt.Object) { describe(o, p, proj) }
	switch p.Event {
	case "SessionStart":
		return sessionStart(p), true
	case "SessionEnd":
		return closing(p.SessionEnd(), p.Transcript, sessionEnded), true
	case "UserPromptSubmit":
		return closing(p.Prompt(machine(p)), p.Transcript, promptCame), true
	case "PreToolUse":
		return hooks.One(p.ToolCall(logfmt.ToolStart, about)), true
	case "PostToolUse":
		return finished(p, about, proj), true
	case "PermissionRequest":
		return hooks.One(p.Permission(about)), true
	case "PostModelRequest":
		return hooks.One(turnFailed(p)), true
	case "Stop":
		return closing(hooks.NewDraft(logfmt.Stop), p.Transcript, turnEnded), true
	case "Interrupt":
		return closing(hooks.NewDraft(logfmt.Interrupt), p.Transcript, interrupted), true
	case "SubagentStart":
		return hooks.One(p.AgentEvent(logfmt.AgentSpawn)), true
	case "SubagentStop":
		return closing(p.AgentEvent(logfmt.AgentComplete), p.Str("agent_transcript_path"), turnEnded), true
	case "PreCompact":
		return hooks.One(p.Compact("before")), true
	case "PostCompact":
		return hooks.One(p.Compact("after")), true
	}
	return hooks.Plan{}, false
}

func closing(d hooks.Draft, transcript string, at moment) hooks.Plan {
	return hooks.Plan{Drafts: []hooks.Draft{d}, Closer: &closer{transcript: transcript, at: at}}
}

func sessionStart(p *hooks.Payload) hooks.Plan {
	client, version := "codex", ""
	if meta := hooks.FirstRecord(p.Transcript); meta.Get("type").Str == "session_meta" {
		version = meta.Get("payload.cli_version").Str
		if o := meta.Get("payload.originator").Str; o != "" {
			client = o
		}
	}
	return p.Opened(client, version)
}

// machine reports whether no person typed the prompt: it is a sub-agent's task, or
// belongs to a thread under this session's id, such as a review.
func machine(p *hooks.Payload) bool { return p.AgentID != "" || p.Transcript != "" && !own(p) }

// turnFailed is a failed request to the model. Codex may try again in the same turn, so
// there is one entry a turn.
func turnFailed(p *hooks.Payload) hooks.Draft {
	d := p.TurnFailed(p.Str("error"), "")
	d.Data.Str("inferred", "model request")
	d.Once = p.Str("turn_id")
	return d
}

// describe adds what a call is about: a shell command's head, the file of a patch or an
// image, a sub-agent's task.
func describe(o *logfmt.Object, p *hooks.Payload, proj *project.Project) {
	switch p.Tool {
	case "Bash":
		o.StrIf("head", hooks.CommandHead(p.Input.Get("command").Str))
	case "apply_patch":
		o.StrIf("path", patchedPath(p, proj))
	case "view_image":
		o.StrIf("path", relative(p.Input.Get("path").Str, p.Cwd, proj))
	case "collaborationspawn_agent":
		o.StrIf("task", hooks.Head(p.Input.Get("task_name").Str))
	}
}

// patchedPath is the first file that a patch names.
func patchedPath(p *hooks.Payload, proj *project.Project) string {
	for line := range strings.Lines(p.Input.Get("command").Str) {
		for _, verb := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
			if name, ok := strings.CutPrefix(line, verb); ok {
				return relative(strings.TrimSpace(name), p.Cwd, proj)
			}
		}
	}
	return ""
}

func relative(path, cwd string, proj *project.Project) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return hooks.Path(proj.Rel(path))
}

// finished is PostToolUse. It comes for every finished command, and for other tools only
// after a success.
func finished(p *hooks.Payload, about func(*logfmt.Object), proj *project.Project) hooks.Plan {
	item := lastItem(p.Transcript, p.ToolUseID)
	end := ending{event: logfmt.Tool}
	switch {
	case item.Exists():
		end = endOfItem(item)
	case p.Tool == "Bash":
		end.outcome = "unknown"
	case p.Response.Get("isError").Bool():
		end.event = logfmt.ToolFailed
	}
	if end.event == logfmt.ToolFailed {
		end.error = responseText(p.Response)
	}
	d := p.ToolCall(end.event, about)
	end.add(d.Data)
	if p.Tool == "apply_patch" && end.event == logfmt.Tool {
		if path := patchedPath(p, proj); path != "" {
			hooks.Content(d.Data, proj, path)
		}
	}
	return hooks.Plan{Drafts: []hooks.Draft{d}, Relay: relay(p, item)}
}

func responseText(r hooks.JSON) string {
	if s := r.Str(); s != "" {
		return s
	}
	return r.Get("content.0.text").Str
}

// relay is a shell call with its output. The output of a long-running command is whole
// only in the transcript.
func relay(p *hooks.Payload, item gjson.Result) *hooks.Relay {
	if p.Tool != "Bash" || !strings.Contains(string(p.Input), "aburn") {
		return nil
	}
	output := p.Response.Str()
	if !strings.Contains(output, logfmt.RelayPrefix) {
		output = item.Get("aggregated_output").Str
	}
	return &hooks.Relay{Command: p.Input.Get("command").Str, Output: output}
}

// knows lists the fields that the adapter reads, or leaves out because they say nothing
// about the work.
func knows(key string) bool {
	switch key {
	case "turn_id", "model", "permission_mode", "source", "reason", "prompt", "status", "error", "token_usage",
		"stop_hook_active", "last_assistant_message", "agent_transcript_path", "trigger":
		return true
	}
	return false
}
