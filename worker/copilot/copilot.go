// Package copilot starts the Copilot CLI as a worker. It knows its command line, as of 1.0.102, and nothing of runtimes.
package copilot

import (
	"aburn/internal/agentcli"
	"aburn/worker/acp"
	"aburn/worker/slot"
)

// Agent is the Copilot CLI.
func Agent() slot.Agent { return agent{} }

type agent struct{}

func (agent) Name() string { return agentcli.Copilot.Name }

// settings: it asks about everything by itself. Nothing of it judges, so auto is edits. Plan only refuses: its own plan mode
// is no flag of a start.
func settings(o slot.Order) (args []string) {
	switch o.Permissions {
	case slot.Edits, slot.Auto:
		args = append(args, "--allow-tool", "write")
	case slot.Plan:
		args = append(args, "--deny-tool", "write", "--deny-tool", "shell")
	}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	return args
}

// Launch passes the task as the first prompt of a terminal. Only the client knows the session's id.
func (agent) Launch(o slot.Order) slot.Launch {
	return slot.Launch{Args: append(settings(o), "--interactive", acp.Prompt(o))}
}

// Resume goes on with a conversation.
func (agent) Resume(o slot.Order, session string) slot.Launch {
	return slot.Launch{Args: append(settings(o), "--resume", session), Session: session}
}

// Protocol is the Agent Client Protocol.
func (agent) Protocol() slot.Protocol {
	return acp.Protocol(func(o slot.Order) slot.Launch { return slot.Launch{Args: append([]string{"--acp"}, settings(o)...)} })
}

func (agent) Variables() []string {
	return []string{agentcli.Copilot.Home.Var, "COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"}
}
