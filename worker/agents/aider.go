package agents

import (
	"path/filepath"

	"aburn/internal/agentcli"
	"aburn/worker/slot"
)

// aider has no protocol and keeps its conversation in files. The command line is that of its documentation and source up to 0.86;
// it was not tried on a real aider.
type aider struct{}

// Name is its name in agentcli.
func (aider) Name() string { return agentcli.Aider.Name }

// Files in the worker's folder: the task, and the conversation, which a later start goes on with.
const (
	taskFile         = "aider-task.md"
	conversationFile = "aider-chat.md"
	inputFile        = "aider-input"
)

// Launch has aider do one message and end. The message is never the bare task: what begins with / or ! is a command to aider.
func (aider) Launch(o slot.Order) slot.Launch {
	l, path := startAider(o), filepath.Join(o.Folder, taskFile)
	l.Args = append(l.Args, "--message-file", path)
	l.Files = map[string][]byte{path: []byte(aiderMessage(o))}
	l.Session = o.Session
	return l
}

func aiderMessage(o slot.Order) string {
	if o.Rules == "" {
		return "Your task:\n" + o.Task
	}
	return o.Rules + "\n\nYour task:\n" + o.Task
}

// Resume goes on with the conversation, at aider's prompt.
func (aider) Resume(o slot.Order, session string) slot.Launch {
	l := startAider(o)
	l.Args, l.Session = append(l.Args, "--restore-chat-history"), session
	return l
}

// startAider is what all starts have: no question of aider's own at its start, nothing fetched because a task names an address, and
// none of its files in the tree.
func startAider(o slot.Order) slot.Launch {
	l := slot.Launch{Args: []string{
		"--no-check-update", "--no-show-release-notes", "--no-analytics", "--no-show-model-warnings", "--no-gitignore", "--no-detect-urls",
		"--chat-history-file", filepath.Join(o.Folder, conversationFile), "--input-history-file", filepath.Join(o.Folder, inputFile),
	}}
	switch o.Permissions {
	case slot.Auto: // of the questions only that for shell commands is answered with no
		l.Args = append(l.Args, "--yes-always")
	case slot.Plan: // it answers and edits nothing
		l.Args = append(l.Args, "--chat-mode", "ask")
	}
	if o.Model != "" {
		l.Args = append(l.Args, "--model", o.Model)
	}
	return l
}

// Protocol is none: aider speaks in a terminal only.
func (aider) Protocol() slot.Protocol { return nil }

func (aider) Variables() []string {
	return []string{
		"AIDER_*", "OPENAI_*", "ANTHROPIC_*", "OPENROUTER_*", "DEEPSEEK_*", "GEMINI_*", "GOOGLE_*", "VERTEXAI_*", "GROQ_*", "MISTRAL_*", "XAI_*",
		"COHERE_*", "OLLAMA_*", "LM_STUDIO_*", "AZURE_*", "AWS_*",
	}
}
