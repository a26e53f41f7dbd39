package codex_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"aburn/trace"
)

func started(more string) *written {
	return paginated(`,"source":"cli"`+more).event("task_started", `,"turn_id":"t"`)
}

// TestOutputs: what is said of a call that no item tells of.
func TestOutputs(t *testing.T) {
	tests := []struct {
		tool, output string
		status       trace.Status
		failed       bool
		denied       string
		exit         int // -1: not told
	}{
		{"exec_command", "Chunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nfine\n", trace.StatusCompleted, false,
			"", 0},
		{"exec_command", "Chunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code 127\nOutput:\n", trace.StatusErrored, true, "", 127},
		{"exec_command", "Chunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 9\n", trace.StatusCompleted, false, "",
			0},
		{"exec_command", "Chunk ID: 1\nWall time: 0.3 seconds\nProcess running with session ID 7\nOutput:\n", trace.StatusRunning, false, "", -1},
		{"exec_command", "Wall time: 2.5 seconds\naborted by user", trace.StatusCancelled, false, "", -1},
		{"exec_command", "exec_command failed for `/bin/bash -lc x`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }", trace.StatusCancelled, true,
			"user", -1},
		{"exec_command", "Command blocked by PreToolUse hook: no", trace.StatusErrored, true, "hook", -1},
		{"exec_command", "`rm -rf /` rejected: policy forbids commands starting with `rm`", trace.StatusErrored, true, "rule", -1},
		{"exec_command", "`justification` requires an explicit `sandbox_permissions`", trace.StatusErrored, true, "", -1},
		{"exec_command", "anything else", trace.StatusErrored, true, "", -1},
		{"exec_command", "failed to parse function arguments: key must be a string", trace.StatusErrored, true, "", -1},
		{"shell", `{"output":"x\n","metadata":{"exit_code":2,"duration_seconds":0.1}}`, trace.StatusErrored, true, "", 2},
		{"exec_command", "Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA x\n",
			trace.StatusCompleted, false, "", 0},
		{"apply_patch", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA x\n", trace.StatusCompleted, false, "", 0},
		{"apply_patch", "apply_patch verification failed: Failed to find expected lines", trace.StatusErrored, true, "", -1},
		{"apply_patch", "aborted by user after 2.4s", trace.StatusCancelled, false, "", -1},
		{"view_image", "unable to locate image at `/x.png`", trace.StatusErrored, true, "", -1},
		{"no_such_tool", "unsupported call: no_such_tool", trace.StatusErrored, true, "", -1},
		{"write_stdin", "write_stdin failed: Unknown process id 4", trace.StatusErrored, true, "", -1},
		{"request_user_input", "request_user_input is unavailable in Default mode", trace.StatusErrored, true, "", -1},
		{"mcp__s__ask", "the motion was rejected by user vote", trace.StatusCompleted, false, "", -1},
		{"create_goal", `{"goal":{"status":"active"}}`, trace.StatusCompleted, false, "", -1},
	}
	for _, test := range tests {
		t.Run(test.output[:min(len(test.output), 40)], func(t *testing.T) {
			got := started("").call("c", test.tool, "{}", test.output).read(t)
			last := got.Calls()[0].Last()
			exit := -1
			if last.ExitCode != nil {
				exit = *last.ExitCode
			}
			if last.Status != test.status || last.Failed() != test.failed || last.Denied != test.denied || exit != test.exit {
				t.Errorf("%s: %q is %s, failed %v, denied %q, exit %d", test.tool, test.output, last.Status, last.Failed(), last.Denied, exit)
			}
			if last.From != trace.FromFunctionCallOutput {
				t.Errorf("it is from %s", last.From)
			}
		})
	}
}

// TestPatch: what files a patch changed, by what the item holds of it.
func TestPatch(t *testing.T) {
	got := started("").
		call("c", "apply_patch", "", "").
		item(`"type":"FileChange","id":"c","status":"completed","changes":{
			"/home/user/project/new.txt":{"type":"add","content":"a\nb"},
			"/home/user/project/empty.txt":{"type":"add","content":""},
			"/home/user/project/old.txt":{"type":"delete","content":"x\ny\n"},
			"/elsewhere/it.go":{"type":"update","unified_diff":"@@ -1,3 +1,3 @@\n keep\n-\\n gone\n+\\n + come\n+- more\n","move_path":null},
			"/home/user/project/from.go":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n","move_path":"/home/user/project/to.go"},
			"/home/user/project/odd":{"type":"touch"}}`).read(t)
	sum := func(text string) string {
		s := sha256.Sum256([]byte(text))
		return hex.EncodeToString(s[:])
	}
	want := []string{
		"created new.txt  +2 -0 " + sum("a\nb"),
		"created empty.txt  +0 -0 " + sum(""),
		"deleted old.txt  +0 -2 ",
		"modified /elsewhere/it.go  +2 -1 ",
		"renamed to.go from.go +1 -1 ",
		"unknown odd  +? -? ",
	}
	changes := bodies[*trace.FileChange](got)
	if len(changes) != len(want) {
		t.Fatalf("%d changes, want %d", len(changes), len(want))
	}
	number := func(n *int) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	for i, c := range changes {
		if line := fmt.Sprintf("%s %s %s +%s -%s %s", c.Action, c.Path, c.From, number(c.Added), number(c.Removed), c.Hash); line != want[i] || c.Call != "c" {
			t.Errorf("change %d of call %q: %s\nwant %s", i, c.Call, line, want[i])
		}
	}
}

// TestPathOfPatch: a patch is about a file if all its headers name the same one.
func TestPathOfPatch(t *testing.T) {
	for patch, want := range map[string]string{
		"*** Begin Patch\n*** Update File: src/a.go\n@@\n-x\n+*** Add File: b.go\n*** End Patch\n": "src/a.go",
		"*** Begin Patch\n*** Add File: /home/user/project/a.go\n+x\n*** End Patch\n":              "a.go",
		"*** Begin Patch\n*** Add File: a.go\n+x\n*** Delete File: b.go\n*** End Patch\n":          "",
		"*** Begin Patch\n*** Delete File: a\"b.go\n*** End Patch\n":                               "",
		"nonsense": "",
	} {
		w := started("").rec("response_item", fmt.Sprintf(`"type":"custom_tool_call","name":"apply_patch","input":%q,"call_id":"c"`, patch))
		if got := w.read(t).Calls()[0].Call.Path; got != want {
			t.Errorf("%q is about %q, want %q", patch, got, want)
		}
	}
}

// TestPatchThatFailed changes nothing, as far as anybody knows.
func TestPatchThatFailed(t *testing.T) {
	got := started("").call("c", "apply_patch", "", "").
		item(`"type":"FileChange","id":"c","status":"failed","stderr":"no space","changes":{"/x":{"type":"add","content":"a"}}`).read(t)
	if c := got.Count(); c.Failed != 1 || c.Changes != 0 {
		t.Errorf("%+v", c)
	}
	if head := got.Results[0].Head; head != "no space" {
		t.Errorf("its head is %q", head)
	}
}

// TestItemsOfCode: calls that code made have no record but their item; an item of a call that is not known at all is one too.
func TestItemsOfCode(t *testing.T) {
	got := started("").
		rec("response_item", `"type":"custom_tool_call","name":"exec","input":"code","call_id":"js"`).
		item(`"type":"SubAgentActivity","id":"exec-1","kind":"started","agent_thread_id":"` + other + `","agent_path":"/root/alpha"`).
		item(`"type":"McpToolCall","id":"exec-2","server":"s","tool":"find","arguments":{"q":1},"status":"failed","error":{"message":"gone"}`).
		item(`"type":"CommandExecution","id":"exec-3","command":["/bin/bash","-lc","make"],"status":"declined","aggregated_output":"","exit_code":-1`).
		item(`"type":"CommandExecution","id":"stray","command":["ls","-l"],"status":"completed","aggregated_output":"","exit_code":0`).
		item(`"type":"SubAgentActivity","id":"x","kind":"completed","agent_thread_id":"` + other + `"`).read(t)
	var lines []string
	for _, c := range got.Calls() {
		last := "-"
		if r := c.Last(); r != nil {
			last = fmt.Sprintf("%s %v %q %q", r.Status, r.Failed(), r.Denied, r.Spawned)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %q container=%v parent=%s: %s", c.Call.Call, c.Call.Tool, c.Call.Type, c.Call.Head, c.Call.Container,
			c.Call.Parent, last))
	}
	want := []string{
		`js exec other "" container=true parent=: -`,
		`exec-1 spawn_agent agent "" container=false parent=js: completed false "" "` + other + `"`,
		`exec-2 mcp__s__find mcp "" container=false parent=js: errored true "" ""`,
		`exec-3 exec_command shell "make" container=false parent=js: cancelled true "user" ""`,
		`stray exec_command shell "ls -l" container=false parent=: completed false "" ""`,
	}
	if got, want := strings.Join(lines, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if c := got.Count(); c.Calls != 4 || c.Failed != 2 || c.Denied != 1 || c.Subagents != 1 {
		t.Errorf("%+v", c)
	}
}

// TestKilledAgent: a sub-agent that never told how it ended has none.
func TestKilledAgent(t *testing.T) {
	got := started("").call("c", "spawn_agent", `{"message":"look"}`, "").
		item(`"type":"SubAgentActivity","id":"c","kind":"started","agent_thread_id":"`+other+`","agent_path":"/root/alpha"`).
		rec("response_item", `"type":"function_call_output","call_id":"c","output":"{\"task_name\":\"/root/alpha\"}"`).read(t)
	if c := got.Count(); c.NoResult != 1 || c.Failed != 0 {
		t.Errorf("%+v", c)
	}
	if got.Outcome != trace.Killed {
		t.Errorf("outcome %s", got.Outcome)
	}
}

// TestAgentThatErred: of a sub-agent that failed at the model, only a message to its parent tells.
func TestAgentThatErred(t *testing.T) {
	got := started("").call("c", "spawn_agent", `{"message":"look"}`, "").
		item(`"type":"SubAgentActivity","id":"c","kind":"started","agent_thread_id":"`+other+`","agent_path":"/root/alpha"`).
		rec("response_item", `"type":"function_call_output","call_id":"c","output":"{\"task_name\":\"/root/alpha\"}"`).
		rec("response_item",
			`"type":"agent_message","id":"m0","author":"/root/beta","recipient":"/root","content":[{"type":"input_text","text":"Message Type: FINAL_ANSWER\nTask `+
				`name: /root\nSender: /root/beta\nPayload:\nAgent errored: nobody's"}]`).
		rec("response_item",
			`"type":"agent_message","id":"m1","author":"/root/alpha","recipient":"/root","content":[{"type":"input_text","text":"Message Type: FINAL_ANSWER\nTask `+
				`name: /root\nSender: /root/alpha\nPayload:\nAgent errored: no such model"}]`).read(t)
	last := got.Calls()[0].Last()
	if c := got.Count(); c.NoResult != 0 || c.Failed != 1 || len(got.Results) != 2 {
		t.Errorf("%+v of %d results", c, len(got.Results))
	}
	if last.Status != trace.StatusErrored || last.Spawned != other || last.Message != "m1" || !strings.Contains(last.Head, "Agent errored: no such model") {
		t.Errorf("%+v", last)
	}
}

// TestItemsWithoutIDs: a call that has no id gets one.
func TestItemsWithoutIDs(t *testing.T) {
	got := started("").
		item(`"type":"CommandExecution","command":["ls"],"status":"completed","exit_code":0`).
		item(`"type":"McpToolCall","server":"s","tool":"t","status":"completed"`).
		item(`"type":"FileChange","changes":{"/x":{"type":"add","content":""}},"status":"completed"`).
		item(`"type":"ImageView","path":"/x.png"`).
		item(`"type":"WebSearch","query":"how"`).
		item(`"type":"SubAgentActivity","kind":"started","agent_thread_id":"` + other + `"`).
		item(`"type":"CollabAgentToolCall","tool":"list_agents","status":"completed"`).read(t)
	calls := got.Calls()
	if len(calls) != 7 {
		t.Fatalf("%d calls", len(calls))
	}
	for i, c := range calls {
		if c.Call.Call != fmt.Sprintf("call-%d", i+1) || len(c.Results) != 1 {
			t.Errorf("call %d is %q with %d results", i+1, c.Call.Call, len(c.Results))
		}
	}
}

// TestPictures: a prompt is its text, whatever pictures are beside it; an output that is only a picture is the picture.
func TestPictures(t *testing.T) {
	const picture = `{"type":"input_image","image_url":"data:image/png;base64,AAAA"}`
	got := started("").
		item(`"type":"UserMessage","id":"a","content":[{"type":"image","image_url":"data:image/png;base64,AAAA"},{"type":"text","text":"what is it?"}]`).
		call("c", "view_image", `{"path":"/home/user/project/x.png"}`, "").
		item(`"type":"ImageView","id":"c","path":"file:///home/user/project/x.png"`).
		rec("response_item", `"type":"function_call_output","call_id":"c","output":[`+picture+`]`).read(t)
	if m := bodies[*trace.UserMessage](got)[0]; m.Head != "what is it?" || m.Length != int64(len("what is it?")) {
		t.Errorf("the prompt is %+v", m)
	}
	call := got.Calls()[0]
	if r := call.Last(); r.Status != trace.StatusCompleted || r.Content.Length != int64(len("data:image/png;base64,AAAA")) || call.Call.Path != "x.png" {
		t.Errorf("call %+v, result %+v", call.Call, r)
	}
}
