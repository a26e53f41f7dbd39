// Package claude starts Claude Code as a worker. It knows its command line, as of 2.1.329, and nothing of runtimes.
package claude

import (
	"encoding/json"
	"path/filepath"

	"aburn/internal/agentcli"
	"aburn/worker/slot"
)

// Agent is Claude Code.
func Agent() slot.Agent { return agent{} }

type agent struct{}

func (agent) Name() string { return agentcli.Claude.Name }

// modes are Claude Code's words. It has to be told always: its own default runs tools unasked.
var modes = [...]struct {
	ours   slot.Permissions
	theirs string
}{{slot.Ask, "manual"}, {slot.Edits, "acceptEdits"}, {slot.Auto, "auto"}, {slot.Plan, "plan"}}

// Launch passes the task as the argument, so that nothing has to be typed. The session's id is ours; a second start with
// the same id is refused by the client, which guards against two agents in one tree.
func (agent) Launch(o slot.Order) slot.Launch {
	l := start(o, "")
	l.Args = append(l.Args, "--", o.Task)
	return l
}

// Resume goes on with a conversation, also from another folder than the one in which it began.
func (agent) Resume(o slot.Order, session string) slot.Launch { return start(o, session) }

// Forks: --fork-session goes on with a conversation under the new session's id, and leaves the old one as it is.
func (agent) Forks() {}

// start is what all forms of a start have.
func start(o slot.Order, resume string) slot.Launch {
	l := slot.Launch{Args: []string{"--session-id", o.Session}, Session: o.Session}
	if o.Fork != "" {
		l.Args = append([]string{"--resume", o.Fork, "--fork-session"}, l.Args...)
	}
	if resume != "" {
		l = slot.Launch{Args: []string{"--resume", resume}, Session: resume}
	}
	for _, m := range modes {
		if m.ours == o.Permissions {
			l.Args = append(l.Args, "--permission-mode", m.theirs)
		}
	}
	if o.Model != "" {
		l.Args = append(l.Args, "--model", o.Model)
	}
	commands := o.Reports
	if o.Permissions != slot.Plan {
		commands = append([]string{"git add", "git commit"}, commands...) // in the worktree, which is the worker's own
	}
	for _, command := range commands {
		l.Args = append(l.Args, "--allowedTools", "Bash("+command+":*)")
	}
	if o.Rules != "" {
		l.Args = append(l.Args, "--append-system-prompt", o.Rules)
	}
	if o.Hook != "" {
		path := filepath.Join(o.Folder, "settings.json")
		l.Args = append(l.Args, "--settings", path)
		l.Files = map[string][]byte{path: hooks(o.Hook)}
	}
	return l
}

// hooks is a settings file with aburn's hooks and nothing else.
func hooks(hook string) []byte {
	type handler struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Timeout int      `json:"timeout"`
	}
	type group struct {
		Hooks []handler `json:"hooks"`
	}
	events := map[string][]group{}
	for _, e := range agentcli.Claude.Hooks.Events {
		events[e.Name] = []group{{[]handler{{"command", hook, []string{agentcli.Claude.Name}, e.Timeout}}}}
	}
	file, _ := json.Marshal(map[string]any{"hooks": events}) // strings and numbers only
	return file
}

func (agent) Variables() []string {
	return []string{
		agentcli.Claude.Home.Var, "ANTHROPIC_*", "CLAUDE_CODE_USE_*", "CLAUDE_CODE_MAX_*", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_DISABLE_*",
		"CLAUDE_CODE_ENABLE_*", "DISABLE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "MAX_THINKING_TOKENS", "BASH_*", "MCP_*",
	}
}
