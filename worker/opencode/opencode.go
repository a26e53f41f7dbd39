// Package opencode starts opencode as a worker. It knows its command line, as of 1.18.33, and nothing of runtimes.
package opencode

import (
	"encoding/json"

	"aburn/internal/agentcli"
	"aburn/worker/acp"
	"aburn/worker/slot"
)

// Agent is opencode.
func Agent() slot.Agent { return agent{} }

type agent struct{}

func (agent) Name() string { return agentcli.Opencode.Name }

// permissions are what opencode does with each kind of action. It has to be told always: its own default runs commands and edits
// unasked. Nothing of it judges by itself, so auto is edits.
func permissions(p slot.Permissions) string {
	edit, bash := "ask", "ask"
	switch p {
	case slot.Edits, slot.Auto:
		edit = "allow"
	case slot.Plan:
		edit, bash = "deny", "deny"
	}
	text, _ := json.Marshal(map[string]string{"edit": edit, "bash": bash, "webfetch": "ask", "external_directory": "ask"}) // strings only
	return "OPENCODE_PERMISSION=" + string(text)
}

// Launch passes the task as the first prompt. Only opencode itself knows the session's id.
func (agent) Launch(o slot.Order) slot.Launch {
	l := terminal(o)
	l.Args = append(l.Args, "--prompt", acp.Prompt(o))
	return l
}

// Resume goes on with a conversation.
func (agent) Resume(o slot.Order, session string) slot.Launch {
	l := terminal(o)
	l.Args, l.Session = append(l.Args, "--session", session), session
	return l
}

func terminal(o slot.Order) slot.Launch {
	l := slot.Launch{Env: []string{permissions(o.Permissions)}}
	if o.Model != "" {
		l.Args = append(l.Args, "--model", o.Model)
	}
	return l
}

// Protocol is the Agent Client Protocol. It has no place for a model: that is opencode's own settings'.
func (agent) Protocol() slot.Protocol {
	return acp.Protocol(func(o slot.Order) slot.Launch {
		return slot.Launch{Args: []string{"acp"}, Env: []string{permissions(o.Permissions)}}
	})
}

func (agent) Variables() []string {
	return []string{"OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "OPENROUTER_*", "GOOGLE_*", "GEMINI_*", "GROQ_*", "MISTRAL_*", "AZURE_*", "AWS_*"}
}
