package hooks

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"aburn/internal/project"
	"aburn/logfmt"
)

// This file reads what several agents say alike: most of them took Claude Code's payloads as their model.

// One is the plan of a single draft.
func One(d Draft) Plan { return Plan{Drafts: []Draft{d}} }

// Notice is the draft of a notification.
func (p *Payload) Notice(kind string) Draft {
	d := NewDraft(logfmt.Notify)
	d.Data.StrIf("type", Head(kind)).StrIf("head", Head(p.Str("message")))
	return d
}

// SlashCommand is the draft of a slash command with this name.
func (p *Payload) SlashCommand(name string) Draft {
	d := NewDraft(logfmt.Command)
	d.Data.Str("command", Head(name)).Int("args_chars", int64(utf8.RuneCountInString(p.Str("command_args"))))
	return d
}

// AgentComplete is the draft of a sub-agent's end. A payload lists it among the background tasks if it ran in the background.
func (p *Payload) AgentComplete() Draft {
	d := p.AgentEvent(logfmt.AgentComplete)
	for _, task := range p.Get("background_tasks").Array() {
		if p.IsAgent(task.Get("id").Str) {
			d.Data.StrIf("task", Head(task.Get("description").Str)).Bool("background", true)
		}
	}
	return d
}

// Duration adds how long the call took.
func (p *Payload) Duration(o *logfmt.Object) {
	if v := p.Get("duration_ms"); v.Type == gjson.Number {
		o.Int("duration_ms", v.Int())
	}
}

// PathFrom is a path of a call as entries have it, "" for none. A relative one is below cwd.
func PathFrom(cwd, path string, proj *project.Project) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return Path(proj.Rel(path))
}

// ShellRelay is the relay of a call of the tool shell that mentions aburn; nil for others. output is what the command wrote.
func (p *Payload) ShellRelay(shell string, output func() string) *Relay {
	if p.Tool != shell || !strings.Contains(string(p.Input), "aburn") {
		return nil
	}
	return &Relay{Command: p.Input.Get("command").Str, Output: output()}
}

// ToolEvents reads the events of calls that Claude Code and Qwen Code name alike.
type ToolEvents struct {
	About     func(o *logfmt.Object) // adds the command, path or task
	Succeeded func() Draft
	Failed    func() Draft
	Relay     func() *Relay
	Batch     func() *Batch
}

// ToolPlan returns false for an event that is none of a call.
func (p *Payload) ToolPlan(t ToolEvents) (Plan, bool) {
	switch p.Event {
	case "PreToolUse":
		return One(p.ToolCall(logfmt.ToolStart, t.About)), true
	case "PostToolUse":
		return Plan{Drafts: []Draft{t.Succeeded()}, Relay: t.Relay()}, true
	case "PostToolUseFailure":
		return One(t.Failed()), true
	case "PermissionDenied":
		d := p.ToolCall(logfmt.ToolDenied, t.About)
		d.Data.StrIf("reason", Head(p.Str("reason")))
		return One(d), true
	case "PermissionRequest":
		return One(p.Permission(t.About)), true
	case "PostToolBatch":
		return Plan{Closer: t.Batch()}, true
	}
	return Plan{}, false
}

// First is the first member of the input that has one of these keys and is not empty.
func (v JSON) First(keys ...string) (text string) {
	v.Members(func(key string, value JSON) bool {
		if slices.Contains(keys, key) {
			text = value.Str()
		}
		return text == ""
	})
	return text
}
