//go:build unix

package manager

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
)

// agent gives the yard's worker a living agent, whose entries stand in a log, and gates behind its done.
func (y *yard) agent(retries int) (says func(events ...logfmt.Event)) {
	y.Helper()
	oss := filepath.Join(y.main, ".oss")
	y.must(os.Mkdir(oss, 0o700))
	root, err := os.OpenRoot(oss)
	y.must(err)
	y.Cleanup(func() { root.Close() })
	y.crew.Log = journal.New(root, journal.Options{By: journal.Command})
	y.must(y.crew.Store.Book("w").Append(
		ledger.Entry{Fact: worker.Fact{Kind: worker.Restored, Gen: 2}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.Requested, Gen: 2, Gates: true, Retries: retries}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.Launched, Gen: 2, Hooks: true}}))
	return func(events ...logfmt.Event) {
		y.Helper()
		tick() // ledger and log are put in order by milliseconds
		defer tick()
		for _, ev := range events {
			_, err := y.crew.Log.Append(func(journal.Tail) []*logfmt.Entry {
				return []*logfmt.Entry{{Time: time.Now(), Cmd: logfmt.SessionCmd, Event: ev, Session: "s1", Source: "claude", Wt: y.crew.Wt("w"),
					Data: []byte(`{"machine":true}`)}}
			})
			y.must(err)
		}
	}
}

// tick waits for the clock's next millisecond.
func tick() {
	for at := time.Now().UnixMilli(); time.Now().UnixMilli() == at; {
		time.Sleep(100 * time.Microsecond)
	}
}

// now is the worker by its facts: no process of it lives in a yard.
func (y *yard) now() *Member { return y.crew.loadCached(y.Context(), "w")[0] }

// TestSayingDoneForEver: an earlier engine of this kind went round 2,267 times, because a way that leads back by itself was not
// counted. Here an agent that says done again and again has its gates run as often as the budget says (here 22 times:
// nothing changes after the third), over restarts, kills and
// messages of other agents; a person's word gives a new one.
func TestSayingDoneForEver(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a; echo runs > .gitignore; echo .oss >> .gitignore")
	y.sh(y.tree, "edit a 5 w; save")
	says := y.agent(2)
	g := Gates{Run: []string{"echo x >> runs; echo why; echo nothing | tr a b; exit 7"}}
	ran := func() int {
		data, _ := os.ReadFile(filepath.Join(y.tree, "runs"))
		return strings.Count(string(data), "x")
	}
	told := 0
	for i := range 2267 / 100 {
		says(logfmt.Prompt, logfmt.WorkerDone, logfmt.Stop)
		m := y.now()
		if !m.Worker.Verifying() || !m.Worker.TurnOver {
			t.Fatalf("%d: %s %s", i, m.Worker.State, m.Worker.Reason)
		}
		v, err := VerifyDone(t.Context(), y.crew, y.repo, m, g)
		if err != nil || v.Passed || !strings.Contains(v.Why, "a gate failed with 7") && !strings.Contains(v.Why, "ran 3 times and never passed") {
			t.Fatalf("%d: %+v, %v", i, v, err)
		}
		if v.Message != "" {
			told++
		}
		if w := y.now().Worker; i >= 2 && w.Reason != worker.VerifyFailed || i < 2 && w.State != worker.Idle {
			t.Fatalf("%d: %s %s", i, w.State, w.Reason)
		}
	}
	if ran() != 3 || told != 2 || len(y.now().Worker.Open()) != 2 {
		t.Errorf("ran %d times, told the agent %d times, %v wait", ran(), told, y.now().Worker.Open())
	}
	y.must(y.crew.Store.Book("w").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Messaged, Gen: 2, Message: "m-00000001", Person: true}}))
	says(logfmt.Prompt, logfmt.WorkerDone, logfmt.Stop)
	if _, err := VerifyDone(t.Context(), y.crew, y.repo, y.now(), g); err != nil || ran() != 4 {
		t.Errorf("after a person's word it ran %d times, %v", ran(), err)
	}
}

