//go:build agents

package realagents

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// inTmux lets workers run in a tmux of this world's own.
func (w *world) inTmux() {
	w.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		w.Skip("tmux is not installed")
	}
	sockets := filepath.Join(filepath.Dir(w.home), "t")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		w.Fatal(err)
	}
	w.more = append(w.more, "TMUX_TMPDIR="+sockets, "TERM=xterm-256color")
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("screen:\n%s", w.screen())
		}
		w.tmux("kill-server")
	})
}

func (w *world) tmux(args ...string) string {
	cmd := exec.Command("tmux", append([]string{"-L", "aburn"}, args...)...)
	cmd.Env = w.env()
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// screen is what the worker's terminal shows.
func (w *world) screen() string { return w.tmux("capture-pane", "-p") }

// press presses keys in the worker's terminal.
func (w *world) press(keys ...string) { w.tmux(append([]string{"send-keys"}, keys...)...) }

// sent is one message as `aburn send --json` tells of it.
type sent struct {
	Message, State, Why string
	code                int
}

// send waits for two minutes until the message is accepted, unless args say otherwise.
func (w *world) send(args ...string) sent {
	w.Helper()
	if !slices.Contains(args, "--no-wait") {
		args = append([]string{"--wait", "2m"}, args...) // of two the last one counts
	}
	cmd := exec.Command(lookPath("aburn", w.env()), append([]string{"send", "--json"}, args...)...)
	cmd.Dir, cmd.Env = w.project, w.env()
	out, _ := cmd.Output()
	var list []sent
	if err := json.Unmarshal(out, &list); err != nil || len(list) != 1 {
		w.Fatalf("send %q: %s, %v", args, out, err)
	}
	list[0].code = cmd.ProcessState.ExitCode()
	return list[0]
}

// TestClaudeIsSentMessages: typed where it is idle, of one line and of many; at a question nothing is pressed, and the message
// comes at the turn's end; a draft stays a draft; what the agent asks and calls done needs no permission.
func TestClaudeIsSentMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sent", one(
		model.Text("ready"), model.Text("got one"), model.Text("got many"),
		model.Calls(bash("touch made")), model.Text("made it"), model.Text("got it at the end"),
		model.Calls(bash(`aburn ask "which port?"`)), model.Text("I wait"),
		model.Calls(bash(`aburn done "all of it"`)), model.Text("the end"),
		model.Text("interrupted"),
	)(), nil)
	w.inTmux()
	w.trusting()
	w.aburn("init")
	w.aburn("spawn", "--name", "w", "begin")
	w.worker("idle")
	accepted := func(text string) sent {
		t.Helper()
		s := w.send("w", text)
		if s.State != "accepted" || s.code != 0 {
			t.Fatalf("%q: %+v\n%s", text, s, w.screen())
		}
		return s
	}
	one := accepted("use port 8081")
	w.worker("idle")
	many := accepted(strings.Repeat("a line of many, with words\n", 82) + "the end")
	w.worker("idle")
	draft := func() bool { return strings.Contains(w.screen(), "half a thought") }
	w.press("-l", "half a thought")
	w.holds("the draft stands in the input line", draft)
	if s := w.send("--wait", "2s", "w", "not into a draft"); s.State != "waits" || !strings.Contains(s.Why, "stands in its input line") {
		t.Errorf("a draft: %+v", s)
	}
	w.press("C-u")
	w.holds("the draft is gone", func() bool { return !draft() })
	accepted("now make it") // and with it the one that waited
	r := w.worker("needs_input")
	held := w.send("--wait", "1s", "w", "and then rest")
	if held.State != "waits" || held.code != 1 {
		t.Errorf("at a question: %+v", held)
	}
	tree := r.Get("tree").String()
	if isFile(filepath.Join(tree, "made")) {
		t.Fatal("the question was answered")
	}
	w.insist("Enter", func() { w.press("Enter") }, func() bool { return isFile(filepath.Join(tree, "made")) })
	w.worker("idle")
	accepted("anything to ask?")
	if r := w.worker("idle"); r.Get("reason").String() != "awaiting_user_input" || r.Get("says").String() != "which port?" {
		t.Error(r.Raw)
	}
	accepted("8081")
	if r := w.worker("done"); r.Get("says").String() != "all of it" || r.Get("messages").Exists() {
		t.Error(r.Raw)
	}
	var prompts string
	for _, r := range w.model.Asked() {
		for _, item := range r.Items {
			prompts += item.Role + ": " + item.Text + "\n"
		}
	}
	for _, want := range []string{"[aburn " + one.Message + "] use port 8081", "[aburn " + many.Message + "]", "] not into a draft",
		"[aburn " + held.Message + "] and then rest", "] 8081"} {
		if !strings.Contains(prompts, want) {
			t.Errorf("the model was not told %q", want)
		}
	}
	if strings.Contains(prompts, "half a thought") {
		t.Error("a draft was sent")
	}
	for _, e := range w.entries(w.project) {
		if e.Event == logfmt.Permission && !strings.Contains(string(e.Data), "touch made") {
			t.Errorf("a permission was asked for %s", e.Data)
		}
	}
}

