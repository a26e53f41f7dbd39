//go:build agents

package realagents

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/model"
	lab "aburn/internal/lab/world"
	"aburn/logfmt"
)

// sinceAnswer is what came since the model spoke or called last.
func sinceAnswer(r *model.Request) (text string) {
	for _, item := range slices.Backward(r.Items) {
		if item.Role == "assistant" {
			break
		}
		text += item.Text + "\n"
	}
	return text
}

// atMost is the rate that is excluded with 95 % when n tries saw nothing.
func atMost(n int) float64 { return 1 - math.Pow(0.05, 1/float64(n)) }

// racing is a model that wants to run what needs a permission, once for each prompt "RACE i."
func racing(n int, call func(cmd string) model.Call) model.Script {
	var ask []model.Turn
	for i := range n {
		ask = append(ask, model.Calls(call(fmt.Sprintf("touch '$PROJECT/race%d'", i))))
	}
	asked := 0
	return model.Script{
		{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}},
		{Name: "ask", When: func(r *model.Request) bool { // under the server's lock
			hit := asked < n && strings.Contains(sinceAnswer(r), fmt.Sprintf("RACE %d.", asked))
			if hit {
				asked++
			}
			return hit
		}, Turns: ask},
		{Name: "rest", Repeat: true, Turns: []model.Turn{model.Text("ok")}},
	}
}

// asksWithoutTerminal has messages arrive around the moment at which an agent without a terminal asks. 20 races, or as many
// times ABURN_STORM. No question may be answered by a message.
func asksWithoutTerminal(w *world, n int, spawn ...string) {
	w.Cleanup(func() { w.run(w.project, "aburn", "kill", "w") })
	w.aburn("init")
	w.aburn(append([]string{"spawn", "--runtime", "headless", "--name", "w"}, append(spawn, "wait")...)...)
	w.worker("idle")
	count, answered := map[string]int{}, 0
	for i := range n {
		if s := w.send("w", fmt.Sprintf("RACE %d.", i)); s.State != "accepted" {
			w.Fatalf("race %d did not begin: %+v", i, s)
		}
		time.Sleep(time.Duration(i%20) * 25 * time.Millisecond)
		s := w.send("--no-wait", "w", fmt.Sprintf("message %d", i))
		count[s.State]++
		w.asks()
		time.Sleep(time.Duration(i%5) * 50 * time.Millisecond)
		if isFile(filepath.Join(w.project, fmt.Sprintf("race%d", i))) {
			answered++
		}
		w.aburn("answer", "w", "deny")
		w.worker("idle")
	}
	w.Logf("%d races without a terminal: %v; %d answered by us (95 %%: fewer than %.2g of all)", n, count, answered, atMost(n))
	if answered > 0 || count["refused"] > 0 {
		w.Error("see above")
	}
}

func TestClaudeHeadlessAsksMeanwhile(t *testing.T) {
	t.Parallel()
	n := lab.Storm(20)
	w := newWorld(t, "races", racing(n, bash), nil)
	w.trusting()
	asksWithoutTerminal(w, n)
}

func TestCodexHeadlessAsksMeanwhile(t *testing.T) {
	t.Parallel()
	n := lab.Storm(20)
	w := newWorld(t, "races", racing(n, escalated), nil)
	w.codexUser()
	asksWithoutTerminal(w, n, "--agent", "codex", "--env", "SCRIPTED_MODEL_KEY")
}

// TestCodexAsksMeanwhile: a dialog opens in Codex' terminal around the moment at which somebody sends. 20 races, or as many times
// ABURN_STORM.
func TestCodexAsksMeanwhile(t *testing.T) {
	t.Parallel()
	n := lab.Storm(20)
	w := newWorld(t, "races", racing(n, escalated), nil)
	w.inTmux()
	w.codexUser()
	w.aburn("init")
	w.aburn("spawn", "--agent", "codex", "--env", "SCRIPTED_MODEL_KEY", "--name", "w", "wait")
	w.worker("idle")
	count, answered := map[string]int{}, 0
	for i := range n {
		w.typed(fmt.Sprintf("RACE %d.", i))
		time.Sleep(time.Duration(i%20) * 50 * time.Millisecond)
		s := w.send("--wait", "1s", "w", fmt.Sprintf("message %d", i))
		count[s.State]++
		w.dialog()
		if isFile(filepath.Join(w.project, fmt.Sprintf("race%d", i))) {
			answered++
		}
		w.refuse()
	}
	w.Logf("%d races in a terminal, %d questions in the log: %v; %d answered by us (95 %%: fewer than %.2g of all)", n, w.permissions(), count, answered,
		atMost(n))
	if answered > 0 || count["refused"] > 0 {
		w.Error("see above")
	}
}

// typed types a line, as the person at the terminal.
func (w *world) typed(text string) {
	w.Helper()
	w.typeLine(text, w.screen, w.press)
}

// holds waits until something is so.
func (w *world) holds(what string, is func() bool) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if is() {
			return
		}
	}
	w.Fatalf("it never is so: %s", what)
}

