//go:build unix

package manager

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
)

// queuer is an agent with a queue of its own, whose program is a script.
type queuer struct {
	slot.Agent
	program string
}

func (q queuer) Name() string { return "" } // as the yard's workers say

func (q queuer) Variables() []string { return nil }

func (q queuer) Queue(session, text string) []string { return []string{q.program, session, text} }

// queueing is a yard whose worker is such an agent and sits at its prompt. lines are what its program was given.
func queueing(t *testing.T, script string) (y *yard, s *sender, lines func() []string) {
	y = newYard(t, "lines 9 > a; echo .oss > .gitignore")
	says := y.agent(0)
	program, got := filepath.Join(y.dir, "queue"), filepath.Join(y.dir, "got")
	y.must(os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\nprintf '%s %s\\n' \"$1\" \"$2\" >> "+got+"\n"), 0o700))
	y.crew.Agents = []slot.Agent{queuer{program: program}}
	says(logfmt.Prompt, logfmt.Stop)
	s = &sender{y.crew, "w", y.crew.Store.Book("w"), SendOptions{}, map[string]bool{}}
	return y, s, func() []string {
		text, _ := os.ReadFile(got)
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
}

// post writes a message down that waits.
func (y *yard) post(s *sender, text string) string {
	y.Helper()
	id := newMessageID()
	if why, err := s.post(y.Context(), id, Message{Text: text}); why != "" || err != nil {
		y.Fatal(why, err)
	}
	return id
}

// TestIdleAgentIsToldByItsQueue: each message goes into the agent's own queue once, in order, and counts as waiting until its record shows
// it.
func TestIdleAgentIsToldByItsQueue(t *testing.T) {
	y, s, lines := queueing(t, "")
	one, two := y.post(s, "first"), y.post(s, "second")
	for range 4 {
		m := y.now()
		sent, ok, err := s.queueOldest(t.Context(), m, m.Ledger.Last(worker.Launched), Sent{ID: two, State: Waits})
		if !ok || err != nil || sent.State != Waits {
			t.Fatalf("%+v %v %v", sent, ok, err)
		}
	}
	want := []string{"s1 " + logfmt.MessageTag(one) + " first", "s1 " + logfmt.MessageTag(two) + " second"}
	if got := lines(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("its queue got %q", got)
	}
	if m := y.now(); receiptOf(m, one) != worker.NotConfirmed || len(m.Worker.Open()) != 2 {
		t.Errorf("%+v", m.Worker.Messages)
	}
}

// TestQueueThatFails: what the queue refuses waits as before, and is tried again.
func TestQueueThatFails(t *testing.T) {
	y, s, lines := queueing(t, `test -e "$0.works" || { echo "no such thread" >&2; exit 1; }`)
	id := y.post(s, "first")
	m := y.now()
	sent, ok, err := s.queueOldest(t.Context(), m, m.Ledger.Last(worker.Launched), Sent{ID: id, State: Waits})
	if !ok || err != nil || sent.Why != "its queue did not take it: no such thread" || receiptOf(y.now(), id) != worker.Waiting {
		t.Errorf("%+v %v %v", sent, ok, err)
	}
	y.must(os.WriteFile(filepath.Join(y.dir, "queue.works"), nil, 0o600))
	m = y.now()
	if sent, _, err = s.queueOldest(t.Context(), m, m.Ledger.Last(worker.Launched), sent); err != nil || len(lines()) != 1 ||
		receiptOf(y.now(), id) != worker.NotConfirmed {
		t.Errorf("%+v %v %q", sent, err, lines())
	}
}

// TestQueueingThatWasKilled: whoever finds the mark of one that was killed gives the message to no queue again.
func TestQueueingThatWasKilled(t *testing.T) {
	y, s, lines := queueing(t, "")
	id := y.post(s, "first")
	y.must(os.WriteFile(s.queueing(id), nil, 0o600))
	m := y.now()
	_, ok, err := s.queueOldest(t.Context(), m, m.Ledger.Last(worker.Launched), Sent{ID: id, State: Waits})
	if got := lines(); !ok || err != nil || got[0] != "" || receiptOf(y.now(), id) != worker.NotConfirmed {
		t.Errorf("%q %v %v", got, ok, err)
	}
}

// TestBusyAgentIsNotQueued: one that works or asks gets nothing from here.
func TestBusyAgentIsNotQueued(t *testing.T) {
	y, s, lines := queueing(t, "")
	id := y.post(s, "first")
	y.must(s.book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Asks, Gen: 2}}))
	m := y.now()
	_, ok, err := s.queueOldest(t.Context(), m, m.Ledger.Last(worker.Launched), Sent{ID: id, State: Waits})
	if got := lines(); !ok || err != nil || got[0] != "" {
		t.Errorf("%q %v %v", got, ok, err)
	}
}
