package claude_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"aburn/trace"
)

func sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// The user goes back to before the second prompt, twice. What the parallel calls of the first turn fork is not abandoned.
func TestRewind(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "look")
	d.calls("1", "p1", "Read", `{"file_path":"/p/a"}`)
	d.calls("2", "1", "Read", `{"file_path":"/p/b"}`)
	d.result("r2", "2", `"b"`, false)
	d.result("r1", "1", `"a"`, false)
	d.answers("a1", "r1") // the chain goes on from the first one's result: the second call is on no way to the end
	d.turn = "t2"
	d.text("p2", "a1", "wrong way")
	d.calls("3", "p2", "Bash", `{"command":"ls"}`)
	d.result("r3", "3", `""`, false)
	d.turn = "t3"
	d.text("p3", "a1", "wrong again")
	d.answers("a3", "p3")
	d.turn = "t4"
	d.text("p4", "a1", "right")
	d.answers("a4", "p4")
	d.turn = "t5"
	d.text("p5", "a4", "and on")
	tr := d.only(t)
	tells(t, tr, "user call:Read call:Read result:completed result:completed agent ~user ~call:Bash ~result:completed ~user ~agent user agent user")
	if n := tr.Count(); n.Prompts != 5 || n.Calls != 3 {
		t.Errorf("what was abandoned happened, and counts: %+v", n)
	}
}

func TestRewindToTheBeginning(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "first")
	d.answers("a1", "p1")
	d.text("p2", "", "instead")
	tells(t, d.only(t), "~user ~agent user")
}

// A compaction, with what the client preserved over it, abandons nothing.
func TestCompacted(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "first")
	d.answers("a1", "p1")
	d.turn = "t2"
	d.text("p2", "a1", "second")
	d.record("system", "b", "",
		`,"logicalParentUuid":"p2","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":9,`+
			`"preservedSegment":{"headUuid":"a1","anchorUuid":"s","tailUuid":"p2"}}`)
	d.text("s", "b", "This session is being continued from a previous conversation that ran out of context.",
		`,"isCompactSummary":true,"isVisibleInTranscriptOnly":true`)
	d.answers("a2", "s")
	d.record("system", "e", "a2", `,"subtype":"stop_hook_summary"`)
	d.record("system", "f", "e", `,"subtype":"turn_duration","durationMs":5`)
	d.turn = "t3"
	d.text("p3", "f", "third")
	tr := d.only(t)
	tells(t, tr, "user agent user compacted user:compact_summary agent stopped user")
	if m := tr.Events[3].Body.(*trace.Session); m.Detail != "auto" {
		t.Errorf("triggered by %q", m.Detail)
	}
	if tr.Outcome != trace.Killed {
		t.Errorf("a prompt without an answer: %s", tr.Outcome)
	}
}

// A session that was killed in two calls, and gone on with.
func TestKilledAndResumed(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "do")
	d.calls("1", "p1", "Bash", `{"command":"sleep 9"}`)
	d.calls("2", "1", "Bash", `{"command":"sleep 8"}`)
	if tr := d.only(t); tr.Outcome != trace.Killed || tr.OutcomeFrom != "the transcript ends in the call c1" || tr.Count().NoResult != 2 {
		t.Errorf("killed: %s, from %q, %+v", tr.Outcome, tr.OutcomeFrom, tr.Count())
	}
	d.turn = "t2"
	d.put(`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-11-21T09:00:00.000Z","content":"go on"}`)
	ended := `"[Tool call interrupted: the session ended before this call's result was recorded]"`
	d.result("r1", "1", ended, true, `,"toolDenialKind":"interrupted"`)
	d.result("r2", "2", ended, true, `,"toolDenialKind":"interrupted"`)
	d.record("assistant", "s", "r2",
		`,"isApiErrorMessage":false,"message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}],`+
			`"stop_reason":"stop_sequence","usage":{"input_tokens":0,"output_tokens":0}}`)
	d.text("p2", "s", "go on")
	d.answers("a2", "p2")
	tr := d.only(t)
	tells(t, tr, "user call:Bash call:Bash resumed result:cancelled interrupt result:cancelled user agent")
	if n := tr.Count(); n.Failed != 2 || n.Denied != 0 || n.NoResult != 0 || n.Interrupts != 1 || n.Responses != 3 || tr.Outcome != trace.Completed {
		t.Errorf("%+v, %s", n, tr.Outcome)
	}
}

