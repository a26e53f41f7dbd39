package agentcli

import "testing"

const told = "Command: go test ./...\nDirectory: (root)\nOutput: FAIL\nError: (none)\nExit Code: 3\nError: exit status 3\nExit Code: 1\nSignal: " +
	"(none)\nProcess Group PGID: 77"

func TestShellOutput(t *testing.T) {
	for text, want := range map[string]string{
		told: "FAIL\nError: (none)\nExit Code: 3", "Command: ls": "Command: ls", "tests pass\nOutput: 3": "tests pass\nOutput: 3",
	} {
		if got := ShellOutput(text); got != want {
			t.Errorf("ShellOutput(%q) = %q", text, got)
		}
	}
}

func TestShellExit(t *testing.T) {
	if code, ok := ShellExit(told); code != 1 || !ok {
		t.Errorf("the client's own line says 1, not %d %v", code, ok)
	}
	for _, text := range []string{"", "Exit Code: none", "Exit Code: 1\nmore output"} {
		if code, ok := ShellExit(text); ok {
			t.Errorf("ShellExit(%q) = %d", text, code)
		}
	}
}
