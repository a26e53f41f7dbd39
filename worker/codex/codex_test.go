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
		if !strings.Contains(line, "sandbox_mode=") || !strings.Contains(line, "approval_policy=") || strings.Contains(line, "bypass") || strings.Contains(line, "danger") {
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
