package lookup

import (
	"os"
	"path/filepath"
	"testing"
)

// An empty home names the folder of each agent. A single session file of any agent makes that sentence false.
func TestLookedIn(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string {
		return map[string]string{"HOME": home, "CODEX_HOME": filepath.Join(home, "codex")}[name]
	}
	const want = "aburn looked in ~/.claude/projects, ~/.copilot/session-state, ~/.gemini/tmp, ~/.local/share/opencode, ~/.openclaw/agents, " +
		"~/.pi/agent/sessions, ~/.qwen/projects, ~/codex/sessions"
	if got := LookedIn(t.Context(), env); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, file := range []string{".claude/projects/-src-app/11111111-2222-3333-4444-555555555555.jsonl", ".local/share/opencode/opencode.db"} {
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := LookedIn(t.Context(), env); got != "" {
			t.Errorf("with %s: %q", file, got)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if got := LookedIn(t.Context(), func(string) string { return "" }); got != "aburn could look nowhere, because HOME is not set" {
		t.Errorf("without HOME: %q", got)
	}
}
