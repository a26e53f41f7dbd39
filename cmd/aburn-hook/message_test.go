package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	lab "aburn/internal/lab/world"
	"aburn/internal/queue"
	"aburn/logfmt"
)

const inWorker = "ABURN_WORKER=project-12345678/w/s1"

// message queues one to session s1, as `aburn send` does.
func (w *world) message(id, text string) {
	w.t.Helper()
	w.desk(func(d *queue.Desk) {
		if ok, err := d.PutMessage(id, "s1", "user", "[aburn "+id+"] "+text, time.Now()); !ok || err != nil {
			w.t.Fatal(ok, err)
		}
	})
}

// stopOf is the end of a turn as each agent sends it.
func stopOf(agent string) string {
	if agent == "codex" {
		return strings.Replace(strings.Replace(promptOf("codex", "s1"), "UserPromptSubmit", "Stop", 1), `"prompt":"go on"`, `"stop_hook_active":false`, 1)
	}
	return claudePayload("Stop", `"stop_hook_active":false`)
}

// A message reaches a worker at the end of its turn, or with its next prompt whoever wrote that, once and with a receipt.
// The user's settings about advice change nothing.
func TestMessage(t *testing.T) {
	machine := claudePayload("UserPromptSubmit", `"prompt":"<task-notification>done"`)
	for name, c := range map[string]struct{ agent, payload string }{
		"Claude's stop": {"claude", stopOf("claude")}, "Codex's stop": {"codex", stopOf("codex")},
		"a prompt": {"claude", promptOf("claude", "s1")}, "a machine's": {"claude", machine}, "Codex's prompt": {"codex", promptOf("codex", "s1")},
	} {
		w := newWorld(t)
		w.trust()
		w.put(queue.Task{Session: "s1", Prompt: "mind the gap", Priority: queue.Medium})
		w.message("m-1", "use port 8081")
		w.message("m-2", "and be quick")
		out := w.send(c.agent, c.payload, inWorker)
		if first, second := strings.Index(out, "[aburn m-1] use port 8081"), strings.Index(out, "[aburn m-2] and be quick"); first < 0 || second < first {
			t.Errorf("%s: told %q", name, out)
		}
		if advised := strings.Contains(out, "mind the gap"); advised != strings.HasSuffix(name, "prompt") {
			t.Errorf("%s: advice was told: %v", name, advised)
		}
		for range 2 {
			if again := w.send(c.agent, c.payload, inWorker); strings.Contains(again, "m-") {
				t.Errorf("%s: told again %q", name, again)
			}
		}
		told := ""
		for _, e := range w.entries() {
			if e.Event == logfmt.Delivered && get(e, "type").Str == "message" {
				told += get(e, "task_id").Str + " "
			}
		}
		if told != "m-1 m-2 " || w.task("m-1").Status != queue.Completed {
			t.Errorf("%s: the log has receipts of %q, the queue says %s", name, told, w.task("m-1").Status)
		}
	}
}

// A turn that hooks have prolonged already, a sub-agent's end and an agent that is no worker are not stopped for a message.
func TestMessageWaits(t *testing.T) {
	for name, c := range map[string]struct{ payload, env string }{
		"prolonged":   {strings.Replace(stopOf("claude"), "false", "true", 1), inWorker},
		"a sub-agent": {claudePayload("Stop", `"agent_id":"a1","agent_type":"x"`), inWorker},
		"no worker":   {stopOf("claude"), "X=1"},
		"a call":      {bash("PreToolUse", "t1", "ls", ""), inWorker},
		"another's":   {strings.Replace(stopOf("claude"), `"s1"`, `"s2"`, 1), inWorker},
	} {
		w := newWorld(t)
		w.trust()
		w.message("m-1", "use port 8081")
		if out := w.send("claude", c.payload, c.env); out != "" {
			t.Errorf("%s: told %q", name, out)
		}
		if w.task("m-1").Status != queue.Pending {
			t.Errorf("%s: %s", name, w.task("m-1").Status)
		}
	}
}

