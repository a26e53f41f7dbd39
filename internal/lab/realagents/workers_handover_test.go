//go:build agents

package realagents

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// killed ends the worker's agent and its holder with kill -9, and waits until that is known.
func (w *world) killed() {
	w.Helper()
	w.killedWith(gjson.Get(w.aburn("ps", "--all", "--json"), "0"))
}

// killedWith is killed, of what ps says of one worker.
func (w *world) killedWith(r gjson.Result) {
	w.Helper()
	pid := int(r.Get("pid").Int())
	stat, err := os.ReadFile("/proc/" + r.Get("pid").String() + "/stat")
	if err != nil || pid == 0 {
		w.Fatalf("no process: %s, %v", r.Raw, err)
	}
	fields := strings.Fields(string(stat)[strings.LastIndex(string(stat), ")")+1:])
	holder := gjson.Parse(fields[1]).Int()
	syscall.Kill(int(holder), syscall.SIGKILL)
	syscall.Kill(pid, syscall.SIGKILL)
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
	}
	w.Fatal("the agent lives")
}

// midTurn begins what Claude Code tells of a message that came while it worked. The user has no item of such a message.
const midTurn = "The user sent a new message while you were working:"

// timesTold is how often a text of the user's stands in the conversation, as the model was given it.
func (w *world) timesTold(text string) (most int) {
	for _, r := range w.model.Asked() {
		n := 0
		for _, i := range r.Items {
			if i.Role == "user" || strings.Contains(i.Text, midTurn) {
				n += strings.Count(i.Text, text)
			}
		}
		most = max(most, n)
	}
	return most
}

// headlessKilled: holder and agent are killed while the agent asks. Each message stands in the conversation once, the
// agent goes on with the turn that was cut off, and the conversation moves into a terminal and back.
func headlessKilled(w *world, spawn []string) {
	w.privateTmux()
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	w.aburn(append([]string{"spawn", "--runtime", "headless", "--name", "w"}, append(spawn, "first task")...)...)
	w.worker("idle")
	w.attached("second message")
	w.asks()
	w.killed()
	r := gjson.Get(w.aburn("ps", "--all", "--json"), "0")
	if r.Get("state").String() == "idle" || r.Get("state").String() == "done" {
		w.Errorf("after kill -9: %s", r.Raw)
	}
	if out := w.run(w.project, "sh", "-c", "aburn attach --headless w < /dev/null"); out.code != 0 {
		w.Fatalf("attach --headless: %+v", out)
	}
	w.asks()
	w.aburn("answer", "w", "allow")
	w.worker("idle")
	if n := w.timesTold("first task"); n != 1 {
		w.Errorf("the first task was told %d times", n)
	}
	if n := w.timesTold("second message"); n != 1 {
		w.Errorf("the second message was told %d times", n)
	}
	if n := w.timesTold("If your last turn was not over, go on"); n != 1 {
		w.Errorf("the agent was told %d times to go on", n)
	}
	before := gjson.Get(w.aburn("ps", "w", "--json"), "session").String()
	if out := w.run(w.project, "sh", "-c", "aburn attach --terminal w < /dev/null"); strings.Contains(out.stderr, "cannot resume") {
		w.Errorf("attach --terminal: %+v", out) // tmux itself refuses, as nobody has a terminal here
	}
	r = gjson.Get(w.aburn("ps", "--json"), "0")
	if r.Get("via").String() != "tmux" || r.Get("session").String() != before || before == "" {
		w.Errorf("in tmux: %s", r.Raw)
	}
	if out := w.run(w.project, "sh", "-c", "aburn attach --headless w < /dev/null"); out.code != 0 {
		w.Fatalf("back: %+v", out)
	}
	w.attached("third message")
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline) && w.timesTold("third message") == 0; time.Sleep(50 * time.Millisecond) {
	}
	w.worker("idle")
	if n := w.timesTold("third message"); n != 1 {
		w.Errorf("the third message was told %d times", n)
	}
	if story := w.attached(); strings.Count(story, "> first task") != 1 || !strings.Contains(story, "first answer") || !strings.Contains(story, "third message") {
		w.Errorf("the story is not whole:\n%s", story)
	}
	w.aburn("kill", "w")
}

func TestClaudeHeadlessKilledAndMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", one(
		model.Text("first answer"), model.Calls(bash("echo a > a.txt")), model.Calls(bash("echo b > b.txt")), model.Text("second answer"), model.Text("third answer"),
	)(), nil)
	w.aburn("init")
	w.trusting()
	headlessKilled(w, nil)
}

func TestCodexHeadlessKilledAndMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "worker", codexScript(
		model.Text("first answer"), model.Calls(escalated("echo a > a.txt")), model.Calls(escalated("echo b > b.txt")), model.Text("second answer"),
		model.Text("third answer"),
	), nil)
	w.codexUser()
	w.aburn("init")
	headlessKilled(w, []string{"--agent", "codex", "--env", "SCRIPTED_MODEL_KEY"})
}
