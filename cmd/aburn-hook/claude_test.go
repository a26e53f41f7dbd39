package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aburn/logfmt"
)

func bash(event, id, command, members string) string {
	return claudePayload(event, `"tool_name":"Bash","tool_input":{"command":"`+command+`"},"tool_use_id":"`+id+`"`+comma(members))
}

// Shell results as the real client gave them: the exit code is never a field.
func TestClaudeExitCodes(t *testing.T) {
	const result = `"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false`
	for _, tc := range []struct{ event, members, want string }{
		{"PostToolUse", `"tool_response":{"stdout":"1",` + result + `},"duration_ms":12`, `TOOL "exit_code":0,"duration_ms":12`},
		{"PostToolUse", `"tool_response":{"stdout":"",` + result + `,"returnCodeInterpretation":"No matches found"}`, `TOOL "outcome":"No matches found"`},
		{"PostToolUse", `"tool_response":{"stdout":"the backgroundTaskId and returnCodeInterpretation",` + result + `}`, `TOOL "exit_code":0`},
		{"PostToolUse", `"tool_response":{"stdout":"","stderr":"","interrupted":true}`, `TOOL "outcome":"interrupted"`},
		{"PostToolUse", `"tool_response":{"stdout":"start",` + result + `,"backgroundTaskId":"b1","timedOutAfterMs":1000}`, `TOOL "background":true`},
		{"PostToolUseFailure", `"error":"Exit code 3\nout\nerr","is_interrupt":false`, `TOOL_FAILED "exit_code":3,"error":"out err"`},
		{"PostToolUseFailure", `"error":"Exit code 1","is_interrupt":false`, `TOOL_FAILED "exit_code":1`},
		{"PostToolUseFailure", `"error":"Exit code many","is_interrupt":true`, `TOOL_FAILED "error":"Exit code many","outcome":"interrupted"`},
	} {
		w := newWorld(t)
		if out := w.send("claude", bash(tc.event, "t1", "make", tc.members)); out != "" {
			t.Errorf("%s printed %q", tc.event, out)
		}
		e := w.last()
		got := string(e.Event) + " " + strings.TrimPrefix(volatile.ReplaceAllString(string(e.Data), ""),
			`{"tool":"Bash","tool_use_id":"t1","head":"make","input":"0feeb86e",`)
		got, _, _ = strings.Cut(got, `,"proc"`)
		if got != tc.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", tc.event, tc.members, got, tc.want)
		}
	}
}

// The hash of what a call answered tells equal answers from others, in a project that this user trusts.
func TestClaudeResult(t *testing.T) {
	w := newWorld(t)
	results := func() (list []string) {
		for i, stdout := range []string{"11 of 50 in 0.2s", "11 of 50 in 3.5s", "22 of 50 in 0.2s"} {
			w.send("claude", bash("PostToolUse", "t"+strconv.Itoa(len(w.entries())+i), "make", `"tool_response":{"stdout":"`+stdout+`","stderr":""}`))
			list = append(list, get(w.last(), "result").Str)
		}
		return list
	}
	if list := results(); strings.Join(list, "") != "" {
		t.Errorf("without a key: %q", list)
	}
	w.trust()
	list := results()
	w.send("claude", bash("PostToolUseFailure", "t99", "make", `"error":"Exit code 1\nno"`))
	failed := get(w.last(), "result").Str
	if list[0] != list[1] || list[1] == list[2] || len(list[2]) != 8 || len(failed) != 8 || failed == list[0] {
		t.Errorf("%q, failed %q", list, failed)
	}
}

// What opencode's plugin says of a call that ended well is no answer.
func TestOpencodeResult(t *testing.T) {
	w := newWorld(t)
	w.trust()
	for response, want := range map[string]int{`{"status":"completed","exit":0}`: 0, `{"status":"completed","exit":7,"output":"no"}`: 8} {
		w.send("opencode", `{"hook_event_name":"tool.ended","session_id":"ses_1","cwd":"/home/user/project","tool_name":"bash","tool_use_id":"call_`+
			strconv.Itoa(want)+`","tool_input":{"command":"make"},"tool_response":`+response+`}`)
		if got := get(w.last(), "result").Str; len(got) != want {
			t.Errorf("%s: %q", response, got)
		}
	}
}

// A call that fires twice, from a plugin and from settings, is one event.
func TestClaudeTwice(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		w.send("claude", bash("PreToolUse", "t1", "ls", ""))
	}
	if got := w.events(); got != "session TOOL_START\n" {
		t.Error(got)
	}
}

