package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/worker/manager"
	"aburn/worker/overview"
)

// told is what the agent was told so far: prompts and what hooks gave it.
func (s *site) told() (list []string) {
	s.Helper()
	for line := range strings.Lines(written(filepath.Join(s.home, "told"))) {
		var text string
		s.must(json.Unmarshal([]byte(line), &text))
		list = append(list, text)
	}
	return list
}

// untilIs waits for something that ps says of the worker.
func (s *site) untilIs(what string, is func(w overview.WorkerReport) bool) {
	s.Helper()
	var pause pauses
	for until := time.Now().Add(longWait); time.Now().Before(until); pause.next() {
		if is(s.workers()[0]) {
			return
		}
	}
	last := s.workers()[0]
	for _, part := range []string{"*/.local/state/aburn/workers/*/*/ledger.jsonl", "home/project/.oss/workflow.log",
		"far/.local/state/aburn/far/*/.oss/workflow.log"} {
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(s.home), part))
		for _, file := range files {
			s.Logf("%s:\n%s", file, written(file))
		}
	}
	s.Fatalf("the worker never is %s: %+v", what, last)
}

func inState(state string) func(overview.WorkerReport) bool {
	return func(w overview.WorkerReport) bool { return w.State == state }
}

// send runs aburn send --json and returns what it says of the one message, and the exit code.
func (s *site) send(args ...string) (sent manager.Sent, code int) {
	s.Helper()
	cmd := s.command("aburn", append([]string{"send", "--json"}, args...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	var list []manager.Sent
	if err := json.Unmarshal(out, &list); err != nil || len(list) != 1 {
		s.Fatalf("%q printed %s%s", args, out, errs.String())
	}
	return list[0], cmd.ProcessState.ExitCode()
}

func count(list []string, text string) (n int) {
	for _, one := range list {
		n += strings.Count(one, text)
	}
	return n
}

// A worker that sits at its prompt is sent a message, and one with many lines; each is a prompt of its own record.
func TestSendToAnIdleWorker(t *testing.T) { onRuntimes(t, sendToAnIdleWorker) }

func sendToAnIdleWorker(g *ground) {
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	for i, text := range []string{"use port 8081", strings.Repeat("a line of many\n", 80) + "the end"} {
		sent := g.accepted(text)
		if told := g.told(); told[len(told)-1] != "[aburn "+sent.ID+"] "+text {
			g.Errorf("message %d: told %q", i, told)
		}
		g.untilIs("idle", inState("idle"))
	}
	if left, _ := filepath.Glob(filepath.Join(g.at.home, ".local/state/aburn/workers/*/w/outbox/*")); len(left) > 0 || len(g.told()) != 3 {
		g.Error(left, g.told())
	}
}

// A working agent gets messages when its turn ends: many, in order, each once, without a key.
func TestSendToAWorkingWorker(t *testing.T) { onRuntimes(t, sendToAWorkingWorker) }

func sendToAWorkingWorker(g *ground) {
	g.begin("WORK")
	g.untilIs("working", inState("working"))
	sent, code := g.send("--wait", "200ms", "w", "first")
	if sent.State != manager.Waits || code != 1 || !strings.Contains(sent.Why, "when its turn ends") {
		g.Errorf("%+v, exit %d", sent, code)
	}
	if sent, code := g.send("--no-wait", "w", "second"); sent.State != manager.Waits || code != 0 {
		g.Errorf("%+v, exit %d", sent, code)
	}
	var all sync.WaitGroup
	all.Go(func() { g.accepted("third") })
	g.untilIs("asked for by three", func(w overview.WorkerReport) bool { return w.Messages == 3 })
	g.goOn()
	all.Wait()
	told := strings.Join(g.told(), "\n")
	if a, b, c := strings.Index(told, "] first"), strings.Index(told, "] second"), strings.Index(told, "] third"); a < 0 || b < a || c < b ||
		count(g.told(), "[aburn m-") != 3 {
		g.Errorf("told %q", told)
	}
	g.untilIs("without a message", func(w overview.WorkerReport) bool { return w.Messages == 0 })
}

// Many at once: what was accepted was told once, and in the order in which the ledger has it. ABURN_STORM=8 is 64.
func TestManySendAtOnce(t *testing.T) { onRuntimes(t, manySendAtOnce) }

func manySendAtOnce(g *ground) {
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	results := make([]manager.Sent, world.Storm(8))
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { results[i] = g.accepted(fmt.Sprintf("number %d.", i)) })
	}
	all.Wait()
	g.untilIs("idle", inState("idle"))
	told := strings.Join(g.told(), "\n")
	for i, r := range results {
		if strings.Count(told, fmt.Sprintf("[aburn %s] number %d.", r.ID, i)) != 1 {
			g.Errorf("%+v was told %d times", r, strings.Count(told, "[aburn "+r.ID+"]"))
		}
	}
	ledger, err := os.ReadFile(filepath.Join(g.book("w"), "ledger.jsonl"))
	g.must(err)
	at := -1
	for line := range strings.Lines(string(ledger)) {
		var e struct{ Kind, Message string }
		g.must(json.Unmarshal([]byte(line), &e))
		if e.Kind == "message" {
			next := strings.Index(told, "[aburn "+e.Message+"]")
			if next < at {
				g.Errorf("%s was told too early", e.Message)
			}
			at = next
		}
	}
}

