package claude

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"aburn/internal/agentcli"
	"aburn/worker/slot"
)

func TestLaunchAlwaysSaysWhatMayRun(t *testing.T) {
	for _, p := range slot.AllPermissions() {
		args := Agent().Launch(slot.Order{Session: "id", Permissions: p, Task: "-x"}).Args
		i := slices.Index(args, "--permission-mode")
		if i < 0 || args[i+1] == "" || strings.Contains(strings.Join(args, " "), "skip-permissions") {
			t.Errorf("%s: %v", p, args)
		}
		if n := len(args); args[n-2] != "--" || args[n-1] != "-x" {
			t.Errorf("a task may be a flag: %v", args)
		}
	}
}

// `aburn done` and a commit in the worker's own worktree must not need a person, and nothing else may run unasked because of it.
func TestReportsRunUnasked(t *testing.T) {
	reports := "--allowedTools Bash(aburn done:*) --allowedTools Bash(aburn ask:*) --"
	for p, want := range map[slot.Permissions]string{
		slot.Ask:  "manual --allowedTools Bash(git add:*) --allowedTools Bash(git commit:*) " + reports,
		slot.Plan: "plan " + reports,
	} {
		args := Agent().Launch(slot.Order{Permissions: p, Reports: []string{"aburn done", "aburn ask"}, Task: "x"}).Args
		if !strings.Contains(strings.Join(args, " "), "--permission-mode "+want) {
			t.Errorf("%s: %q", p, args)
		}
	}
}

func TestHooksOfOneStart(t *testing.T) {
	l := Agent().Launch(slot.Order{Folder: "/f", Hook: "/bin/aburn-hook"})
	var file struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Command string
				Args    []string
			}
		}
	}
	if err := json.Unmarshal(l.Files["/f/settings.json"], &file); err != nil {
		t.Fatal(err)
	}
	for _, e := range agentcli.Claude.Hooks.Events {
		if g := file.Hooks[e.Name]; len(g) != 1 || g[0].Hooks[0].Command != "/bin/aburn-hook" || g[0].Hooks[0].Args[0] != Agent().Name() {
			t.Errorf("%s: %+v", e.Name, g)
		}
	}
	if l := Agent().Launch(slot.Order{Folder: "/f"}); len(l.Files) > 0 || slices.Contains(l.Args, "--settings") {
		t.Errorf("hooks that are installed are passed once more: %+v", l)
	}
}

// TestFork: the conversation goes on under the new session's id.
func TestFork(t *testing.T) {
	o := slot.Order{Permissions: slot.Ask, Task: "-x", Fork: "old", Session: "new"}
	l := Agent().Launch(o)
	if line := strings.Join(l.Args, " "); !strings.HasPrefix(line, "--resume old --fork-session --session-id new --permission-mode manual") ||
		!strings.HasSuffix(line, " -- -x") || l.Session != "new" {
		t.Errorf("%s %s", line, l.Session)
	}
	l, _ = Agent().Protocol().Launch(o, "")
	if line := strings.Join(l.Args, " "); !strings.HasPrefix(line, "--resume old --fork-session --session-id new ") || !strings.Contains(line, " -p ") {
		t.Error(line)
	}
	l = Agent().Resume(o, "mine")
	if line := strings.Join(l.Args, " "); strings.Contains(line, "fork") || !strings.HasPrefix(line, "--resume mine ") {
		t.Error(line)
	}
}