// goesOn reports whether there is time for try i: a long run that gets no further says what came until then.
func (w *world) goesOn(i int) bool {
	if i > 0 && i%100 == 0 {
		w.Logf("%d tries so far", i)
	}
	t, ok := w.TB.(*testing.T)
	if !ok {
		return true
	}
	end, ok := t.Deadline()
	return !ok || time.Until(end) > runDeadline
}

// standOnce counts how often each message stands in the conversation that the model was asked about last.
func (w *world) standOnce(n int) (wrong int) {
	w.Helper()
	last := ""
	for _, r := range w.model.Asked() {
		if r.Contains(fmt.Sprintf("message %d.", n-1)) {
			last = string(r.Body)
		}
	}
	for i := range n {
		if k := strings.Count(last, fmt.Sprintf("message %d.", i)); k != 1 {
			wrong++
			w.Errorf("message %d stands in the conversation %d times", i, k)
		}
	}
	return wrong
}

// TestClaudeTypedMessages: an agent that sits at its prompt in tmux. Each message is accepted by its own record, once.
func TestClaudeTypedMessages(t *testing.T) {
	t.Parallel()
	n := lab.Storm(20)
	w := newWorld(t, "typed", always(), nil)
	w.inTmux()
	w.trusting()
	w.aburn("init")
	w.aburn("spawn", "--name", "w", "begin")
	w.worker("idle")
	accepted, all := 0, n
	n = 0
	for i := 0; i < all && w.goesOn(i); i++ {
		n++
		if s := w.send("w", fmt.Sprintf("message %d.", i)); s.State == "accepted" {
			accepted++
		} else {
			t.Logf("message %d: %+v\n%s", i, s, w.screen())
		}
		w.worker("idle")
	}
	t.Logf("%d of %d messages typed: %d accepted, %d lost or doubled (95 %%: fewer than %.2g)", n, all, accepted, w.standOnce(n), atMost(n))
	if float64(accepted) < 0.995*float64(n) {
		t.Error("fewer than 99.5 % were accepted in time")
	}
}

// queued sends to an agent that works, a few at once: its own hook hands them over when its turn ends.
func queued(w *world, spawn ...string) {
	const most = 5 // in one turn
	n, all, slow := 0, lab.Storm(20), 0
	w.inTmux()
	w.aburn("init")
	w.aburn(append([]string{"spawn", "--name", "w"}, append(spawn, "begin")...)...)
	file := filepath.Join(w.worker("idle").Get("tree").String(), "busy.tmp")
	for i := 0; i < all && w.goesOn(i); i += most {
		n = min(i+most, all)
		w.typed(fmt.Sprintf("TURN %d.", i))
		w.waitFor(file)
		waited := time.Now()
		for k := i; k < n; k++ {
			if s := w.send("--no-wait", "--after-turn", "w", fmt.Sprintf("message %d.", k)); s.State == "refused" {
				w.Fatalf("message %d: %+v", k, s)
			}
		}
		if err := os.Remove(file); err != nil {
			w.Fatal(err)
		}
		if time.Since(waited) > 8*time.Second { // a client may give up waiting for a command: what came later waits for the next prompt
			slow++
			w.worker("idle")
			w.typed(fmt.Sprintf("and on, behind %d", i))
		}
		w.holds("all messages are accepted", func() bool { return w.worker("idle").Get("messages").Int() == 0 })
	}
	delivered := 0
	for _, e := range w.entries(w.project) {
		if e.Event == logfmt.Delivered {
			delivered++
		}
	}
	w.Logf("%d of %d messages to an agent that works: %d lost or doubled (95 %%: fewer than %.2g); %d entries of delivery, %d turns that took too long", n, all,
		w.standOnce(n), atMost(n), delivered, slow)
}

// untilGone runs in the worker's tree until its file is gone.
const untilGone = "touch busy.tmp; while [ -e busy.tmp ]; do sleep 0.1; done"

// busy is a model whose each "TURN" runs a command until the test ends it.
func busy(call func(cmd string) model.Call) model.Script {
	return model.Script{
		{Name: "title", When: model.LastContains("Generate a concise, single-line"), Repeat: true, Turns: []model.Turn{model.Text("a title")}},
		{Name: "turn", When: func(r *model.Request) bool { return strings.Contains(r.Last(), "TURN ") }, Repeat: true,
			Turns: []model.Turn{model.Calls(call(untilGone))}},
		{Name: "rest", Repeat: true, Turns: []model.Turn{model.Text("ok")}},
	}
}

func TestClaudeQueuedMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "queued", busy(bash), nil)
	w.trusting()
	w.write(filepath.Join(w.home, ".claude", "settings.json"), `{"permissions": {"allow": ["Bash"]}}`)
	queued(w)
}

func TestCodexQueuedMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "queued", busy(command), nil)
	w.codexUser()
	queued(w, "--agent", "codex", "--permissions", "edits", "--env", "SCRIPTED_MODEL_KEY")
}
