package hooks_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/internal/project"
	"aburn/logfmt"
)

// A look comes after the entries of the run are on disk, only where this user
// vouched for the project, and what it returns is handed to the agent.
func TestLook(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		home := t.TempDir()
		dir := filepath.Join(home, "project")
		if err := os.MkdirAll(filepath.Join(dir, ".oss"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("HOME", home)
		t.Setenv("XDG_STATE_HOME", "")
		t.Setenv("CLAUDE_PROJECT_DIR", dir)
		if trusted {
			if err := project.Mark(dir); err != nil {
				t.Fatal(err)
			}
		}
		payload := filepath.Join(home, "payload")
		if err := os.WriteFile(payload, []byte(`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"go"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		stdin, err := os.Open(payload)
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		var stdout bytes.Buffer
		looks := 0
		run := hooks.Run{
			Start: time.Now(), Args: []string{"claude"}, Stdin: stdin, Stdout: &stdout, Env: os.Getenv,
			Agents: []hooks.Agent{claude.Agent()}, Exit: func() {}, // its timer outlives the run, which a process does not
			Look: func(l hooks.Looking) string {
				looks++
				written, err := os.ReadFile(filepath.Join(dir, ".oss", "workflow.log"))
				if err != nil || len(l.Entries) != 1 || l.Entries[0].Event != logfmt.Prompt || !bytes.Contains(written, []byte(l.Entries[0].ID)) {
					t.Errorf("entries %v, log %s, %v", l.Entries, written, err)
				}
				return "be careful"
			},
		}
		if err := run.Do(); err != nil {
			t.Fatal(err)
		}
		want := ""
		if trusted {
			want = `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"be careful"}}`
		}
		if stdout.String() != want || (looks == 1) != trusted {
			t.Errorf("trusted %v: %d looks, printed %q", trusted, looks, &stdout)
		}
	}
}
