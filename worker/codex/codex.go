// Package codex starts Codex as a worker. It knows its command line, as of 0.169.0, and nothing of runtimes.
package codex

import (
	"encoding/json"
	"strings"

	"aburn/internal/agentcli"
	"aburn/worker/slot"
)

// Agent is Codex.
func Agent() slot.Agent { return agent{} }

type agent struct{}

func (agent) Name() string { return agentcli.Codex.Name }

// mode is what Codex is told for a permission. Commands run in its sandbox, and what a person approves runs outside of it.
type mode struct {
	ours             slot.Permissions
	sandbox          string
	approval         string
	reviewer         string // who answers; "" is the person
	writesBesideTree bool
}

// modes: Codex asks about what its sandbox does not let through, so ask is the sandbox that lets only reading through. auto
// is its own automatic review. The policy "untrusted" is no longer supported as of 0.169.0.
var modes = [...]mode{
	{slot.Ask, "read-only", "on-request", "", false},
	{slot.Edits, "workspace-write", "on-request", "", true},
	{slot.Auto, "workspace-write", "on-request", "auto_review", true},
	{slot.Plan, "read-only", "never", "", false},
}

func modeOf(p slot.Permissions) mode {
	for _, m := range modes {
		if m.ours == p {
			return m
		}
	}
	return modes[0]
}

// Launch passes the task as the argument. --no-daemon keeps the work in this process, which the holder ends.
func (agent) Launch(o slot.Order) slot.Launch {
	if o.Fork != "" { // without --cd it asks in which folder it should work
		return slot.Launch{Args: append(append([]string{"fork", "--cd", o.Tree}, terminal(o)...), "--", o.Fork, o.Task)}
	}
	return slot.Launch{Args: append(terminal(o), "--", o.Task)}
}

// Forks: `codex fork` and thread/fork copy a conversation into a new thread.
func (agent) Forks() {}

// Resume goes on with a conversation.
func (agent) Resume(o slot.Order, session string) slot.Launch {
	args := append([]string{"resume"}, terminal(o)...)
	return slot.Launch{Args: append(args, session), Session: session}
}

func terminal(o slot.Order) []string {
	args := append([]string{"--no-daemon"}, settings(o)...)
	if m := modeOf(o.Permissions); m.writesBesideTree {
		for _, dir := range o.Writable {
			args = append(args, "--add-dir", dir)
		}
	}
	return args
}

// settings are the flags that Codex takes in every form of its start.
func settings(o slot.Order) []string {
	m := modeOf(o.Permissions)
	args := []string{"-c", set("sandbox_mode", m.sandbox), "-c", set("approval_policy", m.approval)}
	if m.reviewer != "" {
		args = append(args, "-c", set("approvals_reviewer", m.reviewer))
	}
	if o.Model != "" {
		args = append(args, "-c", set("model", o.Model))
	}
	if o.Rules != "" {
		args = append(args, "-c", set("developer_instructions", o.Rules))
	}
	return args
}

// Queue: an idle terminal reads the queue about every ten seconds, a resumed one when it starts.
func (agent) Queue(session, text string) []string {
	return []string{agentcli.Codex.Program, "queue", "--thread", session, "--message", text}
}

// Confine runs a command in the sandbox in which Codex' own commands run. What a person would approve is refused there.
func (agent) Confine(o slot.Order, argv []string) (args, variables []string) {
	m := modeOf(o.Permissions)
	args = []string{"sandbox", "-c", set("sandbox_mode", m.sandbox)}
	if m.writesBesideTree {
		roots, _ := json.Marshal(append([]string{}, o.Writable...)) // strings, as TOML writes them too
		args = append(args, "-c", "sandbox_workspace_write.writable_roots="+string(roots))
	}
	return append(append(args, "--"), argv...), []string{agentcli.Codex.Home.Var}
}

// set is a setting in TOML, whose strings are written as in JSON.
func set(key, value string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(value) // a string
	return key + "=" + strings.TrimSuffix(b.String(), "\n")
}

func (agent) Variables() []string {
	return []string{agentcli.Codex.Home.Var, "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CA_CERTIFICATE", "OPENAI_*", "AZURE_*", "AWS_*"}
}
