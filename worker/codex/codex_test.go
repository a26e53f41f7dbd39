package codex

import (
	"slices"
	"strings"
	"testing"

	"aburn/worker/slot"
)

func TestLaunchAlwaysSaysWhatMayRun(t *testing.T) {
	for _, p := range slot.AllPermissions() {
		args := Agent().Launch(slot.Order{Permissions: p, Task: "-x", Writable: []string{"/r/.git/objects"}}).Args
		line := strings.Join(args, " ")
		if !strings.Contains(line, "sandbox_mode=") || !strings.Contains(line, "approval_policy=") || strings.Contains(line, "bypass") ||
			strings.Contains(line, "danger") {
			t.Errorf("%s: %v", p, args)
		}
		if n := len(args); args[n-2] != "--" || args[n-1] != "-x" || args[0] != "--no-daemon" {
			t.Errorf("a task may be a flag, or the work may leave the process: %v", args)
		}
		if writes := slices.Contains(args, "/r/.git/objects"); writes != strings.Contains(line, `sandbox_mode="workspace-write"`) {
			t.Errorf("%s: %v", p, args)
		}
	}
}

func TestSettingsAreTOML(t *testing.T) {
	if got, want := set("developer_instructions", "a \"b\" <c>\\\n\x01"), `developer_instructions="a \"b\" <c>\\\n\u0001"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestConfine: a command runs in the sandbox of the permission, with the folders that a commit needs and no others.
func TestConfine(t *testing.T) {
	for permissions, want := range map[slot.Permissions]string{
		slot.Ask:   `sandbox -c sandbox_mode="read-only" -- sh -c true`,
		slot.Plan:  `sandbox -c sandbox_mode="read-only" -- sh -c true`,
		slot.Edits: `sandbox -c sandbox_mode="workspace-write" -c sandbox_workspace_write.writable_roots=["/a b/\"c\"","/d"] -- sh -c true`,
	} {
		o := slot.Order{Permissions: permissions, Writable: []string{`/a b/"c"`, "/d"}}
		args, _ := Agent().(slot.Confiner).Confine(o, []string{"sh", "-c", "true"})
		if got := strings.Join(args, " "); got != want {
			t.Errorf("%s: %s", permissions, got)
		}
	}
}

// TestFork: the conversation is copied into a new thread, in the fork's own folder and sandbox.
func TestFork(t *testing.T) {
	o := slot.Order{Permissions: slot.Edits, Task: "-x", Fork: "th-1", Tree: "/tree"}
	line := strings.Join(Agent().Launch(o).Args, " ")
	if !strings.HasPrefix(line, `fork --cd /tree --no-daemon -c sandbox_mode="workspace-write"`) || !strings.HasSuffix(line, " -- th-1 -x") {
		t.Error(line)
	}
	_, lines := Agent().Protocol().Launch(o, "")
	if got := string(lines[2].Text); got != `{"id":"open-3","method":"thread/fork","params":{"cwd":"/tree","threadId":"th-1"}}` {
		t.Error(got)
	}
	if _, lines = Agent().Protocol().Launch(o, "th-2"); !strings.Contains(string(lines[2].Text), "thread/resume") {
		t.Errorf("a fork that is resumed is forked again: %s", lines[2].Text)
	}
}
