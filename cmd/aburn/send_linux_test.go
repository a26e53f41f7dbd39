package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/cmd/aburn/internal/work"
	"aburn/internal/lab/world"
	"aburn/worker/crew"
)

// newScreenSite is a project whose agent has a screen, with one worker in tmux that has begun its task.
func newScreenSite(t *testing.T, task string) *site {
	t.Helper()
	s := newSite(t)
	s.shim("claude", "#!/bin/sh\nexec screen-agent \"$@\"\n")
	s.ok("aburn", "spawn", "--name", "w", task)
	t.Cleanup(func() { s.command("aburn", "kill", "w").Run() })
	return s
}

// told is what the agent was told so far: prompts and what hooks gave it.
func (s *site) told() (list []string) {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.home, "told"))
	s.must(err)
	for line := range strings.Lines(string(data)) {
		var text string
		s.must(json.Unmarshal([]byte(line), &text))
		list = append(list, text)
	}
	return list
}

// untilIs waits for something that ps says of the worker.
func (s *site) untilIs(what string, is func(w work.WorkerReport) bool) {
	s.Helper()
	for range 600 {
		if is(s.workers()[0]) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.Fatalf("the worker never is %s: %+v", what, s.workers()[0])
}

func inState(state string) func(work.WorkerReport) bool {
	return func(w work.WorkerReport) bool { return w.State == state }
}

func (s *site) goOn() { s.must(os.WriteFile(filepath.Join(s.home, "go"), nil, 0o600)) }

// send runs aburn send --json and returns what it says of the one message, and the exit code.
func (s *site) send(args ...string) (sent crew.Sent, code int) {
	s.Helper()
	cmd := s.command("aburn", append([]string{"send", "--json"}, args...)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	var list []crew.Sent
	if err := json.Unmarshal(out, &list); err != nil || len(list) != 1 {
		s.Fatalf("%q printed %s%s", args, out, errs.String())
	}
	return list[0], cmd.ProcessState.ExitCode()
}

// keys types at the worker's terminal as a person does.
func (s *site) keys(keys ...string) {
	s.Helper()
	s.ok("tmux", append([]string{"-L", "aburn", "send-keys", "-t", s.session() + ":"}, keys...)...)
}

func count(list []string, text string) (n int) {
	for _, one := range list {
		n += strings.Count(one, text)
	}
	return n
}

// A worker that sits at its prompt is sent a message by keys, and one with many lines; each is a prompt of its own record.
func TestSendToAnIdleWorker(t *testing.T) {
	world.Slow(t)
	s := newScreenSite(t, "begin")
	s.untilIs("idle", inState("idle"))
	for i, text := range []string{"use port 8081", strings.Repeat("a line of many\n", 80) + "the end"} {
		sent, code := s.send("w", text)
		if sent.State != crew.Accepted || code != 0 {
			t.Fatalf("message %d: %+v, exit %d", i, sent, code)
		}
		if told := s.told(); told[len(told)-1] != "[aburn "+sent.ID+"] "+text {
			t.Errorf("message %d: told %q", i, told)
		}
		s.untilIs("idle", inState("idle"))
	}
	if fileExists(filepath.Join(s.home, ".local/state/aburn/workers", filepath.Base(filepath.Dir(s.workers()[0].Tree)), "w", "outbox", "x")) || len(s.told()) != 3 {
		t.Error(s.told())
	}
}

// A working agent gets messages when its turn ends, by its own hook: many, in order, each once, without a key.
func TestSendToAWorkingWorker(t *testing.T) {
	world.Slow(t)
	s := newScreenSite(t, "WORK")
	s.untilIs("working", inState("working"))
	sent, code := s.send("--wait", "200ms", "w", "first")
	if sent.State != crew.Waits || code != 1 || !strings.Contains(sent.Why, "when its turn ends") {
		t.Errorf("%+v, exit %d", sent, code)
	}
	if sent, code := s.send("--no-wait", "w", "second"); sent.State != crew.Waits || code != 0 {
		t.Errorf("%+v, exit %d", sent, code)
	}
	var all sync.WaitGroup
	all.Go(func() {
		if sent, code := s.send("--wait", "30s", "w", "third"); sent.State != crew.Accepted || code != 0 {
			t.Errorf("%+v, exit %d", sent, code)
		}
	})
	s.untilIs("asked for by three", func(w work.WorkerReport) bool { return w.Messages == 3 })
	s.goOn()
	all.Wait()
	told := strings.Join(s.told(), "\n")
	if a, b, c := strings.Index(told, "] first"), strings.Index(told, "] second"), strings.Index(told, "] third"); a < 0 || b < a || c < b || count(s.told(), "[aburn m-") != 3 {
		t.Errorf("told %q", told)
	}
	s.untilIs("without a message", func(w work.WorkerReport) bool { return w.Messages == 0 })
}

// Sixty-four at once: what was accepted was told once, and in the order in which the ledger has it.
func TestManySendAtOnce(t *testing.T) {
	world.Slow(t)
	s := newScreenSite(t, "begin")
	s.untilIs("idle", inState("idle"))
	n := 64
	if testing.Short() {
		n = 12
	}
	results := make([]crew.Sent, n)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { results[i], _ = s.send("--wait", "5m", "w", fmt.Sprintf("number %d.", i)) })
	}
	all.Wait()
	s.untilIs("idle", inState("idle"))
	told := strings.Join(s.told(), "\n")
	for i, r := range results {
		if r.State != crew.Accepted || strings.Count(told, fmt.Sprintf("[aburn %s] number %d.", r.ID, i)) != 1 {
			t.Errorf("%+v was told %d times", r, strings.Count(told, "[aburn "+r.ID+"]"))
		}
	}
	ledger, err := os.ReadFile(filepath.Join(s.home, ".local/state/aburn/workers", filepath.Base(filepath.Dir(s.workers()[0].Tree)), "w", "ledger.jsonl"))
	s.must(err)
	at := -1
	for line := range strings.Lines(string(ledger)) {
		var e struct{ Kind, Message string }
		s.must(json.Unmarshal([]byte(line), &e))
		if e.Kind == "message" {
			next := strings.Index(told, "[aburn "+e.Message+"]")
			if next < at {
				t.Errorf("%s was told too early", e.Message)
			}
			at = next
		}
	}
}

