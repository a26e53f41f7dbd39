//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// failing is a command whose end says that it failed: what a supervisor has to tell.
const failing = "aburn log build START && aburn log build FAILED --error 'no compiler'"

// adviser is how one agent is driven: a session's first prompt, and its next one in a process of its own.
type adviser struct {
	name  string
	call  func(command string) model.Call
	first func(w *world, session string) *process
	next  func(w *world, session string) *process
	id    func(w *world, session string) string // the client's own id of the session
}

func advisers() []adviser {
	return []adviser{
		{"claude", bash, func(w *world, session string) *process {
			return w.startClaude(w.project, "first prompt of "+session[:1], free(session)...)
		}, func(w *world, session string) *process {
			return w.startClaude(w.project, "next prompt of "+session[:1], "--dangerously-skip-permissions", "--resume", session)
		}, func(_ *world, session string) string { return session }},
		{"codex", command, func(w *world, session string) *process {
			return w.startCodex(w.project, "first prompt of "+session[:1])
		}, func(w *world, session string) *process {
			return w.startCodex(w.project, "next prompt of "+session[:1], "resume", w.thread(session))
		}, (*world).thread},
		{"copilot", copilotBash, func(w *world, session string) *process {
			return w.startCopilot("first prompt of "+session[:1], "--allow-all-tools")
		}, func(w *world, session string) *process {
			return w.startCopilot("next prompt of "+session[:1], "--allow-all-tools", "--resume="+w.copilotSession(session))
		}, (*world).copilotSession},
	}
}

// thread is the Codex session whose first prompt named the given one.
func (w *world) thread(session string) string {
	w.Helper()
	for _, path := range w.glob(".codex/sessions/*/*/*/*.jsonl") {
		data, err := os.ReadFile(path)
		if err != nil {
			w.Fatal(err)
		}
		if strings.Contains(string(data), "first prompt of "+session[:1]) {
			return w.lines(path)[0].Get("payload.id").String()
		}
	}
	w.Fatalf("no thread of %s", session)
	return ""
}

// conversations is a script for two sessions side by side, told apart by their first prompts.
func conversations(a, b []model.Turn) model.Script {
	return model.Script{
		{Name: "a", When: model.Contains("first prompt of a"), Turns: a},
		{Name: "b", When: model.Contains("first prompt of b"), Turns: b},
	}
}

// advised makes a world with aburn, in which explicit failures reach the queue.
func advised(t *testing.T, name string, script model.Script, more string) *world {
	t.Helper()
	w := newWorld(t, name, script, nil)
	w.copilot()
	w.install()
	w.write(filepath.Join(w.home, ".config", "aburn", "settings.json"), `{"supervisor": {"queue_above": 0.5}`+more+`}`)
	return w
}

// advice counts the tasks in each request of a conversation: "0 0 1".
func (w *world) advice(conversation string) string {
	w.Helper()
	var counts []string
	for _, r := range w.model.Asked() {
		if r.Conversation == conversation {
			n := 0
			for _, item := range r.Items {
				n += strings.Count(item.Text, "aburn task ")
			}
			counts = append(counts, strings.Repeat("|", n)+".")
		}
	}
	return strings.Join(counts, " ")
}

// tasks are those of queue.json.
func (w *world) tasks() []gjson.Result {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.project, ".oss", "queue.json"))
	if err != nil && !os.IsNotExist(err) {
		w.Fatal(err)
	}
	return gjson.GetBytes(data, "tasks").Array()
}

// story is the supervisor's entries: "INTERVENTION DELIVERED seen RESOLVED".
func (w *world) story() string {
	w.Helper()
	var words []string
	for _, e := range of(w.entries(w.project), logfmt.Intervention, logfmt.Delivered, logfmt.Resolved) {
		switch {
		case datum(e, "task_id") == "":
			continue // told to the user
		case datum(e, "seen") == "true":
			words = append(words, "seen")
		default:
			words = append(words, string(e.Event))
		}
	}
	return strings.Join(words, " ")
}

// watcher starts `aburn supervisor watch`; the returned function kills it.
func (w *world) watcher() func() {
	w.Helper()
	p := w.start(w.project, "aburn", "supervisor", "watch", "--json")
	w.waitFor(filepath.Join(w.project, ".oss", "watch.pid"))
	return func() {
		p.kill(syscall.SIGKILL)
		p.Wait()
		p.cancel()
	}
}