func TestClaudeEdit(t *testing.T) {
	w := newWorld(t)
	w.Write("project/sub/a.go", "package a\n")
	w.Write("outside.go", "package outside\n")
	if err := os.Symlink(w.Home, filepath.Join(w.Project, "link")); err != nil {
		t.Skip("no symbolic links on this file system: ", err)
	}
	edit := func(path string) logfmt.Entry {
		w.send("claude", claudePayload("PostToolUse", `"tool_name":"Edit","tool_input":{"file_path":"`+path+
			`","old_string":"x","new_string":"y"},"tool_response":{"filePath":"x"},"tool_use_id":"`+path+`"`))
		return w.last()
	}
	e := edit("/home/user/project/sub/a.go")
	sum := sha256.Sum256([]byte("package a\n"))
	if get(e, "path").Str != "sub/a.go" || get(e, "bytes").Int() != 10 || get(e, "sha256").Str != hex.EncodeToString(sum[:]) {
		t.Errorf("edit inside: %s", e.Data)
	}
	if e := edit("/home/user/outside.go"); get(e, "path").Str != "~/outside.go" || get(e, "sha256").Exists() {
		t.Errorf("edit outside: %s", e.Data)
	}
	if e := edit("/home/user/project/link/outside.go"); get(e, "sha256").Exists() {
		t.Errorf("edit through a link: %s", e.Data)
	}
	if e := edit("/home/user/project/gone.go"); e.Event != logfmt.Tool || get(e, "bytes").Exists() {
		t.Errorf("edit of a file that is gone: %s", e.Data)
	}
}

