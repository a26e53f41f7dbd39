package main

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/queue"
	"aburn/logfmt"
)

// other is an agent that is spoken to in its own events.
type other struct {
	agent, prompt, stop string
	typed               string // members of a prompt that a person typed
}

func others() []other {
	return []other{
		{agent: "gemini", prompt: "BeforeAgent", stop: "AfterAgent", typed: `"prompt":"go on"`},
		{agent: "qwen", prompt: "UserPromptSubmit", stop: "Stop", typed: `"prompt":"go on","submitted_prompt":"go on"`},
	}
}

// payload is an event of session s at a second; equal times would be one event.
func (o other) payload(s, event, second, members string) string {
	return `{"session_id":"` + s + `","transcript_path":"/home/user/none.jsonl","cwd":"/home/user/project","hook_event_name":"` + event +
		`","timestamp":"2026-11-22T10:00:` + second + `.000Z"` + comma(members) + `}`
}

// A task reaches its own session at the next prompt, once. An agent that asks its hooks before each request of a turn is
// not told again in it.
func TestOthersAdviceAtThePrompt(t *testing.T) {
	for _, o := range others() {
		w := newWorld(t)
		w.trust()
		id := w.put(queue.Task{Session: "s1", Prompt: "be careful"})
		send := func(session, second, members string) string {
			return w.send(o.agent, o.payload(session, o.prompt, second, members))
		}
		if out := send("s2", "01", o.typed); out != "" {
			t.Errorf("%s: another session is told %s", o.agent, out)
		}
		out := send("s1", "02", o.typed)
		if got := gjson.Get(out, "hookSpecificOutput"); got.Get("hookEventName").Str != o.prompt ||
			!strings.Contains(got.Get("additionalContext").Str, "be careful") {
			t.Errorf("%s: told %s", o.agent, out)
		}
		for _, again := range []string{send("s1", "03", `"prompt":""`), send("s1", "04", o.typed)} {
			if again != "" {
				t.Errorf("%s: told again: %s", o.agent, again)
			}
		}
		if w.task(id).DeliveredAt.IsZero() {
			t.Errorf("%s: no receipt in the queue", o.agent)
		}
	}
}

// At the end of a turn only a critical task makes it go on, only where the user wants that, and never a second time. The
// prompt that comes of it is no person's.
func TestOthersAdviceAtStop(t *testing.T) {
	for _, o := range others() {
		w := newWorld(t)
		w.trust()
		w.put(queue.Task{Session: "s1", Prompt: "stop it", Priority: queue.Critical})
		stop := func(second, active string) string {
			return w.send(o.agent, o.payload("s1", o.stop, second, `"stop_hook_active":`+active))
		}
		if out := stop("01", "false"); out != "" {
			t.Errorf("%s: told without the user's word: %s", o.agent, out)
		}
		w.Write(".config/aburn/settings.json", `{"deliver":{"at_stop":true}}`)
		if out := stop("02", "true"); out != "" {
			t.Errorf("%s: goes on a second time: %s", o.agent, out)
		}
		out := stop("03", "false")
		reason := gjson.Get(out, "reason").Str
		if gjson.Get(out, "decision").Str != "block" || !strings.Contains(reason, "stop it") {
			t.Errorf("%s: %s", o.agent, out)
		}
		w.send(o.agent, o.payload("s1", o.prompt, "04", `"prompt":`+string(logfmt.AppendString(nil, reason))))
		if e := w.last(); e.Event != logfmt.Prompt || !get(e, "machine").Bool() {
			t.Errorf("%s: the prompt is recorded as %s %s", o.agent, e.Event, e.Data)
		}
		w.put(queue.Task{Session: "s1", Prompt: "later"})
		if out := stop("05", "false"); out != "" {
			t.Errorf("%s: told what can wait: %s", o.agent, out)
		}
	}
}
