package manager

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lockfile"
	"aburn/internal/queue"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/activity"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/typing"
)

func runtimeOf(c *Manager, m *Member) Runtime {
	for _, r := range c.Runtimes {
		if r.Name() == m.Request.Via {
			return r
		}
	}
	return nil
}

// hand gives the messages to an agent without a terminal. Its record shows them later, as it shows a prompt.
func (s *sender) hand(ctx context.Context, to slot.Channel, h slot.Handle, m *Member) (why string) {
	lost := ""
	for _, id := range waiting(m) {
		if s.handed[id] {
			continue
		}
		text, err := keptText(s.book, id)
		if errors.Is(err, fs.ErrNotExist) {
			lost = err.Error()
			continue
		}
		if err == nil {
			short, cancel := context.WithTimeout(ctx, sendStep)
			_, err = to.Deliver(short, h, slot.Message{ID: id, Text: text})
			cancel()
		}
		switch {
		case errors.Is(err, hold.ErrGone):
			return "its agent cannot be seen; it gets the message once it is resumed: aburn attach --headless " + m.Name
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			return err.Error()
		}
		s.handed[id] = true
	}
	if lost != "" {
		return lost
	}
	if s := m.Worker.State; s == worker.Working || s == worker.NeedsInput {
		return waitingFor(m)
	}
	return "it was handed over, and the agent's record does not show it yet"
}

// unqueue takes the messages that wait out of the queue, in which they are if the agent had a terminal before: its hooks
// would tell them too.
func (s *sender) unqueue(m *Member) (took bool, err error) {
	ids := waiting(m)
	f, err := queue.File{}, error(nil)
	if s.Queue != nil {
		f, err = s.Queue.Read()
	}
	if err != nil || !slices.ContainsFunc(f.Tasks, func(t queue.Task) bool { return slices.Contains(ids, t.ID) }) {
		return false, nil // what cannot be read, no hook can tell
	}
	desk, err := s.Queue.Lock(queueWait)
	if err != nil {
		return false, err
	}
	defer desk.Close()
	for _, id := range ids {
		desk.Withdraw(id, time.Now())
	}
	return true, desk.Close()
}

// queueWait is how long the queue's lock may be held by others.
const queueWait = 5 * time.Second

// sessionOf is the agent's present session, "" while nobody knows it.
func sessionOf(m *Member, launch *ledger.Entry) logfmt.SessionID {
	return cmp.Or(m.Session, logfmt.SessionID(launch.Session))
}

// enqueue sees to it that all waiting messages are in the queue of the agent's present session, in their order.
func (s *sender) enqueue(m *Member, launch *ledger.Entry) (why string, err error) {
	session := sessionOf(m, launch)
	switch {
	case !m.Worker.Hooks:
		return "its agent reports through no hooks, which hand messages over", nil
	case session == "":
		return "its session is not known yet", nil
	case s.Queue == nil:
		return "this project is not marked as yours: aburn init", nil
	}
	missing := waiting(m)
	if f, err := s.Queue.Read(); err == nil {
		missing = slices.DeleteFunc(missing, func(id string) bool {
			return slices.ContainsFunc(f.Tasks, func(t queue.Task) bool {
				emptied := !t.TypedAt.IsZero() && t.TypedAt.Before(launch.At) // the input line of an earlier process is gone
				return t.ID == id && t.Session == session && !emptied
			})
		})
	}
	if len(missing) == 0 {
		return "", nil
	}
	desk, err := s.Queue.Lock(queueWait)
	if err != nil {
		return "", err
	}
	defer desk.Close()
	for _, id := range missing {
		text, err := keptText(s.book, id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // lost: said by whoever asks for it
		}
		if err != nil {
			return "", err
		}
		desk.Withdraw(id, time.Now()) // of a former session or process
		if ok, err := desk.PutMessage(id, session, "user", text, time.Now()); err != nil || !ok {
			return noRoom, err
		}
	}
	return "", desk.Close()
}

// typeOldest types the oldest message, if the agent sits at its prompt and typing is allowed. Before that it sends one that still
// stands in the input line though Enter was pressed.
func (s *sender) typeOldest(ctx context.Context, m *Member, launch *ledger.Entry, sent Sent) (Sent, error) {
	terminal, screen := runtimeOf(s.Manager, m).(slot.Typist)
	client := prompterOf(s.Manager, m)
	idle := m.Worker.Delivery() == worker.ByKeys
	if !screen || client == nil || !idle && !s.options.Type {
		return sent, nil
	}
	for _, id := range s.typeable(m) {
		finish := receiptOf(m, id) == worker.NotConfirmed
		if idle {
			time.Sleep(min(hookEnded, hookEnded-time.Since(m.Worker.Heard)))
		}
		job := &typing.Job{Terminal: terminal, Address: launch.Address, Client: client, Finish: finish}
		r, err := s.typeOne(ctx, job, m, id)
		if errors.Is(err, fs.ErrNotExist) && finish {
			continue // its text is lost: nothing can be compared
		}
		if r.Accepted {
			if m, lerr := s.look(ctx); lerr == nil {
				err = errors.Join(err, s.acknowledge(m))
			}
		}
		if id == sent.ID {
			sent.took(r)
		}
		if err != nil || r.Accepted || r.Pressed || !finish {
			return sent, err
		}
	}
	return sent, nil
}

