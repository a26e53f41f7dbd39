package agents

import (
	"slices"
	"strings"
	"testing"

	"aburn/worker/slot"
)

// What aider is told is never a command of its own, whatever the task begins with.
func TestTaskIsNoCommand(t *testing.T) {
	for _, o := range []slot.Order{
		{Task: "!rm -rf .", Folder: "/w"}, {Task: "/run rm -rf .", Folder: "/w"}, {Task: "/run x", Rules: "Commit.", Folder: "/w"},
	} {
		l := aider{}.Launch(o)
		if len(l.Files) != 1 {
			t.Fatalf("%+v", l)
		}
		for path, text := range l.Files {
			if strings.ContainsAny(string(text[:1]), "/!") || !strings.HasSuffix(string(text), "\n"+o.Task) {
				t.Errorf("told %q", text)
			}
			if i := slices.Index(l.Args, "--message-file"); i < 0 || l.Args[i+1] != path {
				t.Errorf("%q", l.Args)
			}
		}
	}
}

// Each permission has the flags that aider has for it, at the first start and when it goes on.
func TestPermissions(t *testing.T) {
	for p, want := range map[slot.Permissions]string{slot.Ask: "", slot.Edits: "", slot.Auto: "--yes-always", slot.Plan: "--chat-mode ask"} {
		o := slot.Order{Task: "x", Folder: "/w", Permissions: p, Session: "s", Model: "m"}
		for _, l := range []slot.Launch{aider{}.Launch(o), aider{}.Resume(o, "s")} {
			line := strings.Join(l.Args, " ")
			if l.Session != "s" || !strings.Contains(line, "--model m") || !strings.Contains(line, "--no-detect-urls") {
				t.Errorf("%+v", l)
			}
			for _, flag := range []string{"--yes-always", "--chat-mode ask"} {
				if strings.Contains(line, flag) != (flag == want) {
					t.Errorf("%s: %s", p, line)
				}
			}
		}
	}
}