// A process that told its costs ended; a prompt after that is of another one.
func TestResumed(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "one")
	d.answers("a1", "p1")
	d.put(`{"type":"cost-state","sessionId":"x","totalCostUSD":0.25}`)
	d.put(`{"type":"cost-state","sessionId":"x","totalCostUSD":0.5}`)
	d.turn = "t2"
	d.text("p2", "a1", "two")
	d.answers("a2", "p2")
	tr := d.only(t)
	tells(t, tr, "user agent resumed user agent")
	if tr.Events[2].Inferred == "" || string(tr.Extra) != `{"total_cost_usd":0.5}` {
		t.Errorf("inferred from %q; extra %s", tr.Events[2].Inferred, tr.Extra)
	}
}

func TestDenials(t *testing.T) {
	for name, c := range map[string]struct{ members, want string }{
		"by a rule": {`,"toolDenialKind":"permission-rule","permissionDecision":{"decision":"reject","source":"config","reasonType":"rule"}`,
			"errored:rule"},
		"by a hook": {`,"toolDenialKind":"permission-rule","permissionDecision":{"decision":"reject","source":"hook","reasonType":"hook"}`, "errored:hook"},
		"nobody was asked": {`,"toolDenialKind":"user-rejected","permissionDecision":{"decision":"reject","source":"config","reasonCode":"unknown"}`,
			"errored:other"},
		"by automode":         {`,"toolDenialKind":"automode-unavailable"`, "errored:other"},
		"by the user":         {`,"toolUseResult":"User rejected tool use","toolDenialKind":"user-rejected","toolDenialBeforeRun":true`, "cancelled:user"},
		"Esc while it ran":    {`,"toolUseResult":"User rejected tool use","toolDenialKind":"user-rejected"`, "cancelled"},
		"Esc, an old version": {`,"toolUseResult":"User rejected tool use"`, "cancelled"},
		"it failed":           {`,"toolUseResult":"Error: no","permissionDecision":{"decision":"accept","source":"config"}`, "errored"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDraft(one)
			d.text("p1", "", "do")
			d.calls("1", "p1", "Bash", `{"command":"ls"}`)
			d.result("r1", "1", `"no"`, true, c.members)
			tr := d.only(t)
			tells(t, tr, "user call:Bash result:"+c.want)
			if r := tr.Results[0]; !r.Failed() || r.Head != "no" {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestInterrupts(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "do")
	d.calls("1", "p1", "Bash", `{"command":"ls"}`)
	d.result("r1", "1", `"no"`, true, `,"toolDenialKind":"user-rejected"`)
	d.record("user", "i1", "r1", `,"message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}`)
	if tr := d.only(t); tr.Outcome != trace.Interrupted || tr.Events[3].Body.(*trace.Interrupt).Call != "c1" {
		t.Errorf("%s, %+v", tr.Outcome, tr.Events[3].Body)
	}
	d.turn = "t2"
	d.text("p2", "i1", "say")
	d.says("a2", "p2", `{"type":"text","text":"half a"}`, "", `,"isAbortedMidStream":true`)
	if tr := d.only(t); tr.Outcome != trace.Killed {
		t.Errorf("half a text is the last: %s", tr.Outcome)
	}
	d.text("i2", "a2", "[Request interrupted by user]", `,"interruptedMessageId":"msg_a2"`)
	tr := d.only(t)
	tells(t, tr, "user call:Bash result:cancelled interrupt user agent interrupt")
	if i := tr.Events[6].Body.(*trace.Interrupt); i.Call != "" || tr.Outcome != trace.Interrupted || tr.Count().Prompts != 2 {
		t.Errorf("%+v, %s, %+v", i, tr.Outcome, tr.Count())
	}
}

// Background work: it runs, it ends, and the agent is told at once, later, or within its turn.
func TestBackground(t *testing.T) {
	note := func(call, status, summary string) string {
		return "<task-notification>\n<task-id>x</task-id>\n<tool-use-id>" + call + "</tool-use-id>\n<status>" + status + "</status>\n<summary>" + summary +
			"</summary>\n</task-notification>"
	}
	d := newDraft(one)
	d.text("p1", "", "do")
	d.calls("1", "p1", "Bash", `{"command":"make","run_in_background":true}`)
	d.result("r1", "1", `"running"`, false, `,"toolUseResult":{"stdout":"","backgroundTaskId":"b1"}`)
	d.calls("2", "r1", "Agent", `{"description":"dig","prompt":"dig","subagent_type":"Explore"}`)
	d.result("r2", "2", `[{"type":"text","text":"launched"}]`, false, `,"toolUseResult":{"isAsync":true,"status":"async_launched","agentId":"x"}`)
	d.calls("3", "r2", "Bash", `{"command":"sleep 99","run_in_background":true}`)
	d.result("r3", "3", `"running"`, false, `,"toolUseResult":{"stdout":"","backgroundTaskId":"b3"}`)
	d.record("attachment", "q", "r3", fmt.Sprintf(`,"attachment":{"type":"queued_command","prompt":%q,"commandMode":"task-notification"}`,
		note("c1", "completed", "done (exit code 3)")))
	d.answers("a1", "q")
	d.put(fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-11-21T09:00:00.000Z","content":%q}`, note("c2", "failed", "gone")))
	d.turn = "t2"
	d.text("n2", "a1", note("c2", "failed", "gone"), `,"promptSource":"system","turnOrigin":"task_notification","origin":{"kind":"task-notification"}`)
	d.answers("a2", "n2")
	d.text("n3", "a2", note("c3", "killed", "stopped"), `,"promptSource":"system"`)
	d.answers("a3", "n3")
	tr := d.only(t)
	tells(t, tr, "user call:Bash result:running call:Agent spawn:"+one+"/x result:running call:Bash result:running"+
		" user:task_notification result:errored agent result:errored user:task_notification result:errored agent user:task_notification result:cancelled agent")
	if n := tr.Count(); n.Prompts != 1 || n.Failed != 2 || n.NoResult != 0 || n.Subagents != 1 {
		t.Errorf("%+v", n)
	}
	calls := tr.Calls()
	if r := calls[0].Last(); r.ExitCode == nil || *r.ExitCode != 3 || r.From != trace.FromNotification {
		t.Errorf("the command: %+v", r)
	}
	if r := calls[1].Results; len(r) != 3 || r[1].From != trace.FromQueue || r[2].From != trace.FromNotification || r[2].Spawned != one+"/x" {
		t.Errorf("the sub-agent: %+v", r)
	}
	if s := tr.Events[4].Body.(*trace.SubagentSpawn); !s.Background || s.AgentType != "Explore" || s.Description != "dig" {
		t.Errorf("the spawn: %+v", s)
	}
}

// What a user types beside prompts.
func TestTyped(t *testing.T) {
	d := newDraft(one)
	d.text("k", "", "<local-command-caveat>these were run by the user</local-command-caveat>", `,"isMeta":true`)
	d.text("k1", "k", "<command-name>/model</command-name>\n <command-message>model</command-message>\n <command-args>large</command-args>")
	d.text("k2", "k1", "<local-command-stdout>Set model</local-command-stdout>")
	d.turn = "t2"
	d.text("p", "k2", "<command-message>chain</command-message>\n<command-name>/chain</command-name>\n<command-args>7</command-args>",
		`,"origin":{"kind":"human"},"turnOrigin":"human"`)
	d.record("user", "p'", "p", `,"isMeta":true,"turnCompanion":true,"message":{"role":"user","content":[{"type":"text","text":"Chain seven"}]}`)
	d.answers("a", "p'")
	d.turn = "t3"
	d.text("!", "a", "<bash-input> go test ./... </bash-input>")
	d.text("!!", "!", "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>")
	d.record("system", "l", "!!", `,"subtype":"local_command","content":"<local-command-stdout>cleared</local-command-stdout>"`)
	d.turn = "t4"
	d.record("user", "i", "l",
		`,"message":{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"<ide_opened_file>x</ide_opened_file>"},{"type":"text",`+
			`"text":"what is it?"}]}`)
	d.record("attachment", "q", "i", `,"attachment":{"type":"queued_command","prompt":"and that?","commandMode":"prompt"}`)
	d.answers("b", "q")
	tr := d.only(t)
	tells(t, tr, "user/model user:command_output user/chain user:context agent call:Bash result:unknown user:command_output user user agent")
	if n := tr.Count(); n.Prompts != 3 || n.Calls != 0 {
		t.Errorf("%+v", n)
	}
	heads := []string{}
	for _, e := range tr.Events {
		if u, ok := e.Body.(*trace.UserMessage); ok {
			heads = append(heads, e.By+"|"+u.Head)
		}
	}
	want := "[user|/model large client|<local-command-stdout>Set model</local-command-stdout> |/chain 7 client|Chain seven " +
		"client|<local-command-stdout>cleared</local-command-stdout> |what is it? |and that?]"
	if got := fmt.Sprint(heads); got != want {
		t.Errorf("heads\n%s\nnot\n%s", got, want)
	}
	if c := tr.Events[5]; c.By != "user" || c.Body.(*trace.ToolCall).Head != "go test ./..." {
		t.Errorf("the command: %+v", c)
	}
}

func TestErrors(t *testing.T) {
	d := newDraft(one)
	d.text("p1", "", "do")
	d.record("system", "e1", "p1",
		`,"subtype":"api_error","error":{"message":"Connection error.","formatted":"Connection dropped","connection":{"code":"ECONNRESET"}},"retryAttempt":1`)
	d.record("system", "e2", "e1",
		`,"subtype":"api_error","error":{"status":529,"error":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}`)
	d.record("assistant", "e3", "e2",
		`,"message":{"id":"x","model":"<synthetic>","stop_reason":"stop_sequence","content":[{"type":"text","text":"API Error: 529 Overloaded"}],`+
			`"usage":{"input_tokens":0}},"error":"server_error","isApiErrorMessage":true,"apiErrorStatus":529`)
	tr := d.only(t)
	tells(t, tr, "user error error error")
	for i, want := range []trace.Error{{Code: "ECONNRESET", Head: "Connection dropped"}, {Code: "overloaded_error", Status: 529},
		{Code: "server_error", Status: 529, Fatal: true, Head: "API Error: 529 Overloaded"}} {
		got := *tr.Events[i+1].Body.(*trace.Error)
		if got.Digest = (trace.Digest{}); got != want {
			t.Errorf("error %d is %+v", i+1, got)
		}
	}
	if tr.Outcome != trace.Errored || tr.Count().Responses != 0 {
		t.Errorf("%s, %+v", tr.Outcome, tr.Count())
	}
	d.turn = "t2"
	d.text("p2", "e3", "again")
	d.answers("a2", "p2")
	if tr := d.only(t); tr.Outcome != trace.Completed {
		t.Errorf("the turn after it: %s", tr.Outcome)
	}
}

// What changed, as far as the source tells.
func TestChanges(t *testing.T) {
	patch := `"structuredPatch":[{"oldStart":1,"lines":[" one","-two","+TWO","+2"]}]`
	for name, c := range map[string]struct {
		tool, input, result, content string
		want                         string
	}{
		"a new file": {"Write", `{"file_path":"/p/d/a","content":"x\ny"}`, `{"type":"create","filePath":"/p/d/a","content":"x\ny","structuredPatch":[]}`,
			"File created successfully at: /p/d/a",
			"d/a created +2 -0 " + sum("x\ny")},
		"over a file": {"Write", `{"file_path":"/p/a","content":"x\n"}`, `{"type":"update","filePath":"/p/a","content":"x\n",` + patch + `}`, "updated",
			"a modified +2 -1 " + sum("x\n")},
		"changed by the user on the way": {"Write", `{"file_path":"/p/a","content":"x"}`,
			`{"type":"create","filePath":"/p/a","content":"z","structuredPatch":[],"userModified":true}`, "",
			"a created +1 -0 " + sum("z")},
		"a sub-agent's":             {"Write", `{"file_path":"/q/a","content":"x\n"}`, ``, "File created successfully at: /q/a", "/q/a created +1 -0 " + sum("x\n")},
		"a sub-agent's over a file": {"Write", `{"file_path":"/q/a","content":"x\n"}`, ``, "The file /q/a has been updated", "/q/a modified ? ? " + sum("x\n")},
		"an edit": {"Edit", `{"file_path":"/p/a"}`, `{"filePath":"/p/a","oldString":"two","newString":"TWO\n2","originalFile":"one\ntwo\n",` + patch +
			`,"replaceAll":false}`, "",
			"a modified +2 -1 " + sum("one\nTWO\n2\n")},
		"an edit of more than the text says": {"Edit", `{"file_path":"/p/a"}`,
			`{"filePath":"/p/a","oldString":"two","newString":"2","originalFile":"one\ntwo\n",` + patch + `}`, "", "a modified +2 -1 ?"},
		"an edit of a file that is not told": {"Edit", `{"file_path":"/p/a"}`, `{"filePath":"/p/a","oldString":"two","newString":"2",` + patch + `}`, "",
			"a modified +2 -1 ?"},
		"many edits": {"MultiEdit", `{"file_path":"/p/a"}`,
			`{"filePath":"/p/a","edits":[{"old_string":"a","new_string":"b","replace_all":true},{"old_string":"bb","new_string":"c\n"}],"originalFileContents":"ab a",` +
				`"structuredPatch":[{"lines":["-ab a","+c"," b"]},{"lines":["+x"]}]}`, "", "a modified +2 -1 " + sum("c\n b")},
		"a notebook": {"NotebookEdit", `{"notebook_path":"/p/n.ipynb","new_source":"x"}`, `{"new_source":"x","notebook_path":"/p/n.ipynb"}`, "",
			"n.ipynb modified ? ? ?"},
		"a command": {"Bash", `{"command":"touch t"}`,
			`{"stdout":"","bashEditDiff":{"files":[{"filePath":"/p/t","hunks":[{"lines":["+a"]}],"created":true}],"changedFiles":["/p/t","/p/u"]}}`, "",
			"t created +1 -0 ?; u unknown ? ? ?"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDraft(one)
			d.text("p1", "", "do")
			d.calls("1", "p1", c.tool, c.input)
			members := ""
			if c.result != "" {
				members = `,"toolUseResult":` + c.result
			}
			d.result("r1", "1", fmt.Sprintf("%q", c.content), false, members)
			got := ""
			for _, e := range d.only(t).Events {
				f, ok := e.Body.(*trace.FileChange)
				if !ok {
					continue
				}
				if got != "" {
					got += "; "
				}
				got += f.Path + " " + f.Action
				if f.Added == nil {
					got += " ? ?"
				} else {
					got += fmt.Sprintf(" +%d -%d", *f.Added, *f.Removed)
				}
				if f.Hash == "" {
					f.Hash = "?"
				}
				got += " " + f.Hash
			}
			if got != c.want {
				t.Errorf("%s\nnot\n%s", got, c.want)
			}
		})
	}
}
