package manager

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lockfile"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
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

const agentEnded = "its agent has ended"

// Ended reports whether the message is not taken, or waits, because the worker has to be restored first.
func (s *Sent) Ended() bool { return s.Why == agentEnded }

// MaxMessage is the longest text of a message, in bytes: its tag is put before it.
const MaxMessage = 3000

const (
	sendLock  = "send.lock" // held by the one who brings messages to a worker
	sendWait  = 2 * time.Minute
	sendStep  = 150 * time.Millisecond
	hookEnded = time.Second // a hook that wrote an entry has ended by then, and printed what waited
)

// sender brings messages to one worker.
type sender struct {
	*Manager
	name    string
	book    *ledger.Book
	options SendOptions
	handed  map[string]bool // to a courier, by this process
}

// Send gives a worker's agent a message, and waits until the agent's record shows it. Many may send at once: messages
// reach the agent in the order in which the ledger has them, each once.
func Send(ctx context.Context, c *Manager, name string, msg Message, o SendOptions) (Sent, error) {
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
	m := s.loadCached(ctx, s.name)[0]
	return m, m.Err
}

// post writes the message down, before anybody tells it: in the outbox, then in the ledger. why says why it is not taken.
func (s *sender) post(ctx context.Context, id string, msg Message) (why string, err error) {
	m, err := s.look(ctx)
	switch {
	case err != nil:
		return "", err
	case m.Over():
		return agentEnded, nil
	case m.neverRan():
		return "its agent never ran", nil
	case len(m.Worker.Open()) >= worker.MaxOpen:
		return noRoom, nil
	}
	text := logfmt.MessageTag(id) + " " + msg.Text
	if msg.From != "" {
		text = logfmt.MessageTag(id) + " from " + msg.From + ": " + msg.Text
	}
	if err := keepText(s.book, id, text); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Messaged, Gen: m.Worker.Gen, Message: id}}
	e.Bytes, e.Sum, e.From, e.NoKeys, e.Person = len(text), hex.EncodeToString(sum[:]), msg.From, s.options.NoKeys, msg.From == ""
	return "", s.book.Append(e)
}

func (s *sender) path(id string) string { return outboxFile(s.book, id) }

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
	why := func(text string) {
		if sent.State == Waits {
			sent.Why = text
		}
	}
	switch receiptOf(m, id) {
	case worker.Heard, worker.Confirmed:
		sent.State = Accepted
		return sent, nil
	case worker.NotConfirmed:
		sent.State, sent.Why = Unconfirmed, "Enter was pressed, and its record does not show the message"
	}
	launch := m.Ledger.Last(worker.Launched)
	switch {
	case m.Over():
		why(agentEnded)
		return sent, nil
	case launch == nil:
		why("its agent does not run yet")
		return sent, nil
	}
	if ch, h, ok := s.Channel(m); ok {
		took, err := s.unqueue(m)
		if err == nil && took { // a hook may have been faster
			m, err = s.look(ctx)
		}
		if err == nil {
			why(s.hand(ctx, ch, h, m))
		}
		return sent, err
	}
	if held, err := s.enqueue(m, launch); err != nil || held != "" {
		why(held)
		return sent, err
	}
	why(waitingFor(m))
	if sent, ok, err := s.queueOldest(ctx, m, launch, sent); ok || err != nil {
		return sent, err
	}
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
		s.forget(e.Message)
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

// Interrupt ends the turn of an agent with its own key, and notes that the screen shows the prompt again. Some clients
// record nothing of it.
func Interrupt(ctx context.Context, c *Manager, m *Member) error { return interruptAfter(ctx, c, m, 0) }

// errTyping says that a key of aburn's would come between those of a person.
var errTyping = errors.New("somebody is typing in its terminal")

// interruptAfter is Interrupt, unless a person pressed a key there so lately.
func interruptAfter(ctx context.Context, c *Manager, m *Member, lately time.Duration) error {
	terminal, screen := runtimeOf(c, m).(slot.Typist)
	client := prompterOf(c, m)
	launch := m.Ledger.Last(worker.Launched)
	switch {
	case m.Over():
		return ErrOver
	case m.Talk != nil:
		return interruptTalk(ctx, c, m)
	case launch == nil || !screen || client == nil:
		return errors.New("its terminal takes no keys from aburn")
	case m.Worker.State != worker.Working:
		return errors.New("it is not in a turn that could be interrupted: " + strings.ReplaceAll(m.Worker.State.String(), "_", " "))
	}
	s, err := terminal.Screen(ctx, launch.Address)
	if err != nil {
		return err
	}
	if !s.Touched.IsZero() && time.Since(s.Touched) < lately {
		return errTyping
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
func interruptTalk(ctx context.Context, c *Manager, m *Member) error {
	if len(m.Talk.Asks) > 0 {
		return fmt.Errorf("it asks something, which an interrupt would refuse: aburn answer %s", m.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, interruptWait)
	defer cancel()
	switch ran, err := endTurn(ctx, c, m); {
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

// endTurn asks again for as long as only the hooks say that a turn runs: the holder writes down a little later what the agent says.
func endTurn(ctx context.Context, c *Manager, m *Member) (ran bool, err error) {
	for {
		ch, h, _ := c.Channel(m)
		if ran, err = ch.Interrupt(ctx, h); err != nil || ran {
			return ran, err
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-time.After(sendStep):
		}
		m = c.loadCached(ctx, m.Name)[0]
		if m.Err != nil || m.Worker.State != worker.Working || m.Talk == nil || len(m.Talk.Asks) > 0 {
			return false, m.Err
		}
	}
}
