package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// bashFails records a shell call that failed.
func (h *historied) bashFails(command, output string) {
	h.Helper()
	id := "toolu_f" + command[:2]
	h.record("assistant", map[string]any{"id": "msg_" + id, "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "tool_use",
		"content": []any{map[string]any{"type": "tool_use", "id": id + h.now.Format("150405"), "name": "Bash",
			"input": map[string]any{"command": command}}}}, nil)
	id += h.now.Add(-time.Second).Format("150405")
	h.record("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id,
		"is_error": true, "content": "Exit code 2\n" + output}}}, map[string]any{"toolUseResult": "Error: Exit code 2\n" + output})
}

func (h *historied) says(text string) {
	h.Helper()
	h.record("assistant", map[string]any{"id": "msg_say" + h.now.Format("150405"), "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 10}, "content": []any{map[string]any{"type": "text", "text": text}}}, nil)
}

func newHandedOff(t *testing.T) *historied {
	h := newHistoried(t)
	h.write("README", "one\n")
	h.git("add", ".")
	h.git("commit", "-qm", "start")
	h.prompt("Write a parser.\nIts key is " + "sk-ant-api03-" + strings.Repeat("Ab3", 30) + "AA and it has \u200bhidden text.")
	h.call("TaskCreate", map[string]any{"subject": "write the parser"}, func() string { return "Task #1 created successfully: write the parser" }, nil)
	h.call("TaskCreate", map[string]any{"subject": "write its docs"}, func() string { return "Task #2 created successfully: write its docs" }, nil)
	h.creates("parser.go", "package parser\n")
	h.bashFails("npm ci", "npm ERR! ENOENT lock file")
	h.bashFails("go vet ./...", "vet: no go.mod")
	h.bash("go vet ./...", func() string { return "ok" })
	h.bash("go test ./...", func() string { return "ok" })
	h.bash(`git add -A && git commit -m "add the parser"`, func() string { h.git("add", "-A"); return h.git("commit", "-m", "add the parser") })
	h.call("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"}, func() string { return "Updated task #1 status" }, nil)
	h.prompt("now its tests")
	h.creates("parser_test.go", "package parser\n")
	h.says("I wrote a test. Shall I run it?")
	h.write("parser.go", "package parser // by a person\n")
	return h
}

func (h *historied) handoff(want int, args ...string) (out, errs string) {
	h.Helper()
	out, errs, code := h.run(append([]string{"-C", h.repo, "handoff"}, args...)...)
	if code != want {
		h.Fatalf("handoff %v: exit %d, want %d\n%s%s", args, code, want, out, errs)
	}
	return out, errs
}

// TestHandoff: a briefing has what a session leaves, each fact with its event, and nothing that was solved or is secret.
func TestHandoff(t *testing.T) {
	world.Slow(t)
	h := newHandedOff(t)
	out, _ := h.handoff(0)
	at := 0
	for _, want := range []string{
		"# Briefing: a session of Claude Code to continue\n",
		"`aburn show 7b1c2f91 --at N`", "- session: " + whyID + ", claude-sonnet-4-5\n", "- folder: " + h.repo + "\n",
		"## The user asked, newest first\n", "> now its tests\n", "> Write a parser.\n> Its key is ",
		"## Commits of this session\n", " add the parser\n",
		"## Files it changed, newest first\n", "parser_test.go` created, unchanged since\n", "parser.go` created, changed again since\n",
		"## Last run of each check\n", "`go test` passed, before 1 later change of files\n", "`go vet` passed, before 1 later change of files\n",
		"## Failed and never succeeded later\n", "`npm ci` failed · exit 2 · ",
		"## Left open\n", "the agent's last message ends with a question, and nobody answered it\n", "task “write its docs”: pending\n",
		"## The agent's last message\n", "> I wrote a test. Shall I run it?\n",
		"## Not committed, in the session's folder now\n", "- main: 2 paths\n", "- modified `parser.go`\n", "- untracked `parser_test.go`\n",
	} {
		i := strings.Index(out[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing or not in this order in\n%s", want, out)
		}
		at += i + len(want)
	}
	for _, not := range []string{"sk-ant-api03", "\u200b", "go vet ./...` failed", "write the parser”"} {
		if strings.Contains(out, not) {
			t.Errorf("it has %q:\n%s", not, out)
		}
	}
	h.citesTruly()
}

// citesTruly checks each fact of the JSON form against the record that it cites.
func (h *historied) citesTruly() {
	h.Helper()
	out, _ := h.handoff(0, "--json")
	var b struct {
		Sections []struct {
			Name       string
			Statements []struct {
				Text, From string
				Event      int
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		h.Fatal(err)
	}
	word := map[string]string{"committed": "git commit", "checked": "go ", "failed": "npm ci", "asked": "", "changed": "parser", "last_words": "Shall I run it?"}
	n := 0
	for _, s := range b.Sections {
		for _, f := range s.Statements {
			if f.Event == 0 {
				continue
			}
			n++
			raw, errs, code := h.run("-C", h.repo, "show", whyID, "--raw", strconv.Itoa(f.Event))
			want := word[s.Name]
			if s.Name == "asked" {
				want = f.Text[:10]
			}
			if code != 0 || !strings.Contains(raw, want) {
				h.Errorf("%s: %q cites event %d, which is\n%s%s", s.Name, f.Text, f.Event, raw, errs)
			}
		}
	}
	if n < 9 {
		h.Errorf("only %d facts cite an event:\n%s", n, out)
	}
}

// A long session is cut to the bound, and says how much it leaves out. The first prompt stays.
func TestHandoffIsBounded(t *testing.T) {
	h := newHistoried(t)
	h.prompt("the first prompt")
	for range 30 {
		h.prompt(strings.Repeat("long prompt ", 400))
		h.bashFails("make x", strings.Repeat("boom ", 100))
		h.creates("file"+h.now.Format("150405")+".go", "package x\n")
	}
	out, _ := h.handoff(0)
	if n := len([]rune(out)); n > 9000 || n < 4000 {
		t.Errorf("%d characters", n)
	}
	for _, want := range []string{"> the first prompt\n", "more\n", "`make x` failed 30 times, the last time · exit 2"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestHandoffStarts: the agent gets the briefing as its first prompt, in the caller's folder.
func TestHandoffStarts(t *testing.T) {
	world.Slow(t)
	h := newHandedOff(t)
	bin := filepath.Join(h.home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "codex"), []byte("#!/bin/sh\npwd\nfor a in \"$@\"; do echo \"<$a>\"; done\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("aburn", "-C", h.repo, "handoff", "--to", "codex", "--start")
	cmd.Env = append(os.Environ(), "HOME="+h.home, "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if !strings.HasPrefix(string(out), h.repo+"\n<-->\n<# Briefing: a session of Claude Code to continue\n") || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("%v\n%s", err, out)
	}
	for _, bad := range [][]string{{"--to", "codex"}, {"--start"}, {"--to", "vim", "--start"}, {"--to", "codex", "--start", "--json"}} {
		if _, errs := h.handoff(2, bad...); !strings.Contains(errs, "hint:") && !strings.Contains(errs, "--json") {
			t.Errorf("%v: %s", bad, errs)
		}
	}
	if _, errs := h.handoff(1, "0000nothere"); !strings.Contains(errs, "hint:") {
		t.Error(errs)
	}
}