// No key at a question, and none behind somebody's draft. The message waits, and nothing is lost of the draft.
func TestSendPressesNothingWrong(t *testing.T) {
	world.Slow(t)
	s := newScreenSite(t, "begin")
	s.untilIs("idle", inState("idle"))
	s.keys("-l", "half a thought")
	sent, code := s.send("--wait", "500ms", "w", "use port 8081")
	if sent.State != crew.Waits || code != 1 || !strings.Contains(sent.Why, "stands in its input line") || count(s.told(), "half") > 0 {
		t.Errorf("a draft: %+v, exit %d, told %q", sent, code, s.told())
	}
	s.keys("-l", ", ASK")
	s.keys("Enter")
	s.untilIs("asking", inState("needs_input"))
	if told := s.told(); count(told, "half a thought, ASK") != 1 || count(told, "] use port 8081") != 1 {
		t.Errorf("with the next prompt it is told: %q", told)
	}
	for _, args := range [][]string{{"w", "go on"}, {"--type", "w", "go on"}} {
		if sent, code := s.send(append([]string{"--wait", "300ms"}, args...)...); sent.State != crew.Waits || code != 1 {
			t.Errorf("%q: %+v, exit %d", args, sent, code)
		}
	}
	if out, err := s.command("aburn", "interrupt", "w").CombinedOutput(); err == nil {
		t.Errorf("interrupted a question: %s", out)
	}
	if count(s.told(), "answered by") > 0 {
		t.Error("a question was answered")
	}
	s.keys("Enter")
	s.untilIs("idle", inState("idle"))
	// The entry of the turn's end is written before its hook tells what waits.
	for until := time.Now().Add(patience); count(s.told(), "] go on") < 2 && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
	}
	if told := s.told(); count(told, "answered by Enter") != 1 || count(told, "] go on") != 2 {
		t.Errorf("told %q", told)
	}
}

// --interrupt ends the turn, of which no hook tells, and types then.
func TestSendInterrupts(t *testing.T) {
	world.Slow(t)
	s := newScreenSite(t, "WORK")
	s.untilIs("working", inState("working"))
	if out := s.ok("aburn", "interrupt", "w"); !strings.Contains(out, "its turn is over") {
		t.Error(out)
	}
	s.untilIs("idle", inState("idle"))
	sent, code := s.send("w", "WORK on something else")
	if sent.State != crew.Accepted || code != 0 {
		t.Errorf("%+v, exit %d", sent, code)
	}
	s.untilIs("working", inState("working"))
	if sent, code := s.send("--interrupt", "w", "and now this"); sent.State != crew.Accepted || code != 0 {
		t.Errorf("%+v, exit %d", sent, code)
	}
	s.untilIs("idle", inState("idle"))
}

// kill -9 of a sender at any moment: the message is told at most once, and what is sent after it arrives.
func TestSenderIsKilled(t *testing.T) {
	world.Slow(t)
	s := newScreenSite(t, "begin")
	s.untilIs("idle", inState("idle"))
	for i := range 8 {
		cmd := s.command("aburn", "send", "w", fmt.Sprintf("killed %d.", i))
		s.must(cmd.Start())
		time.Sleep(time.Duration(i*60) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		s.untilIs("idle", inState("idle"))
		if n := count(s.told(), fmt.Sprintf("killed %d.", i)); n > 1 {
			t.Errorf("message %d was told %d times", i, n)
		}
	}
}
