package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/queue"
	"aburn/logfmt"
)

// inTurn is a trusted world whose user wants to be told inside of a turn.
func inTurn(t *testing.T, types string) *world {
	t.Helper()
	w := newWorld(t)
	w.trust()
	w.Write(".config/aburn/settings.json", `{"deliver":{"in_turn":`+types+`}}`)
	return w
}

// called is the end of a shell call as each agent sends it in the given session and turn.
func called(agent, session, turn, id, command string) string {
	if agent == "codex" {
		payload := strings.Replace(promptOf("codex", session), "UserPromptSubmit", "PostToolUse", 1)
		payload = strings.Replace(payload, `"turn_id":"t1"`, `"turn_id":"`+turn+`"`, 1)
		return strings.Replace(payload, `"prompt":"go on"`, `"tool_name":"Bash","tool_input":{"command":"`+command+`"},"tool_use_id":"`+id+
			`","tool_response":"nothing"`, 1)
	}
	payload := bash("PostToolUse", id, command, `"tool_response":{"stdout":"nothing","stderr":"","interrupted":false}`)
	return strings.Replace(strings.Replace(payload, `"session_id":"s1"`, `"session_id":"`+session+`"`, 1), `"prompt_id":"p"`, `"prompt_id":"`+turn+`"`, 1)
}

// calls makes equal calls and says in which of them the model was told a loop: ". . |". Each hook may print the advice or nothing.
func (w *world) calls(agent, session, turn, command string, n int) string {
	w.t.Helper()
	var told []string
	for i := range n {
		id := strings.Join([]string{session, turn, command, strconv.Itoa(i), strconv.FormatInt(time.Now().UnixNano(), 36)}, "-")
		text := adviceText(w.t, w.send(agent, called(agent, session, turn, strings.ReplaceAll(id, " ", ""), command)), "PostToolUse")
		told = append(told, strings.Repeat("|", strings.Count(text, "aburn task "))+".")
		if text != "" && (!strings.Contains(text, "loop (confidence 0.96)") || !strings.HasPrefix(text, "From aburn, ") || !strings.Contains(text, command)) {
			w.t.Errorf("told %q", text)
		}
	}
	return strings.Join(told, " ")
}

// count counts the log's entries of an event.
func (w *world) count(event logfmt.Event) (n int) {
	for _, e := range w.entries() {
		if e.Event == event {
			n++
		}
	}
	return n
}

// A session that loops inside of one long turn is told so, once, and only that session; the log and the queue say so.
func TestInTurn(t *testing.T) {
	for _, agent := range []string{"claude", "codex"} {
		w := inTurn(t, `["loop"]`)
		w.send(agent, promptOf(agent, "s1"))
		if got := w.calls(agent, "s1", "p1", "./deploy", 5); got != ". . . . ." {
			t.Errorf("%s: before it was certain: %s", agent, got)
		}
		if got := w.calls(agent, "s2", "p9", "./deploy", 1); got != "." {
			t.Errorf("%s: another session was told: %s", agent, got)
		}
		if got := w.calls(agent, "s1", "p1", "./deploy", 6); got != "|. . . . . ." {
			t.Errorf("%s: told %s", agent, got)
		}
		if got := adviceText(t, w.send(agent, promptOf(agent, "s1")), "UserPromptSubmit"); got != "" {
			t.Errorf("%s: told again at the prompt: %q", agent, got)
		}
		var delivered []logfmt.Entry
		for _, e := range w.entries() {
			if e.Event == logfmt.Delivered {
				delivered = append(delivered, e)
			}
		}
		if len(delivered) != 1 || delivered[0].Session != "s1" || !get(delivered[0], "in_turn").Bool() || get(delivered[0], "prompt_id").Str != "p1" ||
			get(delivered[0], "type").Str != "loop" {
			t.Fatalf("%s: the log says %+v", agent, delivered)
		}
		if task := w.task(get(delivered[0], "task_id").Str); task.Status != queue.Completed || task.Attempts != 1 || task.HMAC == "" {
			t.Errorf("%s: the task is %+v", agent, task)
		}
	}
}