// What does not fit waits for the next turn's end, in order.
func TestLongMessages(t *testing.T) {
	w := newWorld(t)
	w.trust()
	for i := range 5 {
		w.message("m-"+strconv.Itoa(i), strings.Repeat("x", 2900))
	}
	var all string
	for range 5 {
		all += w.send("claude", stopOf("claude"), inWorker)
	}
	at := -1
	for i := range 5 {
		tag := "[aburn m-" + strconv.Itoa(i) + "]"
		if next := strings.Index(all, tag); strings.Count(all, tag) != 1 || next < at {
			t.Errorf("message %d was told %d times, at %d", i, strings.Count(all, tag), next)
		} else {
			at = next
		}
	}
}

// A hundred messages (a thousand with ABURN_STORM=10), one to three a turn: each is told once, in order, with one receipt.
func TestManyMessages(t *testing.T) {
	w := newWorld(t)
	w.trust()
	n := lab.Storm(100)
	var told strings.Builder
	for i := 0; i < n; {
		for range min(1+i%3, n-i) {
			w.message("m-"+strconv.Itoa(i), "number "+strconv.Itoa(i)+".")
			i++
		}
		told.WriteString(w.send("claude", stopOf("claude"), inWorker))
	}
	at := -1
	for i := range n {
		text := "[aburn m-" + strconv.Itoa(i) + "] number " + strconv.Itoa(i) + "."
		if next := strings.Index(told.String(), text); next < at || strings.Count(told.String(), text) != 1 {
			t.Fatalf("message %d was told %d times", i, strings.Count(told.String(), text))
		} else {
			at = next
		}
	}
	receipts := 0
	for _, e := range w.entries() {
		if e.Event == logfmt.Delivered {
			receipts++
		}
	}
	if receipts != n {
		t.Errorf("%d receipts of %d", receipts, n)
	}
}

// A message whose text a person sent from the agent's input line is not told again, neither with that prompt nor later. With a
// part of it, it is told whole. While it may stand there, no other prompt and no turn's end tells it.
func TestMessageInInputLine(t *testing.T) {
	prompt := func(text string) string { return claudePayload("UserPromptSubmit", `"prompt":"`+text+`"`) }
	const said, machine = "[aburn m-1] use port 8081", `<task-notification>[aburn m-1] use port 8081`
	for name, c := range map[string]struct {
		typed    bool
		payloads []string
		told     int
	}{
		"sent":                  {true, []string{prompt(said), stopOf("claude"), prompt("go on")}, 0},
		"sent, of a paste":      {true, []string{prompt(`[aburn m-1] <pasted_content id=\"1\">use port 8081`)}, 0},
		"sent, never noted":     {false, []string{prompt(said), stopOf("claude")}, 0},
		"its tag alone":         {true, []string{prompt("[aburn m-1] "), stopOf("claude")}, 1},
		"something else":        {true, []string{prompt("go on"), prompt(said)}, 1},
		"nothing was sent":      {true, []string{stopOf("claude"), prompt(machine)}, 0},
		"it was told":           {false, []string{stopOf("claude"), prompt(said)}, 1},
		"a machine says it too": {false, []string{prompt(machine)}, 1},
	} {
		w := newWorld(t)
		w.trust()
		w.message("m-1", "use port 8081")
		if c.typed {
			w.desk(func(d *queue.Desk) { d.Typing("m-1", time.Now()) })
		}
		told := 0
		for _, p := range c.payloads {
			told += strings.Count(w.send("claude", p, inWorker), "use port 8081")
		}
		if told != c.told {
			t.Errorf("%s: told %d times", name, told)
		}
		if status := w.task("m-1").Status; (status == queue.Pending) != (name == "nothing was sent") {
			t.Errorf("%s: %s", name, status)
		}
	}
}