// TestVerify: what a run tells, and that it judges only what the agent said last.
func TestVerify(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 9 > a; echo .oss > .gitignore")
	says := y.agent(2)
	if _, err := VerifyDone(t.Context(), y.crew, y.repo, y.now(), Gates{}); !errors.Is(err, ErrNotDue) {
		t.Errorf("gates of a worker that is not done: %v", err)
	}
	says(logfmt.Prompt, logfmt.WorkerDone, logfmt.Stop)
	v, err := VerifyDone(t.Context(), y.crew, y.repo, y.now(), Gates{Run: []string{"true"}})
	if err != nil || v.Passed || !strings.HasPrefix(v.Why, "it changed nothing") || y.now().Worker.State != worker.Idle {
		t.Errorf("nothing passed: %+v, %v", v, err)
	}
	y.sh(y.tree, "edit a 5 w")
	says(logfmt.Prompt, logfmt.WorkerDone, logfmt.Stop)
	v, err = VerifyDone(t.Context(), y.crew, y.repo, y.now(), Gates{Run: []string{"true", "seq 1 9000; printf 'a\\033[31mred\\n' >&2; false", "echo never > b"}})
	text, rerr := os.ReadFile(filepath.Join(y.crew.Store.Book("w").Dir, outbox, v.Message))
	if err != nil || rerr != nil || v.Message == "" || len(text) > MaxMessage || !strings.Contains(string(text), "\n9000\n") ||
		strings.Contains(string(text), "\n8900\n") {
		t.Errorf("%+v, %v, %v: %s", v, err, rerr, text)
	}
	if strings.ContainsRune(string(text), '\x1b') || !strings.HasPrefix(string(text), logfmt.MessageTag(v.Message)+" from the gates") {
		t.Errorf("the agent is told %q", text)
	}
	mark := strings.Fields(strings.SplitAfter(string(text), "between two lines with ")[1])[0]
	if strings.Count(string(text), "\n"+strings.TrimSuffix(mark, ".")+"\n") != 2 {
		t.Errorf("the output is not fenced: %s", text)
	}
	if _, err := os.Stat(filepath.Join(y.tree, "b")); err == nil {
		t.Error("a gate ran after one that failed")
	}
	// It goes on while its gates run: what they find is of another state. Ended in the middle, they say nothing.
	says(logfmt.Prompt, logfmt.WorkerDone, logfmt.Stop)
	m := y.now()
	g := Gates{Run: []string{"true"}, Tell: func(string) { says(logfmt.Prompt, logfmt.WorkerDone, logfmt.Stop) }}
	if v, err = VerifyDone(t.Context(), y.crew, y.repo, m, g); err != nil || !v.Passed || !y.now().Worker.Verifying() {
		t.Errorf("a done that was said while gates ran: %+v, %v, %s", v, err, y.now().Worker.State)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err = VerifyDone(ctx, y.crew, y.repo, y.now(), Gates{Run: []string{"sleep 600"}, Tell: func(string) { cancel() }}); !errors.Is(err, context.Canceled) ||
		!y.now().Worker.Verifying() {
		t.Errorf("gates that were ended: %v, %s", err, y.now().Worker.State)
	}
	v, err = VerifyDone(t.Context(), y.crew, y.repo, y.now(), Gates{Run: []string{"test -e a"}})
	if err != nil || !v.Passed || y.now().Worker.State != worker.Done {
		t.Errorf("%+v, %v, %s", v, err, y.now().Worker.State)
	}
	unlock, err := lockMember(y.crew, y.crew.Store.Book("w"), y.now()) // as a merge is while gates run
	y.must(err)
	if err := TryTakeSnapshot(t.Context(), y.crew, y.repo, y.now()); !errors.Is(err, ErrTreeBusy) {
		t.Errorf("a tree that somebody uses: %v", err)
	}
	unlock()
	if err := TryTakeSnapshot(t.Context(), y.crew, y.repo, y.now()); err != nil || *y.now().Worker.Changes != 1 {
		t.Errorf("%v, %v", err, y.now().Worker.Changes)
	}
	if s, fresh, err := TakeSnapshot(t.Context(), y.crew, y.repo, y.now()); err != nil || fresh {
		t.Errorf("%+v, %v, %v", s, fresh, err)
	}
}