// Whoever did not ask for it is told nothing and pays nothing: there is no look.
func TestInTurnOff(t *testing.T) {
	for name, settings := range map[string]string{
		"nothing set": `{}`, "off": `{"deliver":{"in_turn":"off"}}`, "an empty list": `{"deliver":{"in_turn":[]}}`,
		"another type": `{"deliver":{"in_turn":["edit_churn"]}}`,
		"no type":      `{"deliver":{"in_turn":["explicit_failure"]}}`,
	} {
		w := newWorld(t)
		w.trust()
		w.Write(".config/aburn/settings.json", settings)
		w.Write("project/.oss/settings.json", `{"deliver":{"in_turn":["loop"]}}`)
		w.env = append(w.env, "ABURN_DELIVER_IN_TURN=[\"loop\"]")
		if got := w.calls("claude", "s1", "p1", "./deploy", 7); strings.Contains(got, "|") || w.count(logfmt.Intervention) > 0 {
			t.Errorf("%s: told %s, %d interventions", name, got, w.count(logfmt.Intervention))
		}
	}
}

// A session whose calls differ, fail now and then, and repeat with changes between is told nothing and causes no look.
func TestInTurnHealthy(t *testing.T) {
	w := inTurn(t, `["loop","tool_failure_run","edit_churn","phase_stuck"]`)
	w.send("claude", promptOf("claude", "s1"))
	w.fill("s9", 200) // enough that a look would store what it read
	state := func() string {
		b, _ := os.ReadFile(filepath.Join(w.Project, ".oss", "workflow-state.json"))
		return string(b)
	}
	before := state()
	for i := range 5 {
		w.Write("project/a.go", "package a // "+strconv.Itoa(i))
		for k, payload := range []string{
			claudePayload("PostToolUse", `"tool_name":"Edit","tool_input":{"file_path":"/home/user/project/a.go"},"tool_use_id":"e`+strconv.Itoa(i)+`"`),
			bash("PostToolUseFailure", "t"+strconv.Itoa(i), "go test ./...", `"error":"Exit code 1"`),
			called("claude", "s1", "p", "r"+strconv.Itoa(i), "sed -n "+strconv.Itoa(i)+"p a.go"),
			called("claude", "s1", "p", "s"+strconv.Itoa(i), "go vet ./"+strconv.Itoa(i)),
		} {
			if out := w.send("claude", payload); out != "" {
				t.Errorf("round %d, call %d: told %s", i, k, out)
			}
		}
	}
	if state() != before || w.count(logfmt.Intervention) > 0 {
		t.Errorf("there was a look, %d interventions", w.count(logfmt.Intervention))
	}
	w.calls("claude", "s1", "p", "./deploy", 4)
	if state() == before {
		t.Error("a fourth equal call in a row caused no look, so this test sees none")
	}
}

// Each of the four types reaches the agent: at the failure's own event, at an edit, and when a phase goes on.
func TestInTurnTypes(t *testing.T) {
	for kind, c := range map[string]struct {
		calls int
		send  func(w *world, i int) (payload, event string)
	}{
		"tool_failure_run": {7, func(_ *world, i int) (string, string) {
			return bash("PostToolUseFailure", "t"+strconv.Itoa(i), "./step "+strconv.Itoa(i), `"error":"Exit code 3"`), "PostToolUseFailure"
		}},
		"edit_churn": {6, func(w *world, i int) (string, string) {
			w.Write("project/a.go", "package a // "+strconv.Itoa(i%2))
			return claudePayload("PostToolUse", `"tool_name":"Edit","tool_input":{"file_path":"/home/user/project/a.go","old_string":"`+strconv.Itoa(i)+
				`"},"tool_use_id":"e`+strconv.Itoa(i)+`"`), "PostToolUse"
		}},
		"phase_stuck": {1, func(w *world, i int) (string, string) {
			from := time.Now().Add(-45 * time.Minute)
			entry := func(n int, event logfmt.Event, data string) logfmt.Entry {
				return logfmt.Entry{Time: from.Add(time.Duration(n) * 50 * time.Second), Cmd: "build", Phase: "RED", Event: event, Session: "s1", Source: "claude",
					Data: []byte(data)}
			}
			all := []logfmt.Entry{entry(0, logfmt.Prompt, `{}`), {Time: from, Cmd: "build", Phase: "RED", Event: logfmt.PhaseStart, Session: "s1", Source: "prompt"}}
			for n := 1; n < 53; n++ {
				all = append(all, entry(n, logfmt.Tool, fmt.Sprintf(`{"tool":"Bash","tool_use_id":"o%d","head":"cat %d","input":"%08x","exit_code":0}`, n, n, n)))
			}
			w.append(all...)
			return called("claude", "s1", "p", "t1", "cat x"), "PostToolUse"
		}},
	} {
		w := inTurn(t, `["`+kind+`"]`)
		text := ""
		for i := range c.calls {
			if text != "" {
				t.Errorf("%s: told too early: %s", kind, text)
			}
			payload, event := c.send(w, i)
			text = adviceText(t, w.send("claude", payload), event)
		}
		if !strings.Contains(text, kind+" (confidence 0.9") {
			t.Errorf("%s: told %q", kind, text)
		}
	}
}