// took notes how typing the message went.
func (sent *Sent) took(r typing.Result) {
	if r.Accepted {
		sent.State, sent.Why = Accepted, ""
		return
	}
	if r.Pressed {
		sent.State = Unconfirmed
	}
	if r.Why != "" && (r.Pressed || sent.State != Unconfirmed) {
		if sent.Why = r.Why; r.Left {
			sent.Why += "; some of it may stand in its input line"
		}
	}
}

// typeOne types one message, as far as it is proved that it may.
func (s *sender) typeOne(ctx context.Context, job *typing.Job, m *Member, id string) (typing.Result, error) {
	text, err := keptText(s.book, id)
	if err != nil {
		return typing.Result{}, err
	}
	job.Tag = logfmt.MessageTag(id)
	job.Text = text[len(job.Tag)+1:]
	if job.Look, err = s.watch(m, id); err != nil {
		return typing.Result{}, err
	}
	job.Begun = s.begun(id)
	job.Alone, job.Patience, job.Now = s.keys, typing.Usual, time.Now
	job.Beginning = func() error { return s.beginning(id) }
	job.Pressing = func() error { return s.pressing(m, id) }
	return job.Type(ctx)
}

// begun reports whether somebody began to type a message before.
func (s *sender) begun(id string) bool {
	if s.Queue == nil {
		return false
	}
	f, err := s.Queue.Read()
	return err != nil || slices.ContainsFunc(f.Tasks, func(t queue.Task) bool { return t.ID == id && !t.TypedAt.IsZero() })
}

// beginning keeps hooks from telling a message that will stand in the input line.
func (s *sender) beginning(id string) error {
	if s.Queue == nil {
		return nil
	}
	desk, err := s.Queue.Lock(queueWait)
	if err != nil {
		return err
	}
	defer desk.Close()
	if !desk.Typing(id, time.Now()) {
		return errors.New("a hook is telling it the message")
	}
	return desk.Close()
}

// typeable are the messages that may be typed: those of which only Enter may be missing, and the oldest waiting one.
func (s *sender) typeable(m *Member) (list []string) {
	noKeys := map[string]bool{}
	for i := range m.Ledger.Entries {
		if e := &m.Ledger.Entries[i]; e.Kind == worker.Messaged {
			noKeys[e.Message] = e.NoKeys
		}
	}
	for _, msg := range m.Worker.Messages {
		if msg.Receipt == worker.NotConfirmed {
			list = append(list, msg.ID)
		}
	}
	for _, id := range waiting(m) {
		if !noKeys[id] {
			return append(list, id)
		}
	}
	return list
}

func prompterOf(c *Manager, m *Member) slot.Prompter {
	for _, a := range c.Agents {
		if p, ok := a.(slot.Prompter); ok && a.Name() == m.Request.Agent {
			return p
		}
	}
	return nil
}

// pressing notes that keys are about to be pressed, and takes the message out of the queue: it is told by keys at most.
func (s *sender) pressing(m *Member, id string) error {
	if receiptOf(m, id) == worker.NotConfirmed {
		return nil // noted before
	}
	if err := s.book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Unconfirmed, Gen: m.Worker.Gen, Message: id}}); err != nil {
		return err
	}
	return s.leaveHooks(id)
}

// keys keeps calls of the project's workers from beginning.
func (s *sender) keys(context.Context) (release func(), err error) {
	lock, err := lockfile.Acquire(s.Oss, queue.KeysLock, queueWait)
	if err != nil {
		return nil, err
	}
	return func() { lock.Release() }, nil
}

// watch looks at what the log says of the worker since now. What it said before is m.
func (s *sender) watch(m *Member, id string) (func(context.Context) (typing.Sight, error), error) {
	idle, why := m.Worker.Delivery() == worker.ByKeys || s.options.Type, ""
	end, err := activity.EndOf(s.Log)
	if err != nil {
		return nil, err
	}
	// What was written since m was made.
	if again, err := s.look(context.Background()); err != nil || again.Worker.Heard != m.Worker.Heard || again.Worker.State != m.Worker.State {
		idle, why = false, "it began to do something meanwhile"
	}
	if !idle && why == "" {
		why = waitingFor(m)
	}
	wt := s.wt(m.Request.Tree)
	return func(context.Context) (typing.Sight, error) {
		facts, n, err := activity.After(s.Log, end, wt)
		sight := typing.Sight{Idle: idle, Last: uint64(n), Why: why}
		for _, f := range facts {
			sight.Heard = sight.Heard || f.Message == id
		}
		return sight, err
	}, nil
}