// TestAdviceArrives: a failed command leads to a task whose text is in the next request of its own session, exactly once, while another
// session works beside it and is told nothing; a supervisor that is killed and started again in between repeats nothing; what was
// delivered is seen in the transcript; and when the trouble is gone, the log says so.
//
// Holds claude, codex: advice.
func TestAdviceArrives(t *testing.T) {
	for _, agent := range advisers() {
		t.Run(agent.name, func(t *testing.T) {
			t.Parallel()
			w := advised(t, "hooked", conversations(
				[]model.Turn{
					model.Calls(agent.call(failing)), model.Text("it failed"),
					model.Calls(agent.call("true")), model.Text("I know now"),
					model.Calls(agent.call("aburn log build START && aburn log build COMPLETE --summary done")), model.Text("mended"),
					model.Text("the end"),
				},
				[]model.Turn{model.Calls(agent.call(untilEnd)), model.Text("b is done"), model.Text("b goes on"), model.Text("b ends")},
			), "")
			stop := w.watcher()
			beside := agent.first(w, sessionB) // at work all the time
			w.waitFor(w.started())
			agent.first(w, sessionA).wait()
			stop()
			stop = w.watcher()
			w.settled(1)
			stop()
			if tasks := w.tasks(); len(tasks) != 1 || tasks[0].Get("status").Str != "pending" || tasks[0].Get("anomaly_type").Str != "explicit_failure" {
				t.Fatalf("tasks %v", tasks)
			}
			os.Remove(w.started())
			beside.wait()
			agent.next(w, sessionB).wait()
			defer w.watcher()()
			agent.next(w, sessionA).wait()
			agent.next(w, sessionA).wait()
			agent.next(w, sessionB).wait()
			agent.next(w, sessionA).wait()
			if got := w.advice("a"); got != ". . |. |. |. |. |." {
				t.Errorf("session A was told %s", got)
			}
			if got := w.advice("b"); strings.Contains(got, "|") || !strings.HasPrefix(got, ". . .") {
				t.Errorf("session B was told %s", got)
			}
			w.settled(0)
			w.holds("the log has the end of the trouble", func() bool { return strings.HasSuffix(w.story(), "RESOLVED") })
			if got := w.story(); got != "INTERVENTION DELIVERED seen RESOLVED" {
				t.Errorf("the log says %s", got)
			}
		})
	}
}

// settled waits until the queue holds n tasks.
func (w *world) settled(n int) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); len(w.tasks()) != n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("tasks %v, want %d", w.tasks(), n)
		}
	}
}

// TestAdviceIsVoid: nothing is delivered once it has expired, or once the trouble is gone.
func TestAdviceIsVoid(t *testing.T) {
	for _, agent := range advisers() {
		for name, c := range map[string]struct {
			settings string
			between  func(w *world)
		}{
			"expired": {`, "queue": {"expires": "1s"}`, func(w *world) { time.Sleep(1500 * time.Millisecond) }},
			"resolved": {"", func(w *world) {
				session := agent.id(w, sessionA)
				w.aburn("log", "build", "START", "--session", session)
				w.aburn("log", "build", "COMPLETE", "--session", session, "--summary", "by hand")
			}},
		} {
			t.Run(agent.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := advised(t, "hooked", conversations([]model.Turn{
					model.Calls(agent.call(failing)), model.Text("it failed"), model.Text("two"), model.Text("three"),
				}, nil), c.settings)
				agent.first(w, sessionA).wait()
				if len(w.tasks()) != 1 {
					t.Fatalf("tasks %v", w.tasks())
				}
				c.between(w)
				agent.next(w, sessionA).wait()
				if got := w.advice("a"); got != ". . ." {
					t.Errorf("told %s", got)
				}
				if got := w.story(); strings.Contains(got, "DELIVERED") {
					t.Errorf("the log says %s", got)
				}
			})
		}
	}
}

// TestAdviceAtStop: where the user wants that, what is critical does not wait for the next prompt, and the turn that goes on because of
// it ends.
func TestAdviceAtStop(t *testing.T) {
	for _, agent := range advisers() {
		t.Run(agent.name, func(t *testing.T) {
			t.Parallel()
			w := advised(t, "hooked", conversations([]model.Turn{
				model.Calls(agent.call(failing)), model.Text("it failed"), model.Text("I read it"), model.Text("unasked"),
			}, nil), `, "deliver": {"at_stop": true}`)
			agent.first(w, sessionA).wait()
			if got := w.advice("a"); got != ". . |." {
				t.Errorf("told %s", got)
			}
		})
	}
}

// TestAdviceForOthers: a foreign task, a forged one, one of another session and one for nobody say nothing to the agents, and neither
// does one for the session when a sub-agent begins.
func TestAdviceForOthers(t *testing.T) {
	for _, agent := range advisers() {
		t.Run(agent.name, func(t *testing.T) {
			t.Parallel()
			w := advised(t, "hooked", conversations([]model.Turn{model.Text("one"), model.Text("two")}, nil), "")
			agent.first(w, sessionA).wait()
			session := agent.id(w, sessionA)
			w.aburn("queue", "add", "--session", sessionB, "for another: aburn task 1")
			w.aburn("queue", "add", "--session", session, "signed: aburn task 2")
			path := filepath.Join(w.project, ".oss", "queue.json")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(string(data), "signed: aburn task 2", "forged: aburn task 2", 1)
			text = strings.Replace(text, `"tasks":[`, `"tasks":[{"id":"f1","prompt":"foreign: aburn task 3","status":"pending","priority":"critical","session":"`+
				session+
				`"},{"id":"f2","prompt":"for nobody: aburn task 4","status":"pending"},{"id":"f3","prompt":"for all: aburn task 5","status":"pending","scope":"project"},`,
				1)
			if strings.Count(text, "aburn task") != 5 || !strings.Contains(text, "forged") {
				t.Fatalf("queue %s", text)
			}
			w.write(path, text)
			agent.next(w, sessionA).wait()
			if got := w.advice("a"); got != ". ." {
				t.Errorf("told %s", got)
			}
			if got := w.story(); strings.Contains(got, "DELIVERED") {
				t.Errorf("the log says %s", got)
			}
		})
	}
}