// Nothing answers a question but an answer. Messages wait behind it.
func TestSendAnswersNoQuestion(t *testing.T) { onRuntimes(t, sendAnswersNoQuestion) }

func sendAnswersNoQuestion(g *ground) {
	g.begin("ASK")
	g.untilIs("asking", inState("needs_input"))
	if g.via != "headless" {
		g.shows("Do you want to proceed?")
	}
	for _, args := range [][]string{{"w", "go on"}, {"--type", "w", "go on"}} {
		if sent, code := g.send(append([]string{"--wait", "300ms"}, args...)...); sent.State != manager.Waits || code != 1 {
			g.Errorf("%q: %+v, exit %d", args, sent, code)
		}
	}
	if out, err := g.command("aburn", "interrupt", "w").CombinedOutput(); err == nil {
		g.Errorf("interrupted a question: %s", out)
	}
	if count(g.told(), "answered by") > 0 {
		g.Error("a question was answered")
	}
	g.allow()
	// The entry of the turn's end is written before its hook tells what waits.
	g.until("it was told", func() bool { return count(g.told(), "] go on") == 2 })
	if told := g.told(); count(told, "answered by") != 1 {
		g.Errorf("told %q", told)
	}
	g.untilIs("idle", inState("idle"))
}

// No key behind somebody's draft. The message waits, and nothing is lost of the draft.
func TestSendLeavesDraft(t *testing.T) { onScreens(t, sendLeavesDraft) }

func sendLeavesDraft(g *ground) {
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	g.keys("half a thought")
	g.shows("half a thought")
	sent, code := g.send("--wait", "500ms", "w", "use port 8081")
	if sent.State != manager.Waits || code != 1 || !(strings.Contains(sent.Why, "stands in its input line") || g.via != "tmux" &&
		strings.Contains(sent.Why, "somebody is typing")) || count(g.told(), "half") > 0 {
		g.Errorf("a draft: %+v, exit %d, told %q", sent, code, g.told())
	}
	g.keys(", and the rest", "Enter")
	g.until("both were told", func() bool { return count(g.told(), "] use port 8081") == 1 })
	if told := g.told(); count(told, "half a thought, and the rest") != 1 {
		g.Errorf("with the next prompt it is told: %q", told)
	}
}

// --interrupt ends the turn, of which no hook tells, and the message follows.
func TestSendInterrupts(t *testing.T) { onRuntimes(t, sendInterrupts) }

func sendInterrupts(g *ground) {
	g.begin("WORK")
	g.untilIs("working", inState("working"))
	if out := g.ok("aburn", "interrupt", "w"); !strings.Contains(out, "its turn is over") {
		g.Error(out)
	}
	g.untilIs("idle", inState("idle"))
	g.accepted("WORK on something else")
	g.untilIs("working", inState("working"))
	g.accepted("and now this", "--interrupt")
	g.untilIs("idle", inState("idle"))
}

// A hook may tell of a turn before the holder has written down what the agent says of it. An interrupt waits for that.
func TestInterruptBeforeTheTurnIsHeard(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	g := newGround(t, "headless")
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	holder := g.holder(g.workers()[0].PID)
	goOn := func() { syscall.Kill(holder, syscall.SIGCONT) }
	t.Cleanup(goOn)
	g.send("--no-wait", "w", "WORK UNHEARD")
	g.untilIs("working", inState("working"))
	time.AfterFunc(500*time.Millisecond, goOn) // whenever it is: the turn ends
	if out := g.ok("aburn", "interrupt", "w"); !strings.Contains(out, "its turn is over") {
		g.Error(out)
	}
	g.untilIs("idle", inState("idle"))
}

// kill -9 of a sender at any moment: the message is told at most once, and what is sent after it arrives. In tmux the next test kills it
// at each step.
func TestSenderIsKilled(t *testing.T) { on(t, []string{"headless", "pty", "ssh"}, senderIsKilled) }