// One turn is told at most one task of a type, its prompt's included. Another one waits for the next prompt, and a later
// turn may be told again.
func TestInTurnOnceAType(t *testing.T) {
	w := inTurn(t, `["loop"]`)
	if got := w.calls("claude", "s1", "p1", "./deploy", 6); got != ". . . . . |." {
		t.Fatalf("told %s", got)
	}
	if got := w.calls("claude", "s1", "p1", "./publish", 8); strings.Contains(got, "|") {
		t.Errorf("told a second loop in one turn: %s", got)
	}
	if got := w.prompt("s1"); !strings.Contains(got, "./publish") || strings.Contains(got, "./deploy") {
		t.Errorf("at the prompt: %q", got)
	}
	if got := w.calls("claude", "s1", "p", "./release", 7); strings.Contains(got, "|") {
		t.Errorf("told in a turn whose prompt had told a loop: %s", got)
	}
	if got := w.prompt("s1"); !strings.Contains(got, "./release") {
		t.Errorf("at the prompt: %q", got)
	}
	w.prompt("s1")
	if got := w.calls("claude", "s1", "p3", "./revert", 7); got != ". . . . . |. ." {
		t.Errorf("the next turn was told %s", got)
	}
}

// An untrusted project says nothing, and neither does a hook that is switched off.
func TestInTurnUntrusted(t *testing.T) {
	w := newWorld(t)
	w.Write(".config/aburn/settings.json", `{"deliver":{"in_turn":["loop"]}}`)
	if got := w.calls("claude", "s1", "p1", "./deploy", 7); strings.Contains(got, "|") {
		t.Errorf("told %s", got)
	}
	w.trust()
	w.env = append(w.env, "ABURN=0")
	if got := w.calls("claude", "s1", "p1", "./deploy", 7); strings.Contains(got, "|") || w.count(logfmt.Tool) != 7 {
		t.Errorf("told %s", got)
	}
}

// What keeps a hook silent inside of a turn although the loop is certain.
func TestInTurnNotFor(t *testing.T) {
	for name, change := range map[string]func(payload string) string{
		"a sub-agent":       func(p string) string { return strings.Replace(p, `"cwd"`, `"agent_id":"a1","agent_type":"x","cwd"`, 1) },
		"an unknown prompt": func(p string) string { return strings.Replace(p, `"prompt_id":"p1",`, "", 1) },
		"a call's start":    func(p string) string { return strings.Replace(p, "PostToolUse", "PreToolUse", 1) },
	} {
		w := inTurn(t, `["loop"]`)
		for i := range 8 {
			if out := w.send("claude", change(called("claude", "s1", "p1", "t"+strconv.Itoa(i), "./deploy"))); out != "" {
				t.Errorf("%s: told %s", name, out)
			}
		}
	}
}

// Where no prompt comes any more, nothing can wait for one: with deliver.at_stop the turn's end tells every task.
func TestAtStopInPrintMode(t *testing.T) {
	for name, c := range map[string]struct {
		env, originator string
		agent           string
		told            bool
	}{
		"claude -p": {env: "CLAUDE_CODE_ENTRYPOINT=sdk-cli", agent: "claude", told: true}, "claude": {env: "CLAUDE_CODE_ENTRYPOINT=cli", agent: "claude"},
		"codex exec": {originator: "codex_exec", agent: "codex", told: true}, "codex": {originator: "codex-tui", agent: "codex"},
	} {
		w := newWorld(t)
		w.trust()
		w.Write(".config/aburn/settings.json", `{"deliver":{"at_stop":true}}`)
		w.Write(".codex/sessions/rollout-2026-11-21T10-00-00-s1.jsonl", `{"type":"session_meta","payload":{"originator":"`+c.originator+`"}}`+"\n")
		w.put(advice("s1"))
		stop := claudePayload("Stop", `"stop_hook_active":false`)
		if c.agent == "codex" {
			stop = strings.Replace(strings.Replace(promptOf("codex", "s1"), "UserPromptSubmit", "Stop", 1), `"prompt":"go on"`, `"stop_hook_active":false`, 1)
		}
		first := w.send(c.agent, stop, c.env)
		if strings.Contains(first, "mind the gap") != c.told {
			t.Errorf("%s: told %q", name, first)
		}
		if out := w.send(c.agent, stop, c.env); out != "" {
			t.Errorf("%s: told again %q", name, out)
		}
	}
}
