//go:build unix

package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	lab "aburn/internal/lab/world"
	"aburn/internal/queue"
	"aburn/logfmt"
)

// A hook that was killed between its look and its answer has told nothing. The turn is told nothing more, because nobody
// knows what the dead hook printed; the next prompt tells it, once.
func TestKilledInTurn(t *testing.T) {
	w := inTurn(t, `["loop"]`)
	w.calls("claude", "s1", "p1", "./deploy", 5)
	hook := w.start("claude", called("claude", "s1", "p1", "t6", "./deploy"), true)
	w.claimed(1)
	hook.kill()
	if out := hook.read(); out != "" {
		t.Fatalf("printed %q", out)
	}
	if got := w.calls("claude", "s1", "p1", "./deploy", 1); got != "." {
		t.Errorf("told while another hook may print it: %s", got)
	}
	w.leasesEnd()
	if got := w.calls("claude", "s1", "p1", "./deploy", 2); got != ". ." {
		t.Errorf("told %s", got)
	}
	if got := w.prompt("s2"); got != "" {
		t.Errorf("another session was told %q", got)
	}
	if got := w.prompt("s1"); strings.Count(got, "./deploy") != 1 {
		t.Errorf("at the prompt: %q", got)
	}
	if w.count(logfmt.Intervention) != 1 || w.count(logfmt.Delivered) != 1 {
		t.Errorf("%d interventions, %d deliveries", w.count(logfmt.Intervention), w.count(logfmt.Delivered))
	}
}

// A task that no prompt comes for any more leaves a receipt: nobody was told it.
func TestKilledInTurnForGood(t *testing.T) {
	lab.Slow(t)
	w := inTurn(t, `["loop"]`)
	w.Write(".config/aburn/settings.json", `{"deliver":{"in_turn":["loop"]},"queue":{"expires":"2s"}}`)
	w.calls("claude", "s1", "p1", "./deploy", 5)
	hook := w.start("claude", called("claude", "s1", "p1", "t6", "./deploy"), true)
	w.claimed(1)
	hook.kill()
	w.leasesEnd()
	w.eventually("expired", func() bool {
		w.send("claude", strings.Replace(claudePayload("Stop", ""), `"s1"`, `"s2"`, 1))
		return w.count(logfmt.Resolved) == 1
	})
	if e := w.last(); w.count(logfmt.Delivered) != 0 {
		t.Errorf("the log ends with %s %s", e.Event, e.Data)
	}
}

// Two hooks of one message's calls at once: the model is told once.
func TestInTurnAtOnce(t *testing.T) {
	w := inTurn(t, `["loop"]`)
	w.calls("claude", "s1", "p1", "./deploy", 5)
	told := ""
	for round := range 4 { // a hook that finds the queue busy leaves it to the next
		var hooks []*running
		for i := range 3 {
			hooks = append(hooks, w.start("claude", called("claude", "s1", "p1", "t"+strconv.Itoa(10*round+i), "./deploy"), false))
		}
		for _, h := range hooks {
			told += h.read()
		}
	}
	if strings.Count(told, "aburn task ") != 1 || w.count(logfmt.Delivered) != 1 {
		t.Errorf("told %q, %d deliveries", told, w.count(logfmt.Delivered))
	}
}

// Hooks are killed wherever they are. A turn is told at most once, another session never, and what a dead hook took
// with it comes at the next prompt.
func TestInTurnKillStorm(t *testing.T) {
	lab.Slow(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	begin := time.Now()
	w := inTurn(t, `["loop"]`)
	w.prompt("s0")
	whole := time.Since(begin)
	inTurns := 0
	for i := range lab.Storm(8) {
		session := "k" + strconv.Itoa(i)
		printed := ""
		for n := range 8 {
			hook := w.start("claude", called("claude", session, "p1", session+"-"+strconv.Itoa(n), "./deploy-"+session), false)
			if n == 5 {
				time.Sleep(time.Duration(random.Int64N(int64(whole))))
				hook.Process.Kill()
			}
			printed += hook.read()
		}
		turn := strings.Count(printed, "aburn task ")
		if turn > 1 {
			t.Fatalf("round %d: the turn was told %d times: %s", i, turn, printed)
		}
		inTurns += turn
		for range 2 {
			if len(w.queued()) > 0 {
				w.leasesEnd()
			}
			printed += w.prompt(session)
		}
		if n := strings.Count(printed, "aburn task "); n < 1 || n > 2 || strings.Count(printed, "./deploy-k") != strings.Count(printed, "./deploy-"+session) {
			t.Fatalf("round %d: told %d times: %s", i, n, printed)
		}
	}
	t.Logf("%d told inside of the turn", inTurns)
}

func (w *world) queued() (tasks []queue.Task) {
	w.t.Helper()
	w.desk(func(d *queue.Desk) { tasks = d.Tasks() })
	return tasks
}
