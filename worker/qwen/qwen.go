// Package qwen starts Qwen Code as a worker. It knows its command line, as of 0.24.4, and nothing of runtimes.
package qwen

import (
	"aburn/internal/agentcli"
	"aburn/worker/acp"
	"aburn/worker/slot"
)

// Agent is Qwen Code.
func Agent() slot.Agent { return agent{} }

type agent struct{}

func (agent) Name() string { return agentcli.Qwen.Name }

// modes are its words. It has to be told always: without a terminal its own default is auto.
var modes = map[slot.Permissions]string{slot.Ask: "default", slot.Edits: "auto-edit", slot.Auto: "auto", slot.Plan: "plan"}

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
	return []string{agentcli.Qwen.Home.Var, "QWEN_*", "OPENAI_*", "DASHSCOPE_*", "ANTHROPIC_*", "GEMINI_*"}
}
