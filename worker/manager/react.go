package manager

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"aburn/internal/queue"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
)

// Reaction is what an agent or a person is told of a worker's pull request.
type Reaction struct {
	Key      string
	Action   string // a word of worker's
	Subject  string
	Items    []string // that nobody was told before
	Head     string
	Text     string   // for the agent, without a tag
	Replaces []string // messages that wait, and that are old
	Limit    int      // of messages of this key; below 0 there is none
	// May is asked last, with what the ledger says then; nil allows it.
	May func([]ledger.Entry) bool
}

// The reasons why a reaction is not done.
var (
	ErrTold   = errors.New("it was told already")
	ErrHanded = errors.New("a message before it is with the agent already, and waits there")
)

// React gives the agent a message, in place of those that it replaces: they are told to nobody, and the ledger says so first.
// Reaction and message are one entry of the ledger: either both are there or none. Without a text it only takes messages back.
func React(ctx context.Context, c *Manager, name string, r Reaction) error {
	s := &sender{c, name, c.Store.Book(name), SendOptions{}, map[string]bool{}}
	return s.alone(func() error {
		m, err := s.look(ctx)
		if err != nil {
			return err
		}
		for _, id := range r.Replaces {
			if err := s.takeBack(m, id, r.Key); err != nil {
				return err
			}
		}
		if r.Text == "" {
			return nil
		}
		return s.react(m, r)
	})
}

// takeBack takes a message out of where it waits, if nobody has it yet.
func (s *sender) takeBack(m *Member, id, key string) error {
	if receiptOf(m, id) != worker.Waiting {
		return ErrHanded
	}
	if _, _, lines := s.Channel(m); lines { // it lies in the agent's own inbox, or is on its way to it
		return ErrHanded
	}
	if s.Queue != nil {
		desk, err := s.Queue.Lock(queueWait)
		if err != nil {
			return err
		}
		defer desk.Close()
		waits := slices.ContainsFunc(desk.Tasks(), func(t queue.Task) bool { return t.ID == id })
		if waits && !desk.Withdraw(id, time.Now()) {
			return ErrHanded
		}
		if err := desk.Close(); err != nil {
			return err
		}
	}
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Withdrawn, Gen: max(1, m.Ledger.Gen()), Message: id, Key: key}}
	if err := s.book.Append(e); err != nil {
		return err
	}
	s.forget(id)
	return nil
}

func (s *sender) react(m *Member, r Reaction) error {
	id := newMessageID()
	text := logfmt.MessageTag(id) + " " + r.Text
	if err := keepText(s.book, id, text); err != nil {
		return err
	}
	e := r.entry(worker.ActionSend)
	e.Message, e.Bytes, e.From = id, len(text), "forge"
	err := s.append(r, e, func(l *ledger.Contents) error {
		w := worker.Reduce(l.Facts(m.others...))
		if w.Over() || len(w.Open()) >= worker.MaxOpen || r.Limit >= 0 && w.Spent(r.Key) >= r.Limit || r.May != nil && !r.May(l.Entries) {
			return ErrTold // it stands differently by now; who planned it looks again
		}
		return nil
	})
	if err != nil {
		os.Remove(s.path(id))
	}
	return err
}

func (r *Reaction) entry(action string) ledger.Entry {
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Key: r.Key, Action: action, Head: r.Head}}
	e.Subject, e.Items = r.Subject, r.Items
	return e
}

// append writes one entry, unless one of its items or its subject stands there.
func (s *sender) append(r Reaction, e ledger.Entry, more func(*ledger.Contents) error) error {
	_, err := s.book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		if toldBefore(l, e) {
			return nil, ErrTold
		}
		if more != nil {
			if err := more(l); err != nil {
				return nil, err
			}
		}
		e.Gen = max(1, l.Gen())
		return []ledger.Entry{e}, nil
	})
	return err
}

func toldBefore(l *ledger.Contents, e ledger.Entry) bool {
	gone := map[string]bool{}
	for i := range l.Entries {
		if l.Entries[i].Kind == worker.Withdrawn {
			gone[l.Entries[i].Message] = true
		}
	}
	return slices.ContainsFunc(l.Entries, func(o ledger.Entry) bool {
		if o.Kind != e.Kind || o.Key != e.Key || o.Message != "" && gone[o.Message] {
			return false
		}
		return o.Subject == e.Subject && o.Action == e.Action || slices.ContainsFunc(o.Items, func(id string) bool { return slices.Contains(e.Items, id) })
	})
}

// toldEntry is what stands in a ledger when a person heard of a reaction.
func (r *Reaction) toldEntry() ledger.Entry {
	e := r.entry(r.Action)
	if r.Action == "" {
		e.Kind = worker.Escalated
	}
	return e
}

// HasNotified reports whether a worker's ledger says that a person heard of a reaction. One that cannot be read says nothing.
func HasNotified(c *Manager, name string, r Reaction) bool {
	l, err := c.Store.Book(name).Read()
	return err == nil && toldBefore(l, r.toldEntry())
}

// MarkReaction writes down that a person heard of a reaction, or that something is about to be done about it. ErrTold says that it stands
// there already.
func MarkReaction(c *Manager, name string, r Reaction) error {
	s := &sender{Manager: c, name: name, book: c.Store.Book(name)}
	return s.append(r, r.toldEntry(), nil)
}

// Unpause lets the members that were paused get messages again, and gives their names.
func Unpause(c *Manager, paused []*Member, key string) (names []string, err error) {
	for _, m := range paused {
		e := ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Gen: max(1, m.Ledger.Gen()), Key: key, Action: worker.ActionResume}}
		if err := c.Store.Book(m.Name).Append(e); err != nil {
			return names, err
		}
		names = append(names, m.Name)
	}
	return names, nil
}