func senderIsKilled(g *ground) {
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	for i := range world.Storm(5) {
		cmd := g.command("aburn", "send", "w", fmt.Sprintf("killed %d.", i))
		g.must(cmd.Start())
		time.Sleep(time.Duration(i*100) * time.Millisecond) // anywhere: no moment is asserted
		cmd.Process.Kill()
		cmd.Wait()
	}
	if sent, _ := g.send("--wait", "10s", "w", "the last one"); sent.State != manager.Accepted && g.via != "headless" {
		g.keys("Clear")
	}
	g.accepted("behind it")
	g.untilIs("idle", inState("idle"))
	if told := g.told(); count(told, "] the last one") != 1 || count(told, "] behind it") != 1 {
		g.Errorf("told %q", told)
	}
	for i := range world.Storm(5) {
		if n := count(g.told(), fmt.Sprintf("killed %d.", i)); n > 1 {
			g.Errorf("message %d was told %d times", i, n)
		}
	}
}

// killer is a tmux that kills whoever calls it: before the call that changes the screen and of which $left says how many come first, or
// after it if $after is there.
const killer = `#!/bin/sh
case "$*" in *load-buffer*|*paste-buffer*|*send-keys*)
	if n=$(cat '$HOME/left' 2>/dev/null); then
		echo $((n - 1)) > '$HOME/left'
		if [ "$n" = 0 ]; then
			rm '$HOME/left'
			[ -f '$HOME/after' ] && $TMUX_ITSELF "$@"
			kill -9 $PPID
			exit 1
		fi
	fi
esac
exec $TMUX_ITSELF "$@"
`

// kill -9 of a sender at each step of typing, and then what may happen to the text that it left: the agent has a turn that no person
// began, at whose end its hook tells what waits, and a person presses Enter; another message is sent; a person takes the text away and
// says something else. The message is told once.
func TestSenderIsKilledAtEachStep(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	g := newGround(t, "tmux")
	itself, err := exec.LookPath("tmux")
	g.must(err)
	g.begin("begin")
	g.prompting()
	g.shim("tmux", strings.NewReplacer("$HOME", g.home, "$TMUX_ITSELF", itself).Replace(killer))
	const load, paste, loadText, pasteText, enter = 0, 1, 2, 3, 4 // the steps
	for i, c := range []struct {
		step  int
		after bool
		then  string
	}{
		{load, false, "Enter"}, {paste, false, "Enter"}, {loadText, false, "Enter"}, {pasteText, false, "Enter"}, {pasteText, true, "Enter"},
		{enter, false, "Enter"}, {enter, true, "Enter"},
		{pasteText, true, "send"}, {enter, false, "send"}, {loadText, false, "send"}, {pasteText, true, "clear"},
	} {
		text := fmt.Sprintf("killed %d.", i)
		told := func() bool { return count(g.told(), "] "+text) > 0 }
		g.killedAt(text, c.step, c.after)
		if c.step == enter && c.after {
			g.until(fmt.Sprintf("%+v: Enter arrived", c), told)
		}
		g.prompting()
		switch c.then {
		case "Enter":
			g.keys("Machine")
			g.until("it noticed", func() bool { return count(g.told(), "it ended") == i+1 })
			g.prompting()
			g.keys("Enter")
		case "send":
			g.accepted("and more")
		case "clear":
			g.keys("Clear")
			g.keys("something else", "Enter")
		}
		g.until(fmt.Sprintf("%+v: it was told", c), told)
		g.prompting()
		g.accepted(fmt.Sprintf("behind %d", i)) // and nothing is in the way
		g.prompting()
		if n := count(g.told(), "] "+text); n != 1 {
			g.Errorf("%+v: told %d times: %q", c, n, g.told())
		}
	}
}

// killedAt sends a message and kills the sender at a step.
func (g *ground) killedAt(text string, step int, after bool) {
	g.Helper()
	os.Remove(filepath.Join(g.home, "after"))
	if after {
		g.must(os.WriteFile(filepath.Join(g.home, "after"), nil, 0o600))
	}
	g.must(os.WriteFile(filepath.Join(g.home, "left"), []byte(fmt.Sprint(step)), 0o600))
	cmd := g.command("aburn", "send", "--wait", longWait.String(), "w", text)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != -1 {
		g.Fatalf("%q was not killed: %v: %s", text, err, out)
	}
}

// prompting waits until the agent works at nothing, and its screen shows that.
func (g *ground) prompting() {
	g.Helper()
	g.until("it takes prompts", func() bool {
		state, _ := os.ReadFile(filepath.Join(g.at.home, "state"))
		return string(state) == "idle"
	})
	g.shows("? for shortcuts")
}
