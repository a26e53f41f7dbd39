package crew

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lockfile"
	"aburn/internal/queue"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/heard"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/typing"
)

// Message is what somebody tells a worker's agent.
type Message struct {
	Text string
	From string // the agent that sends it; "" is a person
}

// SendOptions say how a message may reach an agent.
type SendOptions struct {
	NoKeys bool          // only through the queue, when a turn ends or with the next prompt
	Type   bool          // also type where the agent's record does not say that it is idle
	Wait   time.Duration // for the agent's own record
}

// How far a message came.
const (
	Accepted    = "accepted"    // the agent's own record shows it
	Waits       = "waits"       // it reaches the agent when its turn ends, or with its next prompt
	Unconfirmed = "unconfirmed" // Enter was pressed, and no record followed
	Declined    = "refused"     // it was not taken
)

// Sent is what became of a message.
type Sent struct {
	Worker string `json:"worker"`
	ID     string `json:"message,omitempty"`
	State  string `json:"state"`
	Why    string `json:"why,omitempty"` // it is not accepted
}

// MaxMessage is the longest text of a message, in bytes: its tag is put before it.
const MaxMessage = 3000

const (
	sendLock  = "send.lock" // held by the one who brings messages to a worker
	sendWait  = 2 * time.Minute
	sendStep  = 150 * time.Millisecond
	outbox    = "outbox"
	hookEnded = time.Second // a hook that wrote an entry has ended by then, and printed what waited
)

// sender brings messages to one worker.
type sender struct {
	*Crew
	name    string
	book    *ledger.Book
	options SendOptions
	handed  map[string]bool // to a courier, by this process
}

// Send gives a worker's agent a message, and waits until the agent's record shows it. Many may send at once: messages
// reach the agent in the order in which the ledger has them, each once.
func (c *Crew) Send(ctx context.Context, name string, msg Message, o SendOptions) (Sent, error) {
	s := &sender{c, name, c.Store.Book(name), o, map[string]bool{}}
	id := newMessageID()
	until := time.Now().Add(o.Wait)
	for why := ""; ; {
		err := s.alone(func() (err error) { why, err = s.post(ctx, id, msg); return err })
		if err != nil || why == "" {
			if err != nil {
				return Sent{Worker: name, State: Declined}, err
			}
			break
		}
		if why != noRoom || !time.Now().Before(until) {
			return Sent{Worker: name, State: Declined, Why: why}, nil
		}
		time.Sleep(sendStep)
	}
	for {
		sent := Sent{}
		err := s.alone(func() (err error) { sent, err = s.bring(ctx, id); return err })
		if err != nil || sent.State == Accepted || sent.State == Declined || !time.Now().Before(until) {
			return sent, err
		}
		select {
		case <-ctx.Done():
			return sent, nil
		case <-time.After(sendStep):
		}
	}
}

const noRoom = "20 messages wait for it already"

func newMessageID() string {
	var b [4]byte
	rand.Read(b[:])
	return "m-" + hex.EncodeToString(b[:])
}

// alone makes this process the only one that brings messages to the worker.
func (s *sender) alone(do func() error) error {
	root, err := os.OpenRoot(s.book.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, sendLock, sendWait)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}

// look is the worker as it stands now.
func (s *sender) look(ctx context.Context) (*Member, error) {
	m := s.glance(ctx, s.name)[0]
	return m, m.Err
}

// post writes the message down, before anybody tells it: in the outbox, then in the ledger. why says why it is not taken.
func (s *sender) post(ctx context.Context, id string, msg Message) (why string, err error) {
	m, err := s.look(ctx)
	switch {
	case err != nil:
		return "", err
	case m.Over():
		return "its agent has ended", nil
	case m.Ledger.Last(worker.LaunchFailed) != nil:
		return "its agent never ran", nil
	case len(m.Worker.Open()) >= worker.MaxOpen:
		return noRoom, nil
	}
	text := worker.Tag(id) + " " + msg.Text
	if msg.From != "" {
		text = worker.Tag(id) + " from " + msg.From + ": " + msg.Text
	}
	if err := os.MkdirAll(filepath.Join(s.book.Dir, outbox), 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(s.path(id), []byte(text), 0o600); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Messaged, Gen: m.Worker.Gen, Message: id}}
	e.Bytes, e.Sum, e.From, e.NoKeys = len(text), hex.EncodeToString(sum[:]), msg.From, s.options.NoKeys
	return "", s.book.Append(e)
}

func (s *sender) path(id string) string { return filepath.Join(s.book.Dir, outbox, id) }

