// Package gemini starts the Gemini CLI as a worker. It knows its command line, as of 0.61.0, and nothing of runtimes.
package gemini

import (
	"aburn/internal/agentcli"
	"aburn/worker/acp"
	"aburn/worker/slot"
)

// Agent is the Gemini CLI.
func Agent() slot.Agent { return agent{} }

type agent struct{}

func (agent) Name() string { return agentcli.Gemini.Name }

// modes are its words. Nothing of it judges by itself, so auto is edits.
var modes = map[slot.Permissions]string{slot.Ask: "default", slot.Edits: "auto_edit", slot.Auto: "auto_edit", slot.Plan: "plan"}

func settings(o slot.Order) []string {
	args := []string{"--approval-mode", modes[o.Permissions]}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	return args
}

// Launch passes the task as the first prompt of a terminal. The session's id is ours.
func (agent) Launch(o slot.Order) slot.Launch {
	return slot.Launch{Args: append(settings(o), "--session-id", o.Session, "--prompt-interactive", acp.Prompt(o)), Session: o.Session}
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
	return []string{agentcli.Gemini.Home.BaseVar, "GEMINI_*", "GOOGLE_*", "CODE_ASSIST_*"}
}
