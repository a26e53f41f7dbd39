//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/logfmt"
)

// helped is a world whose hook starts a script in place of aburn. The script writes down its arguments, and then does what the test says.
func helped(t *testing.T, set, script string) *archiver {
	a := newArchiver(t)
	a.Write(".config/aburn/settings.json", `{"snapshots":"`+set+`"}`)
	a.trust()
	text := "#!/bin/sh\nPATH=/usr/bin:/bin\necho \"$*\" >> '" + a.out + "'\n" + script
	if err := os.WriteFile(filepath.Join(filepath.Dir(a.hook), "aburn"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	exe = a.hook
	return a
}

// pending reports whether a snapshot is on its way.
func (a *archiver) pending() bool {
	list, _ := filepath.Glob(filepath.Join(a.Oss(), hooks.SnapshotsDir, "*.wait"))
	return len(list) > 0
}

func call(id, tool, input string) string {
	return claudePayload("PreToolUse", `"tool_name":"`+tool+`","tool_input":`+input+`,"tool_use_id":"`+id+`"`)
}

// done ends the waiting as a helper does: it removes the file.
const done = "rm \"$2\"/.oss/snapshots/*.wait\n"

// At a prompt the hook starts a helper. The first call that may write waits for it, and says what the file was; what only reads doesn't wait.
func TestSnapshotAtPrompt(t *testing.T) {
	before := exe
	defer func() { exe = before }()
	a := helped(t, "prompts", "")
	a.Write("project/a", "one\n")
	a.send2(claudePayload("UserPromptSubmit", `"prompt":"do it"`))
	session := string(a.entries()[0].Session)
	if !a.pending() {
		t.Fatal("nothing is on its way")
	}
	a.send2(call("r1", "Read", `{"file_path":"`+a.Project+`/a"}`))
	a.send2(call("r2", "Bash", `{"command":"ls | head"}`))
	if !a.pending() {
		t.Error("a reading call ended the waiting")
	}
	a.send2(call("w1", "Edit", `{"file_path":"`+a.Project+`/a"}`)) // nobody takes the snapshot, so the call waits in vain
	a.send2(call("w2", "Edit", `{"file_path":"`+a.Project+`/new"}`))
	list := a.entries()
	for i, want := range []string{"", "", "", "none", ""} {
		if got := gjson.GetBytes(list[i].Data, "snapshot").Str; got != want {
			t.Errorf("entry %d: snapshot %q, not %q", i, got, want)
		}
	}
	if was := gjson.GetBytes(list[3].Data, "was").Str; !strings.HasPrefix(was, "2c8b08da5ce60398") {
		t.Errorf("the file was %q", was)
	}
	if was := gjson.GetBytes(list[4].Data, "was").Str; was != "none" {
		t.Errorf("a new file was %q", was)
	}
	a.send2(claudePayload("Stop", `"stop_hook_active":false`))
	want := "-C " + a.Project + " turn-snapshot --session " + session + " --at prompt --of " + list[0].ID
	if got := a.all(2); len(got) != 2 || got[0] != want || !strings.Contains(got[1], "--at stop") {
		t.Errorf("helpers: %q", got)
	}
}

// With prompts+risky a command that may write waits for a snapshot of its own.
func TestSnapshotBeforeRiskyCommand(t *testing.T) {
	before := exe
	defer func() { exe = before }()
	a := helped(t, "prompts+risky", done)
	a.send2(claudePayload("UserPromptSubmit", `"prompt":"do it"`))
	a.send2(call("t1", "Bash", `{"command":"go test ./..."}`))
	a.send2(call("t2", "Bash", `{"command":"rm -rf old"}`))
	got := a.all(2)
	if len(got) != 2 || !strings.HasSuffix(got[1], "--at call --of t2") {
		t.Errorf("helpers: %q", got)
	}
	for _, e := range a.entries() {
		if e.Event == logfmt.ToolStart && gjson.GetBytes(e.Data, "snapshot").Exists() {
			t.Errorf("%s", e.Data)
		}
	}
}

// Where it is off, in a project that nobody trusts, and by a project's own word, there is none.
func TestNoSnapshots(t *testing.T) {
	before := exe
	defer func() { exe = before }()
	a := helped(t, "off", "")
	a.Write("project/.oss/settings.json", `{"snapshots":"prompts"}`)
	a.send2(claudePayload("UserPromptSubmit", `"prompt":"do it"`))
	a.send2(call("w1", "Edit", `{"file_path":"`+a.Project+`/a"}`))
	if _, err := os.Lstat(filepath.Join(a.Oss(), hooks.SnapshotsDir)); err == nil {
		t.Error("a helper was started")
	}
	for _, e := range a.entries() {
		if gjson.GetBytes(e.Data, "was").Exists() {
			t.Errorf("%s", e.Data)
		}
	}
}

// send2 sends a payload to the hook with its helper.
func (a *archiver) send2(payload string) {
	a.t.Helper()
	if out := a.world.send("claude", payload); out != "" {
		a.t.Errorf("printed %s", out)
	}
}

// all waits for so many helpers, and returns their command lines.
func (a *archiver) all(n int) []string {
	a.t.Helper()
	var lines []string
	for try := 0; try < 100_000 && len(lines) < n; try++ {
		text, _ := os.ReadFile(a.out)
		lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	return lines
}