// bring does for all messages of the worker what can be done now, the oldest first, and says how far the one came.
func (s *sender) bring(ctx context.Context, id string) (Sent, error) {
	m, err := s.look(ctx)
	if err == nil {
		err = s.acknowledge(m)
	}
	sent := Sent{Worker: s.name, ID: id, State: Waits}
	if err != nil {
		return sent, err
	}
	switch receiptOf(m, id) {
	case worker.Heard, worker.Confirmed:
		sent.State = Accepted
		return sent, nil
	case worker.NotConfirmed:
		sent.State, sent.Why = Unconfirmed, "Enter was pressed, and its record does not show the message"
		return sent, nil
	}
	launch := m.Ledger.Last(worker.Launched)
	switch {
	case m.Over():
		sent.Why = "its agent has ended"
		return sent, nil
	case launch == nil:
		sent.Why = "its agent does not run yet"
		return sent, nil
	}
	if ch, h, ok := s.Channel(m); ok {
		took, err := s.unqueue(m)
		if err == nil && took { // a hook may have been faster
			m, err = s.look(ctx)
		}
		if err == nil {
			sent.Why = s.hand(ctx, ch, h, m)
		}
		return sent, err
	}
	if sent.Why, err = s.enqueue(m, launch); err != nil || sent.Why != "" {
		return sent, err
	}
	sent.Why = waitingFor(m)
	return s.typeOldest(ctx, m, launch, sent)
}

func receiptOf(m *Member, id string) worker.Receipt {
	for _, msg := range m.Worker.Messages {
		if msg.ID == id {
			return msg.Receipt
		}
	}
	return worker.Waiting
}

// waitingFor says when a queued message will be told.
func waitingFor(m *Member) string {
	if m.Worker.Delivery() == worker.ByKeys {
		return "it sits at its prompt: it gets the message with its next prompt"
	}
	switch m.Worker.State {
	case worker.Working:
		return "it is working: it gets the message when its turn ends"
	case worker.NeedsInput:
		return "it asks something: it gets the message when its turn ends, after somebody answered"
	case worker.NotStarted:
		return "it has not started yet: it gets the message with its first prompt"
	}
	return "nobody can see whether it lives; it gets the message if its turn ends"
}

// acknowledge writes down which messages the agent's record shows.
func (s *sender) acknowledge(m *Member) error {
	var fresh []ledger.Entry
	for _, msg := range m.Worker.Messages {
		if msg.Receipt == worker.Heard && msg.Gen == m.Worker.Gen {
			fresh = append(fresh, ledger.Entry{Fact: worker.Fact{Kind: worker.Accepted, Gen: m.Worker.Gen, Message: msg.ID}})
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := s.book.Append(fresh...); err != nil {
		return err
	}
	for _, e := range fresh {
		os.Remove(s.path(e.Message))
	}
	return nil
}

// waiting are the messages that nobody has told, the oldest first.
func waiting(m *Member) (list []string) {
	for _, msg := range m.Worker.Messages {
		if msg.Receipt == worker.Waiting {
			list = append(list, msg.ID)
		}
	}
	return list
}

func (c *Crew) runtime(m *Member) Runtime {
	for _, r := range c.Runtimes {
		if r.Name() == m.Request.Via {
			return r
		}
	}
	return nil
}

// hand gives the messages to an agent without a terminal. Its record shows them later, as it shows a prompt.
func (s *sender) hand(ctx context.Context, to slot.Channel, h slot.Handle, m *Member) (why string) {
	for _, id := range waiting(m) {
		if s.handed[id] {
			continue
		}
		text, err := os.ReadFile(s.path(id))
		if err == nil {
			short, cancel := context.WithTimeout(ctx, sendStep)
			_, err = to.Deliver(short, h, slot.Message{ID: id, Text: string(text)})
			cancel()
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err.Error()
		}
		s.handed[id] = true
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

// enqueue sees to it that all waiting messages are in the queue of the agent's present session, in their order.
func (s *sender) enqueue(m *Member, launch *ledger.Entry) (why string, err error) {
	session := m.Session
	if session == "" {
		session = logfmt.SessionID(launch.Session)
	}
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
			return slices.ContainsFunc(f.Tasks, func(t queue.Task) bool { return t.ID == id && t.Session == session })
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
		text, err := os.ReadFile(s.path(id))
		if errors.Is(err, fs.ErrNotExist) {
			continue // lost: said by whoever asks for it
		}
		if err != nil {
			return "", err
		}
		desk.Withdraw(id, time.Now()) // of a former session
		if ok, err := desk.PutMessage(id, session, "user", string(text), time.Now()); err != nil || !ok {
			return noRoom, err
		}
	}
	return "", desk.Close()
}

// typeOldest types the oldest message, if the agent sits at its prompt and typing is allowed.
func (s *sender) typeOldest(ctx context.Context, m *Member, launch *ledger.Entry, sent Sent) (Sent, error) {
	id := s.typeable(m)
	terminal, screen := s.runtime(m).(slot.Typist)
	client := s.prompter(m)
	switch idle := m.Worker.Delivery() == worker.ByKeys; {
	case id == "" || !idle && !s.options.Type:
		return sent, nil
	case !screen || client == nil:
		return sent, nil
	case idle:
		time.Sleep(min(hookEnded, hookEnded-time.Since(m.Worker.Heard)))
	}
	text, err := os.ReadFile(s.path(id))
	if err != nil {
		return sent, err
	}
	tag := worker.Tag(id)
	look, err := s.watch(m, id)
	if err != nil {
		return sent, err
	}
	job := typing.Job{
		Terminal: terminal, Address: launch.Address, Client: client, Tag: tag, Text: string(text[len(tag)+1:]), Look: look,
		Alone: s.keys, Pressing: func() error { return s.pressing(m, id) }, Patience: typing.Usual, Now: time.Now,
	}
	r, err := job.Type(ctx)
	switch {
	case r.Accepted:
		if m, lerr := s.look(ctx); lerr == nil {
			err = errors.Join(err, s.acknowledge(m))
			if id != sent.ID {
				return sent, err
			}
			sent.State, sent.Why = Accepted, ""
		}
		return sent, err
	case id != sent.ID:
		return sent, err
	case r.Pressed:
		sent.State = Unconfirmed
	}
	if sent.Why = r.Why; r.Left && r.Why != "" {
		sent.Why += "; some of it may stand in its input line"
	}
	return sent, err
}

// typeable is the oldest waiting message that may be typed.
func (s *sender) typeable(m *Member) string {
	noKeys := map[string]bool{}
	for i := range m.Ledger.Entries {
		if e := &m.Ledger.Entries[i]; e.Kind == worker.Messaged {
			noKeys[e.Message] = e.NoKeys
		}
	}
	for _, id := range waiting(m) {
		if !noKeys[id] {
			return id
		}
	}
	return ""
}

func (c *Crew) prompter(m *Member) slot.Prompter {
	for _, a := range c.Agents {
		if p, ok := a.(slot.Prompter); ok && a.Name() == m.Request.Agent {
			return p
		}
	}
	return nil
}

// pressing notes that keys are about to be pressed, and takes the message out of the queue: it is told by keys at most.
func (s *sender) pressing(m *Member, id string) error {
	if err := s.book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Unconfirmed, Gen: m.Worker.Gen, Message: id}}); err != nil {
		return err
	}
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
	end, err := heard.EndOf(s.Log)
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
		facts, n, err := heard.After(s.Log, end, wt)
		sight := typing.Sight{Idle: idle, Last: uint64(n), Why: why}
		for _, f := range facts {
			sight.Heard = sight.Heard || f.Message == id
		}
		return sight, err
	}, nil
}

