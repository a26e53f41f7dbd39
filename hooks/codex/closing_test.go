package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/hooks"
	"aburn/internal/lab/world"
)

// A call that is open when an event comes, what the transcript says of it, and how
// it is ended ("" = left open).
func TestCloser(t *testing.T) {
	const (
		item    = `{"timestamp":"%s","payload":{"type":"item_completed","item":%s}}`
		output  = `{"timestamp":"%s","payload":{"type":"function_call_output","call_id":"c1","output":%s}}`
		patched = `{"timestamp":"%s","payload":{"type":"custom_tool_call_output","call_id":"c1","output":%s}}`
		ended   = `{"timestamp":"%s","payload":{"type":"task_complete","turn_id":"t1"}}%s`
	)
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	later, earlier := now.Add(time.Second).Format(time.RFC3339Nano), now.Add(-time.Hour).Format(time.RFC3339Nano)
	line := func(form, what string) string { return fmt.Sprintf(form, later, what) + "\n" }
	const none = "-" // no transcript at all
	for _, tc := range []struct {
		name, transcript string
		at               moment
		asked            bool
		want             string
	}{
		{"ran well", line(item, `{"type":"CommandExecution","id":"c1","exit_code":0}`), turnEnded, false, "TOOL exit 0"},
		{"ran for so long", line(item, `{"type":"CommandExecution","id":"c1","exit_code":0,"duration":{"secs":2,"nanos":339280435}}`), turnEnded, false,
			"TOOL exit 0 in 2339 ms"},
		{"ran quicker than any process", line(item, `{"type":"CommandExecution","id":"c1","exit_code":0,"duration":{"secs":0,"nanos":5128}}`), turnEnded, false,
			"TOOL exit 0"},
		{"failed", line(item, `{"type":"CommandExecution","id":"c1","exit_code":3}`), turnEnded, false, "TOOL_FAILED exit 3"},
		{"was killed", line(item, `{"type":"CommandExecution","id":"c1","exit_code":-1,"status":"failed"}`), sessionEnded, false, "TOOL_FAILED exit -1 killed"},
		{"an item without a code", line(item, `{"type":"CommandExecution","id":"c1","status":"completed"}`), turnEnded, false, "TOOL unknown"},
		{"a patch", line(item, `{"type":"FileChange","id":"c1","status":"completed"}`), turnEnded, false, "TOOL"},
		{"a patch that failed", line(item, `{"type":"FileChange","id":"c1","status":"failed","stderr":"no"}`), turnEnded, false, "TOOL_FAILED error no"},
		{"an MCP error", line(item, `{"type":"McpToolCall","id":"c1","status":"failed","result":{"isError":true,"content":[{"text":"bad"}]}}`), turnEnded, false,
			"TOOL_FAILED error bad"},
		{"the last item counts", line(item, `{"type":"CommandExecution","id":"c1","exit_code":0}`) +
			line(item, `{"type":"CommandExecution","id":"c1","exit_code":9}`), turnEnded, false, "TOOL_FAILED exit 9"},
		{"an item of another", line(item, `{"type":"CommandExecution","id":"c2","exit_code":0,"aggregated_output":"\"id\":\"c1\""}`), turnEnded, false,
			"TOOL unknown"},

		{"a patch that does not fit", line(patched, `"apply_patch verification failed: x"`), turnEnded, false,
			"TOOL_FAILED error apply_patch verification failed: x"},
		{"not allowed by the user", line(output, `"Wall time: 3.1 seconds\naborted by user"`), interrupted, true,
			"TOOL_DENIED reason Wall time: 3.1 seconds aborted by user"},
		{"interrupted", line(output, `"Wall time: 2.5 seconds\naborted by user"`), interrupted, false, "TOOL_FAILED interrupted"},
		{"rejected", line(output, `"exec command rejected by user"`), interrupted, false, "TOOL_DENIED reason exec command rejected by user"},
		{"a hook's veto", line(output, `"Command blocked by PreToolUse hook: no. Command: ls"`), turnEnded, false,
			"TOOL_DENIED reason Command blocked by PreToolUse hook: no. Command: ls"},
		{"runs on", line(output, `"Chunk ID: 1\nProcess running with session ID 7\nOutput:\n"`), turnEnded, false, ""},
		{"older client, exit code", line(output, `"Chunk ID: 1\nProcess exited with code 5\nOutput:\nProcess exited with code 0\n"`), turnEnded, false,
			"TOOL_FAILED exit 5"},
		{"an exit code in the output only", line(output, `"Output:\nProcess exited with code 0\n"`), turnEnded, false, "TOOL unknown"},
		{"a denial in the output only", line(output, `"Chunk ID: 1\nProcess exited with code 0\nOutput:\nremote: rejected by user, blocked by PreToolUse hook\n"`),
			turnEnded, false, "TOOL exit 0"},
		{"an abort in the output only", line(output, `"Wall time: 1 seconds\nOutput:\naborted by user\nProcess running with session ID 7\n"`), turnEnded, true,
			"TOOL unknown"},
		{"parts of text", line(output, `[{"type":"input_text","text":"apply_patch verification failed"}]`), turnEnded, false,
			"TOOL_FAILED error apply_patch verification failed"},

		{"nothing at a turn's end", "", turnEnded, false, "TOOL unknown"},
		{"no transcript at a turn's end", none, turnEnded, false, "TOOL unknown"},
		{"nothing yet at an interrupt", line(ended, ""), interrupted, false, ""},
		{"no transcript at an interrupt", none, interrupted, false, "TOOL unknown"},
		{"a prompt after the turn", line(ended, ""), promptCame, false, "TOOL unknown"},
		{"a prompt steered into the turn", fmt.Sprintf(ended, earlier, "") + "\n", promptCame, false, ""},
		{"nothing at the session's end", "", sessionEnded, false, ""},
	} {
		path := filepath.Join(t.TempDir(), "rollout.jsonl")
		if tc.transcript != none {
			if err := os.WriteFile(path, []byte(tc.transcript), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := &closer{transcript: path, at: tc.at}
		calls := &hooks.Calls{Open: []hooks.Call{{ToolUseID: "c1", Tool: "Bash", Head: "ls", Asked: tc.asked, Time: now}}}
		got := ""
		if c.Prepare(calls) {
			for _, d := range c.Close(calls) {
				got += told(d)
			}
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func told(d hooks.Draft) string {
	p, _ := hooks.ParsePayload(append([]byte(`{"hook_event_name":"x",`), d.Data.Bytes()[1:]...))
	s := string(d.Event)
	if v := p.Get("exit_code"); v.Exists() {
		s += " exit " + v.Raw
	}
	if v := p.Str("outcome"); v != "" {
		s += " " + v
	}
	if v := p.Get("duration_ms"); v.Exists() {
		s += " in " + v.Raw + " ms"
	}
	for _, key := range []string{"error", "reason"} {
		if v := p.Str(key); v != "" {
			s += " " + key + " " + v
		}
	}
	if p.Str("inferred") != "transcript" || d.Once != "c1" {
		s += fmt.Sprintf(" (once %q, inferred %q)", d.Once, p.Str("inferred"))
	}
	return s
}

// A turn's end is looked for once, however many calls are open.
func TestCloserOfManyCalls(t *testing.T) {
	world.Slow(t)
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	turns := strings.Repeat(`{"timestamp":"2026-11-21T08:00:00.000Z","payload":{"type":"task_complete"}}`+"\n", 10_000)
	if err := os.WriteFile(path, []byte(turns), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := new(hooks.Calls)
	for i := range 5000 {
		calls.Open = append(calls.Open, hooks.Call{ToolUseID: fmt.Sprintf("call_%d", i), Time: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)})
	}
	done := make(chan bool)
	go func() { done <- (&closer{transcript: path, at: promptCame}).Prepare(calls) }()
	select {
	case any := <-done:
		if any {
			t.Error("a call was ended that may still run")
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("5,000 open calls take longer than 2 min")
	}
}

// The end of a transcript of any size, and nothing that is no file.
func TestTranscriptTail(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.jsonl")
	want := `{"payload":{"type":"item_completed","item":{"id":"c1","exit_code":4}}}` + "\n"
	for _, filler := range []int{0, 10, shortTail - len(want), shortTail, longTail - len(want) - 1, longTail} {
		text := strings.Repeat("x", filler) + "\n" + want
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lastItem(path, "c1").Get("exit_code").Int(); got != 4 {
			t.Errorf("%d bytes before it: exit code %d", filler, got)
		}
	}
	long := `{"payload":{"type":"item_completed","item":{"id":"c1","exit_code":5,"aggregated_output":"` + strings.Repeat("z", 2*shortTail) + `"}}}`
	if err := os.WriteFile(path, []byte(want+long+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lastItem(path, "c1").Get("exit_code").Int(); got != 5 {
		t.Errorf("a record longer than the short tail: exit code %d", got)
	}
	text := want + strings.Repeat(strings.Repeat("y", 1000)+"\n", 1100)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if lastItem(path, "c1").Exists() {
		t.Error("found what is farther back than 1 MiB")
	}
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(want, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if lastItem(path, "c1").Exists() {
		t.Error("used a record that is still being written")
	}
	for _, odd := range []string{"", dir, filepath.Join(dir, "none")} {
		if hooks.Tail(odd, longTail) != nil || hooks.FirstRecord(odd).Exists() || lastItem(odd, "c1").Exists() {
			t.Errorf("%q is no transcript", odd)
		}
	}
}

// Exit codes of the two recorded clients' transcripts, as their own words have them.
func TestRecordedExitCodes(t *testing.T) {
	for _, tc := range []struct{ glob, id, want string }{
		{"tools-classic/*.jsonl", "call_resp_0001_0", "TOOL 0"},
		{"tools-classic/*.jsonl", "call_resp_0002_0", "TOOL_FAILED 3"},
		{"codemode/*.jsonl", "exec-201f18cf-5b75-45d8-8536-69f71cd01552", "TOOL_FAILED 4"},
		{"long-command/*.jsonl", "call_resp_0001_0", "TOOL_FAILED 5"},
		{"tools-classic-0.130.0/*.jsonl", "call_resp_0001_0", "TOOL 0"},
		{"tools-classic-0.130.0/*.jsonl", "call_resp_0002_0", "TOOL_FAILED 3"},
	} {
		paths, err := filepath.Glob(filepath.Join("testdata", "rollouts", tc.glob))
		if err != nil || len(paths) != 1 {
			t.Fatal(tc.glob, paths, err)
		}
		c := &closer{at: sessionEnded}
		end, ok := c.end(hooks.Tail(paths[0], longTail), &hooks.Call{ToolUseID: tc.id, Tool: "Bash"})
		if got := fmt.Sprintf("%s %d", end.event, end.exitCode); !ok || !end.exited || got != tc.want {
			t.Errorf("%s of %s: %s, want %s", tc.id, tc.glob, got, tc.want)
		}
	}
}
