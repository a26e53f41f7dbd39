package config

import (
	"errors"
	"strings"
	"testing"
)

// A model is a word on the command line of an agent, also where a cloned repository names it: some take --yolo behind --model for a flag
// of its own.
func TestModelIsNoFlag(t *testing.T) {
	for _, text := range []string{"model: --yolo", "model: -y", "worker: {model: --yolo}", "projects: {shop: {path: ROOT, agentConfig: {model: --yolo}}}",
		`model: "a b"`, `model: "a\nb"`} {
		_, err := Load(folder(t, map[string]string{ours: text}))
		var m *Mistake
		if !errors.As(err, &m) || !strings.Contains(m.Text, "model") {
			t.Errorf("%s: %v", text, err)
		}
		c := load(t, folder(t, map[string]string{theirs: "projects: {shop: {path: ROOT, agentConfig: {model: --yolo}}}"}))
		if c.Word("model") != "" || len(c.LeftOut) == 0 {
			t.Errorf("%q counts", c.Word("model"))
		}
	}
	for _, name := range []string{"opus", "claude-sonnet-5", "openrouter/anthropic/claude:beta", "gpt-5.5[1m]", "us.amazon.nova-pro-v1:0"} {
		if c := load(t, folder(t, map[string]string{ours: "model: '" + name + "'"})); c.Word("model") != name {
			t.Errorf("%q is %q", name, c.Word("model"))
		}
	}
}