// TestClaudeIsInterrupted: Esc ends the turn, of which no hook tells; the screen does, and the next message is typed.
func TestClaudeIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "esc", one(model.Calls(bash(untilEnd)), model.Text("something else"))(), nil)
	w.inTmux()
	w.trusting()
	w.write(filepath.Join(w.home, ".claude", "settings.json"), `{"permissions": {"allow": ["Bash"]}}`)
	w.aburn("init")
	w.aburn("spawn", "--name", "w", "wait for ever")
	w.waitFor(w.started())
	w.worker("working")
	w.holds("the screen says that a turn goes on", func() bool { return strings.Contains(w.screen(), "esc to interrupt") })
	if out := w.aburn("interrupt", "w"); !strings.Contains(out, "its turn is over") {
		t.Error(out)
	}
	w.worker("idle")
	if s := w.send("w", "and now this"); s.State != "accepted" {
		t.Errorf("%+v", s)
	}
	w.worker("idle")
	if !w.asked(1).Contains("interrupted by user") || !w.asked(1).Contains("] and now this") {
		t.Errorf("the model was told %+v", w.asked(1).Items)
	}
	os.Remove(w.started())
}

// TestClaudeAfterARefusal: no entry tells that a person refused with Esc. The worker goes on to need somebody, and a message
// waits; with --type it is typed, because the screen shows the empty input line.
func TestClaudeAfterARefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "no", one(model.Calls(bash("touch made")), model.Text("something else"))(), nil)
	w.inTmux()
	w.trusting()
	w.aburn("init")
	w.aburn("spawn", "--name", "w", "make it")
	w.worker("needs_input")
	w.refuse()
	if s := w.send("--wait", "1s", "w", "later"); s.State != "waits" {
		t.Errorf("%+v", s)
	}
	if s := w.send("--type", "w", "and now this"); s.State != "accepted" {
		t.Errorf("%+v", s)
	}
}

