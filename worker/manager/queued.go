package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/run"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
)

// queueTime is how long an agent's program may take to put a message into its queue.
const queueTime = 30 * time.Second

const inQueue = "it is in the agent's own queue, which its terminal reads every few seconds while it is idle"

// queueing is the mark that a message was given to the agent's own queue, or was about to be. It stands beside the message's text
// before the program starts. A process that is killed in between leaves it, and then nobody gives the message a second time.
func (s *sender) queueing(id string) string { return s.path(id) + ".queued" }

// queueOldest gives the oldest waiting message to the queue of an idle agent that has one. ok is false for an agent without one. The
// agent's terminal takes it from there by itself, so no key is pressed.
func (s *sender) queueOldest(ctx context.Context, m *Member, launch *ledger.Entry, sent Sent) (_ Sent, ok bool, err error) {
	i := slices.IndexFunc(s.Agents, func(a slot.Agent) bool { return a.Name() == m.Request.Agent })
	if i < 0 {
		return sent, false, nil
	}
	agent, ok := s.Agents[i].(slot.Queuer)
	variables := s.Agents[i].Variables()
	if !ok {
		return sent, false, nil
	}
	if _, err := os.Lstat(s.queueing(sent.ID)); err == nil && sent.State != Accepted {
		sent.State, sent.Why = Waits, inQueue
	}
	ids := waiting(m)
	session := sessionOf(m, launch)
	if len(ids) == 0 || session == "" || m.Worker.Delivery() != worker.ByKeys {
		return sent, true, nil
	}
	why, err := s.queueOne(ctx, m, agent, variables, session, ids[0])
	if ids[0] == sent.ID && why != "" {
		sent.Why = why
	}
	return sent, true, err
}

// queueOne gives one message to the agent's queue. why says why it was not taken: then it waits as before.
func (s *sender) queueOne(ctx context.Context, m *Member, agent slot.Queuer, variables []string, session logfmt.SessionID, id string) (why string, err error) {
	given := ledger.Entry{Fact: worker.Fact{Kind: worker.Unconfirmed, Gen: m.Worker.Gen, Message: id}}
	if _, err := os.Lstat(s.queueing(id)); err == nil {
		return "", s.book.Append(given) // by a process that was killed
	}
	text, err := keptText(s.book, id)
	if err != nil {
		return err.Error(), nil
	}
	if err := s.leaveHooks(id); err != nil {
		return err.Error(), nil
	}
	if err := os.WriteFile(s.queueing(id), nil, 0o600); err != nil {
		return "", err
	}
	r, err := run.Do(ctx, run.Program{
		Argv: agent.Queue(string(session), text), Dir: s.Root, Env: run.Clean(s.Environ, variables...), Timeout: queueTime, Outlive: true,
	})
	if err == nil && r.Code == 0 {
		return inQueue, s.book.Append(given)
	}
	if err == nil { // it said itself that it did not take it; of one that did not end nobody knows
		os.Remove(s.queueing(id))
		said, _, _ := strings.Cut(strings.TrimSpace(string(r.Stderr)), "\n")
		return fmt.Sprintf("its queue did not take it: %s", plain.OneLine(said, 160)), nil
	}
	return "its queue did not take it: " + err.Error(), nil
}

// leaveHooks takes a message out of aburn's queue, so that no hook tells it too.
func (s *sender) leaveHooks(id string) error {
	if s.Queue == nil {
		return nil
	}
	desk, err := s.Queue.Lock(queueWait)
	if err != nil {
		return err
	}
	defer desk.Close()
	if waits := slices.ContainsFunc(desk.Tasks(), func(t queue.Task) bool { return t.ID == id }); waits && !desk.Withdraw(id, time.Now()) {
		return errors.New("a hook is telling it the message")
	}
	return desk.Close()
}

// forget removes what stands of a message beside the ledger.
func (s *sender) forget(id string) {
	os.Remove(s.path(id))
	os.Remove(s.queueing(id))
}