// What a message's other calls came to is known when PostToolBatch comes; it ends
// only what they did not.
func TestClaudeBatch(t *testing.T) {
	w := newWorld(t)
	w.send("claude", bash("PreToolUse", "ran", "ls", ""))
	w.send("claude", bash("PreToolUse", "denied", "touch z", ""))
	w.send("claude", bash("PreToolUse", "lost", "cat secret.txt", ""))
	w.send("claude", bash("PreToolUse", "asked", "touch y", ""))
	w.send("claude", claudePayload("PermissionRequest", `"tool_name":"Bash","tool_input":{"command":"touch y"}`))
	w.send("claude", bash("PostToolUse", "ran", "ls", `"tool_response":{"stdout":"x"}`))
	batch := claudePayload("PostToolBatch", `"tool_calls":[
		{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"ran","tool_response":"x"},
		{"tool_name":"Bash","tool_input":{"command":"touch z"},"tool_use_id":"denied","tool_response":"Permission to use Bash with command touch z has been denied."},
		{"tool_name":"Bash","tool_input":{"command":"cat secret.txt"},"tool_use_id":"lost","tool_response":"the contents of a file"},
		{"tool_name":"Bash","tool_input":{"command":"touch y"},"tool_use_id":"asked","tool_response":"touch in '/home/user/project/y' needs approval."},
		{"tool_name":"Nope","tool_input":{},"tool_use_id":"invalid","tool_response":"<tool_use_error>Error: No such tool available: Nope</tool_use_error>"}]`)
	w.send("claude", batch)
	w.send("claude", batch) // nothing is left to do
	want := []string{
		"TOOL_START ran", "TOOL_START denied", "TOOL_START lost", "TOOL_START asked", "PERMISSION ", "TOOL ran",
		"TOOL_DENIED denied Permission to use Bash with command touch z has been denied.", "TOOL lost unknown", "TOOL_DENIED asked ",
		"TOOL_FAILED invalid Error: No such tool available: Nope",
	}
	var got []string
	for _, e := range w.entries() {
		s := string(e.Event) + " " + get(e, "tool_use_id").Str
		if get(e, "inferred").Str == "batch" {
			s += " " + get(e, "reason").Str + get(e, "outcome").Str + get(e, "error").Str
		}
		got = append(got, s)
		if strings.Contains(string(e.Data), "contents of a file") {
			t.Errorf("a tool's output is in the log: %s", e.Data)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The end of a call may be far behind its batch: other sub-agents write too.
func TestClaudeBatchFarBack(t *testing.T) {
	w := newWorld(t)
	w.send("claude", bash("PreToolUse", "far", "sleep 3600", ""))
	w.send("claude", bash("PostToolUse", "far", "sleep 3600", `"tool_response":{"stdout":""}`))
	w.fill("s2", 700)
	w.send("claude", claudePayload("PostToolBatch", `"tool_calls":[{"tool_name":"Bash","tool_input":{},"tool_use_id":"far","tool_response":"x"}]`))
	if e := w.last(); e.Session != "s2" {
		t.Errorf("the call was ended again: %s %s", e.Event, e.Data)
	}
}

// A call that the user allowed, and whose end nobody could read, was not denied.
func TestClaudeBatchAfterUnreadableEnd(t *testing.T) {
	w := newWorld(t)
	w.send("claude", bash("PreToolUse", "big", "make", ""))
	w.send("claude", claudePayload("PermissionRequest", `"tool_name":"Bash","tool_input":{"command":"make"}`))
	w.send("claude", `{"hook_event_name":"PostToolUse","x":"`+strings.Repeat("x", 16<<20)+`"}`)
	w.send("claude", claudePayload("PostToolBatch", `"tool_calls":[{"tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"big","tool_response":"`+
		strings.Repeat("x", 30_000)+`"}]`))
	if e := w.last(); e.Event != logfmt.Tool || get(e, "outcome").Str != "unknown" {
		t.Errorf("%s %s", e.Event, e.Data)
	}
}

// Each of many calls of one message is ended once.
func TestClaudeLargeBatch(t *testing.T) {
	w := newWorld(t)
	const n = 300
	var calls []string
	for i := range n {
		calls = append(calls, `{"tool_name":"Nope","tool_input":{},"tool_use_id":"c`+strconv.Itoa(i)+`","tool_response":"<tool_use_error>No</tool_use_error>"}`)
	}
	batch := claudePayload("PostToolBatch", `"tool_calls":[`+strings.Join(append(calls, calls[0]), ",")+`]`)
	w.send("claude", batch)
	w.send("claude", batch)
	ended := map[string]bool{}
	for _, e := range w.entries() {
		ended[get(e, "tool_use_id").Str] = e.Event == logfmt.ToolFailed
	}
	if all := w.entries(); len(ended) != n || len(all) != n {
		t.Errorf("%d entries for %d of %d calls", len(all), len(ended), n)
	}
}

func TestClaudeSubagents(t *testing.T) {
	w := newWorld(t)
	w.append(logfmt.Entry{Cmd: "build", Event: logfmt.Start, Session: "s1", Source: "prompt"})
	w.append(logfmt.Entry{Cmd: "build", Phase: "RED", Event: logfmt.PhaseStart, Session: "s1", Source: "prompt"})
	const agent = `"agent_id":"a1","agent_type":"Explore"`
	w.send("claude", claudePayload("SubagentStart", agent))
	w.send("claude", bash("PreToolUse", "t1", "ls", agent))
	w.append(logfmt.Entry{Cmd: "build", Phase: "RED", Event: logfmt.PhaseComplete, Session: "s1", Source: "prompt"})
	w.send("claude", bash("PreToolUse", "t2", "ls", `"agent_type":"reviewer"`)) // claude --agent reviewer: the session itself
	w.send("claude", bash("PostToolUse", "t1", "ls", agent))
	w.append(logfmt.Entry{Cmd: "build", Event: logfmt.Complete, Session: "s1", Source: "prompt"})
	w.send("claude", bash("PreToolUse", "t3", "ls", ""))
	w.send("claude", claudePayload("SubagentStop", agent+`,"background_tasks":[{"id":"a1","description":"look","status":"running"}]`))
	w.send("claude", claudePayload("SubagentStop", `"agent_id":"a2","agent_type":""`)) // the client's helper for compaction
	want := "build START\nbuild:RED PHASE_START\nbuild:RED AGENT_SPAWN a1^build\nbuild:RED TOOL_START a1^build\nbuild:RED PHASE_COMPLETE\n" +
		"build TOOL_START\nbuild:RED TOOL a1^build\nbuild COMPLETE\nsession TOOL_START\nbuild:RED AGENT_COMPLETE a1^build\n"
	var got strings.Builder
	events := strings.Split(w.events(), "\n")
	for i, e := range w.entries() {
		got.WriteString(events[i])
		if e.Agent != nil {
			got.WriteString(" " + e.Agent.ID + "^" + e.Agent.ParentCmd)
		}
		got.WriteString("\n")
	}
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if e := w.last(); get(e, "task").Str != "look" || !get(e, "background").Bool() {
		t.Errorf("the end of a background agent: %s", e.Data)
	}
}

func TestClaudeWorktreeAndCwd(t *testing.T) {
	w := newWorld(t)
	w.Write("elsewhere/.oss/x", "")
	payload := strings.ReplaceAll(bash("PreToolUse", "t1", "ls", ""), `"cwd":"/home/user/project"`, `"cwd":"/home/user/elsewhere"`)
	w.send("claude", payload) // the payload's cwd follows `cd` and does not count
	if got := w.events(); got != "session TOOL_START\n" {
		t.Errorf("project of CLAUDE_PROJECT_DIR: %q", got)
	}
	w.send("codex", codexPayload("PreToolUse", `"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"`),
		"CLAUDE_PROJECT_DIR="+filepath.Join(w.Home, "elsewhere"))
	if e := w.last(); e.Source != "codex" {
		t.Error("codex went where Claude's variable points")
	}
}

// proc says which process a session runs in: once where it begins, not in each call.
func TestClaudeProc(t *testing.T) {
	w := newWorld(t)
	w.send("claude", claudePayload("SessionStart", `"source":"startup"`))
	w.send("claude", claudePayload("UserPromptSubmit", `"prompt":"go"`))
	w.send("claude", bash("PreToolUse", "t1", "ls", ""))
	w.send("claude", strings.ReplaceAll(bash("PreToolUse", "t2", "ls", ""), `"s1"`, `"s2"`))
	for i, want := range []bool{true, true, false, true} {
		proc := get(w.entries()[i], "proc")
		if proc.Exists() != want {
			t.Errorf("entry %d: proc %s", i+1, proc.Raw)
		}
		if want && int(proc.Get("pid").Int()) != os.Getpid() {
			t.Errorf("entry %d: proc %s is not what ran the hook, %d", i+1, proc.Raw, os.Getpid())
		}
	}
}