// TestClaudeAsksMeanwhile: a question opens at any moment while a message is typed: a command in the background ends, the
// client goes on by itself, and the model wants to run what needs a permission. 20 races, or as many times ABURN_STORM.
func TestClaudeAsksMeanwhile(t *testing.T) {
	t.Parallel()
	n := 20
	if k, err := strconv.Atoi(os.Getenv("ABURN_STORM")); err == nil && k > 0 {
		n *= k
	}
	last := func(r *model.Request) (text string) { // what came since the model spoke last
		for _, item := range slices.Backward(r.Items) {
			if item.Role == "assistant" {
				break
			}
			text += item.Text
		}
		return text
	}
	var begin, ask, rest []model.Turn
	for i := range n {
		// The end of the command and the Enter of the sender fall together: both come 1.2 to 2.2 s after the turn.
		later := fmt.Sprintf("sleep %.2f", 1.2+float64(i%20)*0.05)
		begin = append(begin, model.Calls(model.Call{Name: "Bash", Input: map[string]any{"command": later, "description": "later", "run_in_background": true}}))
		ask = append(ask, model.Calls(bash(fmt.Sprintf("touch '$PROJECT/race%d'", i))))
		rest = append(rest, model.Text("ok"), model.Text("ok"), model.Text("ok"), model.Text("ok"), model.Text("ok"), model.Text("ok"))
	}
	w := newWorld(t, "races", model.Script{
		{Name: "begin", When: func(r *model.Request) bool { return strings.Contains(last(r), "RACE ") }, Turns: begin},
		{Name: "ask", When: func(r *model.Request) bool { return strings.Contains(last(r), "<task-notification>") }, Turns: ask},
		{Name: "rest", Turns: rest},
	}, nil)
	w.inTmux()
	w.trusting()
	w.aburn("init")
	w.aburn("spawn", "--name", "w", "wait")
	w.worker("idle")
	count := map[string]int{}
	answered := 0
	for i := range n {
		w.typed(fmt.Sprintf("RACE %d", i))
		w.stopped(fmt.Sprintf("RACE %d", i))
		s := w.send("--wait", "3s", "w", fmt.Sprintf("message %d", i))
		count[s.State]++
		w.dialog()
		if isFile(filepath.Join(w.project, fmt.Sprintf("race%d", i))) {
			answered++
		}
		w.refuse()
		t.Logf("race %d: %s %s", i, s.State, s.Why)
	}
	asked := 0
	w.holds("the log has the questions", func() bool { asked = w.permissions(); return asked >= n*99/100 })
	unheard := gjson.Get(w.aburn("ps", "w", "--json"), "messages").Int()
	t.Logf("%d races, %d questions in the log: %v, %d never heard of; %d answered by us (95 %%: fewer than %.2g of all)", n, asked, count, unheard, answered,
		1-math.Pow(0.05, 1/float64(n)))
	if answered > 0 || count["refused"] > 0 {
		t.Error("see above")
	}
}

// asksInTerminal is what Claude Code and Codex write over a question.
var asksInTerminal = []string{"Do you want to proceed?", "Would you like to"}

// dialog waits until a question is on the screen. A client may draw it before its hook has run, and on a busy machine its hook may
// be late by more than a few seconds.
func (w *world) dialog() {
	w.Helper()
	w.holds("a question is on the screen", w.asksOnScreen)
}

func (w *world) asksOnScreen() bool {
	screen := w.screen()
	return slices.ContainsFunc(asksInTerminal, func(text string) bool { return strings.Contains(screen, text) })
}

// refuse answers the open question with no, and leaves nothing in the input line. Two Esc at once would open a menu.
func (w *world) refuse() {
	w.Helper()
	w.dialog()
	for w.asksOnScreen() { // a screen that is drawn anew shows no question for a moment
		w.insist("Escape", func() { w.press("Escape") }, func() bool { return !w.asksOnScreen() })
		time.Sleep(time.Second)
	}
	w.press("C-u")
	time.Sleep(200 * time.Millisecond)
}

// stopped waits until the turn of a prompt is over, or has gone on to a question: on a busy machine the command in the background may
// end first.
func (w *world) stopped(prompt string) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		begun := false
		for _, e := range w.entries(w.project) {
			begun = begun || e.Event == logfmt.Prompt && strings.Contains(string(e.Data), prompt+`"`)
			if begun && (e.Event == logfmt.Stop || e.Event == logfmt.Permission) {
				return
			}
		}
	}
	w.Fatalf("the turn of %q did not end", prompt)
}

// permissions counts the questions in the log.
func (w *world) permissions() (asked int) {
	w.Helper()
	for _, e := range w.entries(w.project) {
		if e.Event == logfmt.Permission {
			asked++
		}
	}
	return asked
}
