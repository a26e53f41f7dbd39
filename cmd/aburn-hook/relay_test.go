package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	lab "aburn/internal/lab/world"
	"aburn/logfmt"
)

// printed is the line that `aburn log` prints for e inside a sandbox.
func printed(t *testing.T, e logfmt.Entry) string {
	t.Helper()
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	line, err := e.AppendJSON([]byte(logfmt.RelayPrefix))
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// ran is PostToolUse of a shell command, in the words of either agent.
func ran(agent, command, output, members string) string {
	quote := func(s string) string { return string(gjson.AppendJSONString(nil, s)) }
	rest := `"tool_name":"Bash","tool_input":{"command":` + quote(command) + `},"tool_use_id":"t1"` + comma(members) + `,"tool_response":`
	if agent == "claude" {
		return claudePayload("PostToolUse", rest+`{"stdout":`+quote(output)+`,"stderr":"","interrupted":false}`)
	}
	return codexPayload("PostToolUse", rest+quote(output))
}

func TestRelay(t *testing.T) {
	lab.Slow(t)
	start := logfmt.Entry{Cmd: "build", Event: logfmt.Start, Session: "s1", ID: "0123456789abcdef", Source: "prompt"}
	with := func(change func(e *logfmt.Entry)) logfmt.Entry {
		e := start
		change(&e)
		return e
	}
	const sub = `"agent_id":"a1","agent_type":"Explore"`
	for _, tc := range []struct {
		name, command, output, members, want string
	}{
		{"taken", "aburn log build START", printed(t, start), "", "build START\nbuild TOOL\n"},
		{"among other output", "make && aburn log build START", "ok\n" + printed(t, start) + "# BUILD:START\n", "", "build START\nbuild TOOL\n"},
		{"CRLF", "aburn log build START", strings.ReplaceAll(printed(t, start), "\n", "\r\n"), "", "build START\nbuild TOOL\n"},
		{"two", "aburn log build START; aburn log build PHASE_START --phase RED",
			printed(t, start) + printed(t, with(func(e *logfmt.Entry) { e.Event, e.Phase, e.ID = logfmt.PhaseStart, "RED", "b" })), "",
			"build START\nbuild:RED PHASE_START\nbuild:RED TOOL\n"},
		{"of a sub-agent", "aburn log build START", printed(t, start), sub, "build START a1\nbuild TOOL a1\n"},
		{"of a sub-agent that named its own thread", "aburn log build START", printed(t, with(func(e *logfmt.Entry) { e.Session = "a1" })), sub,
			"build START a1\nbuild TOOL a1\n"},

		{"a worker's", "aburn done 'all of it'", printed(t, with(func(e *logfmt.Entry) { e.Event, e.Cmd = logfmt.WorkerDone, "build" })), "",
			"session WORKER_DONE\nsession TOOL\n"},
		{"a worker's, of a sub-agent", "cd x && aburn ask why", printed(t, with(func(e *logfmt.Entry) { e.Event, e.Wt = logfmt.WorkerAsk, "../elsewhere" })), sub,
			"session WORKER_ASK a1\nsession TOOL a1\n"},
		{"a worker's, from another command", "cat notes", printed(t, with(func(e *logfmt.Entry) { e.Event = logfmt.WorkerDone })), "", "session TOOL\n"},

		{"no aburn log", "cat notes", printed(t, start), "", "session TOOL\n"},
		{"aburn log as a text", "grep 'aburn log' notes", printed(t, start), "", "session TOOL\n"},
		{"another session", "aburn log build START", printed(t, with(func(e *logfmt.Entry) { e.Session = "s2" })), "", "session TOOL\n"},
		{"no session", "aburn log build START", printed(t, with(func(e *logfmt.Entry) { e.Session = "" })), "", "session TOOL\n"},
		{"no lifecycle event", "aburn log build START", printed(t, with(func(e *logfmt.Entry) { e.Event = logfmt.Intervention })), "", "session TOOL\n"},
		{"no id", "aburn log build START", printed(t, with(func(e *logfmt.Entry) { e.ID = "" })), "", "session TOOL\n"},
		{"edited", "aburn log build START", strings.Replace(printed(t, start), "START", "FAILED", 1), "", "session TOOL\n"},
		{"cut", "aburn log build START", printed(t, start)[:60], "", "session TOOL\n"},
		{"longer than any entry", "aburn log build START", logfmt.RelayPrefix +
			`{"ts":"2026-11-21T10:00:00.000Z","cmd":"build","event":"START","session":"s1","id":"b","data":{"args":"` +
			strings.Repeat("x", logfmt.MaxEntry) + `"}}` + "\n", "", "session TOOL\n"},
		{"not at a line's start", "aburn log build START", "x " + printed(t, start), "", "session TOOL\n"},
	} {
		for _, agent := range []string{"claude", "codex"} {
			w := newWorld(t)
			for range 2 { // seen twice, it is one entry
				w.send(agent, ran(agent, tc.command, tc.output, tc.members))
			}
			var got strings.Builder
			events := strings.Split(w.events(), "\n")
			for i, e := range w.entries() {
				got.WriteString(events[i])
				if e.Agent != nil {
					got.WriteString(" " + e.Agent.ID)
				}
				got.WriteString("\n")
				if e.Event.OfWorker() && (e.Source != "aburn" || e.Wt != "" || e.Session != "s1") {
					t.Errorf("%s, %s: entry %+v", agent, tc.name, e)
				}
				if e.Event.Lifecycle() && (e.Source != "prompt" || e.Session != "s1" || e.Seq == 0) {
					t.Errorf("%s, %s: entry %+v", agent, tc.name, e)
				}
			}
			if got.String() != tc.want {
				t.Errorf("%s, %s: got\n%swant\n%s", agent, tc.name, got.String(), tc.want)
			}
		}
	}
}

// What is relayed goes through the same sieve as all text: anything can print it.
func TestRelayScrubs(t *testing.T) {
	secret := "gh" + "p_" + "x7Kq2mZ9tR4vB8nL1c" + "D6wF3hJ5sG0pYaQeUi"
	e := logfmt.Entry{Cmd: "build", Event: logfmt.Complete, Session: "s1", ID: "b", Branch: "fix/" + secret, Agent: &logfmt.Agent{Type: secret, ID: "a1"},
		Data: []byte(`{"summary":"used ` + secret + `","outputs":["a.go"],"metrics":{"n":1}}`)}
	w := newWorld(t)
	w.send("codex", ran("codex", "aburn log build COMPLETE", printed(t, e), `"agent_id":"a1","agent_type":"`+secret+`"`))
	b, err := os.ReadFile(filepath.Join(w.Project, ".oss", "workflow.log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), secret) {
		t.Error("the secret is in the log")
	}
	for _, e := range w.entries() {
		if e.Event == logfmt.Complete && (get(e, "outputs.0").Str != "a.go" || get(e, "metrics.n").Int() != 1) {
			t.Errorf("the rest was lost: %s", e.Data)
		}
	}
}

// Of a command that ran on for a while the hook has no output, the transcript has.
func TestRelayFromTranscript(t *testing.T) {
	w := newWorld(t)
	line := printed(t, logfmt.Entry{Cmd: "build", Event: logfmt.Start, Session: "s1", ID: "b"})
	item := `{"timestamp":"2026-11-21T08:13:37Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"t1",` +
		`"exit_code":0,"aggregated_output":` +
		string(gjson.AppendJSONString(nil, "…\n"+line)) + `}}}` + "\n"
	path := w.Write(".codex/rollout-x-s1.jsonl", item)
	payload := strings.Replace(ran("codex", "sleep 9; aburn log build START", "", ""), `"transcript_path":null`, `"transcript_path":"`+path+`"`, 1)
	w.send("codex", payload)
	if got := w.events(); got != "build START\nbuild TOOL\n" {
		t.Error(got)
	}
}