// Interrupt ends the turn of an agent with its own key, and notes that the screen shows the prompt again. Some clients
// record nothing of it.
func (c *Crew) Interrupt(ctx context.Context, m *Member) error {
	terminal, screen := c.runtime(m).(slot.Typist)
	client := c.prompter(m)
	launch := m.Ledger.Last(worker.Launched)
	switch {
	case m.Over():
		return ErrOver
	case m.Talk != nil:
		return c.interruptTalk(ctx, m)
	case launch == nil || !screen || client == nil:
		return errors.New("its terminal takes no keys from aburn")
	case m.Worker.State != worker.Working:
		return fmt.Errorf("it is not in a turn that could be interrupted: %s", waitingFor(m))
	}
	s, err := terminal.Screen(ctx, launch.Address)
	if err != nil {
		return err
	}
	if _, ok := client.Input(s); !ok {
		return errors.New("its screen shows no input line: it may be asking something")
	}
	if err := terminal.Press(ctx, launch.Address, slot.Escape); err != nil {
		return err
	}
	for quiet, until := 0, time.Now().Add(interruptWait); time.Now().Before(until); {
		time.Sleep(sendStep)
		if s, err = terminal.Screen(ctx, launch.Address); err != nil {
			return err
		}
		if _, ok := client.Input(s); !ok || client.Busy(s) {
			quiet = 0
			continue
		}
		if quiet++; quiet == 3 {
			return c.Store.Book(m.Name).Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Interrupted, Gen: m.Worker.Gen, Weak: true}})
		}
	}
	return errors.New("its screen does not show that the turn ended")
}

const interruptWait = 10 * time.Second

// interruptTalk ends the turn of an agent without a terminal. What it asks is left alone, as in a terminal.
func (c *Crew) interruptTalk(ctx context.Context, m *Member) error {
	if len(m.Talk.Asks) > 0 {
		return fmt.Errorf("it asks something, which an interrupt would refuse: aburn answer %s", m.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, interruptWait)
	defer cancel()
	ch, h, _ := c.Channel(m)
	switch ran, err := ch.Interrupt(ctx, h); {
	case errors.Is(err, hold.ErrGone):
		return ErrOver
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it was told to end its turn, and has not said that it did")
	case err != nil:
		return err
	case !ran:
		return errors.New("no turn of it is known to run")
	}
	return nil
}
