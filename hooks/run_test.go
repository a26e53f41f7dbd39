package hooks_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/internal/project"
	"aburn/internal/queue"
)

// A look comes after the entries of the run are on disk and before anything is
// delivered, only at a prompt or the end of a turn of the session itself, and only
// where this user trusted the project.
func TestLook(t *testing.T) {
	const prompt = `"hook_event_name":"UserPromptSubmit","prompt":"go"`
	for _, c := range []struct {
		members string
		trusted bool
		looks   bool
		prints  string
	}{
		{prompt, true, true, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"%"}}`},
		{prompt, false, false, ""},
		{`"hook_event_name":"UserPromptSubmit","prompt":"<task-notification>"`, true, true, ""},
		{`"hook_event_name":"Stop"`, true, true, ""},
		{prompt + `,"agent_id":"a1","agent_type":"x"`, true, false, ""},
		{`"hook_event_name":"UserPromptExpansion","command_name":"build"`, true, false, ""},
		{`"hook_event_name":"SessionStart","source":"startup"`, true, false, ""},
		{`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1"`, true, false, ""},
		{`"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1","tool_response":{}`, true, false, ""},
	} {
		dir := place(t)
		if c.trusted {
			if err := project.Mark(dir); err != nil {
				t.Fatal(err)
			}
		}
		looks := 0
		var stdout bytes.Buffer
		run := hooks.Run{
			Start: time.Now(), Args: []string{"claude"}, Stdin: stdin(t, `{"session_id":"s1",`+c.members+`}`), Stdout: &stdout, Env: os.Getenv,
			Agents: []hooks.Agent{claude.Agent()}, Exit: func() {}, // its timer outlives the run, which a process does not
			Look: func(l hooks.Looking) hooks.Looked {
				looks++
				written, err := os.ReadFile(filepath.Join(dir, ".oss", "workflow.log"))
				if err != nil || l.Session != "s1" || !bytes.Contains(written, []byte(l.Prompt)) || len(l.Key) == 0 {
					t.Errorf("looking at %+v, log %s, %v", l, written, err)
				}
				put(t, l, queue.Task{Session: "s1", Prompt: "be careful"})
				put(t, l, queue.Task{Session: "s2", Prompt: "not for you"})
				return hooks.Looked{Alone: true}
			},
		}
		if err := run.Do(); err != nil {
			t.Fatal(err)
		}
		got := stdout.String()
		before, after, _ := strings.Cut(c.prints, "%")
		if (looks == 1) != c.looks || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) || (got == "") != (c.prints == "") ||
			strings.Contains(got, "be careful") != (got != "") || strings.Contains(got, "not for you") {
			t.Errorf("%s, trusted %v: %d looks, printed %q", c.members, c.trusted, looks, got)
		}
	}
}

// place is a folder with a .oss in a home of its own.
func place(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "project")
	if err := os.MkdirAll(filepath.Join(dir, ".oss"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CLAUDE_PROJECT_DIR", dir)
	return dir
}

func stdin(t *testing.T, payload string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "payload")
	if err := os.WriteFile(path, []byte(payload), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t *testing.T, l hooks.Looking, task queue.Task) {
	t.Helper()
	desk, err := queue.New(l.Root, l.Key).Lock(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Put(task, 0, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := desk.Close(); err != nil {
		t.Fatal(err)
	}
}
