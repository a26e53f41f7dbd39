// Package headless runs agents without a terminal and speaks to them in lines. No process of ours has to live for that but
// the holder: everything that is known stands in the worker's folder, and whoever looks goes on where another one stopped.
//
// # Invariants
//
//   - A message stands in the inbox from before it is said until the agent's own record shows that its turn is over. So one
//     that a kill swallowed is said again in the next generation.
//   - A message stands in the conversation once. If its turn may have been cut off, the agent is told to go on instead.
//   - A line is said once in a generation: its tag stands in the holder's files from then on. Only one process speaks at a
//     time.
package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/hold"
	"aburn/internal/lockfile"
	"aburn/worker/slot"
)

// Name is that of the runtime.
const Name = "headless"

// Runtime starts holders that belong to no terminal. Env is theirs, and not the agents'.
type Runtime struct{ Env []string }

// Name of the runtime.
func (Runtime) Name() string { return Name }

// Server is that of no other worker.
func (Runtime) Server() string { return "" }

// Start runs a holder in a session of its own. The holder is the runtime: there is no address.
func (r Runtime) Start(_ context.Context, _, dir string, argv []string) (address string, err error) {
	return "", hold.Detach(r.Env, dir, argv)
}

// Alive is not known here: the probe asks the holder.
func (Runtime) Alive(context.Context) (map[string]bool, error) {
	return nil, errors.New("a holder without a runtime answers for itself")
}

// Channel speaks one agent's protocol.
type Channel struct{ Protocol slot.Protocol }

const (
	lockName   = "talk.lock"
	inboxName  = "inbox"
	speakWait  = 10 * time.Second // for another one who speaks
	lookEvery  = 40 * time.Millisecond
	maxWaiting = 20 // messages
)

// ErrFull says that too many messages wait for the agent already.
var ErrFull = fmt.Errorf("%d messages wait for the agent already", maxWaiting)

// ErrNoQuestion says that the agent does not ask that (any more).
var ErrNoQuestion = errors.New("the agent does not ask that")

// kept is the Talk of a generation as of a position in what the agent said; it may be deleted at any time.
type kept struct {
	Next int64      `json:"next"`
	Talk *slot.Talk `json:"talk"`
}

// Hear reads what the agent said since somebody last did.
func (c Channel) Hear(h slot.Handle) (*slot.Talk, error) {
	path := hold.Path(h.Dir, "talk", h.Gen)
	k := kept{Talk: &slot.Talk{}}
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &k) != nil || k.Talk == nil {
		k = kept{Talk: &slot.Talk{}}
	}
	from := k.Next
	next, _, err := hold.Said(h.Dir, h.Gen, from, func(l hold.Heard) {
		k.Talk.Lines++
		if l.Tag != "" {
			if k.Talk.Told == nil {
				k.Talk.Told = map[string]bool{}
			}
			k.Talk.Told[l.Tag] = true
			k.Talk.Owed = slices.DeleteFunc(k.Talk.Owed, func(o slot.Line) bool { return o.Tag == l.Tag })
			c.Protocol.Tell(k.Talk, l.Tag)
			number(k.Talk, h.Gen)
			return
		}
		c.Protocol.Hear(k.Talk, l.At, l.Line)
		number(k.Talk, h.Gen)
	})
	if err != nil || next == from {
		return k.Talk, err
	}
	k.Next = next
	if data, err := json.Marshal(k); err == nil {
		atomicfile.Write(path, data, 0o600, atomicfile.Options{}) // only saves time
	}
	return k.Talk, nil
}

// number gives the events of one line their places: generations follow each other, and a line has few events. New ones are those
// without a place, wherever they stand: a Talk forgets its oldest events.
func number(t *slot.Talk, gen int) {
	n := uint64(0)
	for i := range t.Events {
		if e := &t.Events[i]; e.Seq == 0 {
			n++
			e.Seq, e.Gen = uint64(gen)<<40|t.Lines<<8|n, gen
		}
	}
}

// Look hears the agent and says what is due. It does not wait for another one who speaks.
func (c Channel) Look(h slot.Handle) (*slot.Talk, error) {
	t, err := c.Hear(h)
	if err != nil || !c.due(h, t) {
		return t, err
	}
	err = alone(h, 0, func() error {
		t, err = c.speak(h)
		return err
	})
	if errors.Is(err, lockfile.ErrBusy) || errors.Is(err, hold.ErrGone) {
		err = nil
	}
	return t, err
}

// due reports whether there is anything to say or to take away.
func (c Channel) due(h slot.Handle, t *slot.Talk) bool {
	waiting, _ := inbox(h)
	sayings, _ := hold.Sayings(h.Dir, h.Gen)
	return len(waiting) > 0 || len(sayings) > 0 || len(t.Owed) > 0
}

func alone(h slot.Handle, wait time.Duration, do func() error) error {
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, lockName, wait)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}

// speak says what is due. The caller is alone.
func (c Channel) speak(h slot.Handle) (*slot.Talk, error) {
	t, say, err := c.mouth(h)
	if err != nil {
		return t, err
	}
	for _, l := range t.Owed {
		if err := say(l); err != nil {
			return t, err
		}
	}
	waiting, err := inbox(h)
	if err != nil {
		return t, err
	}
	for _, m := range waiting {
		if t.Receipts[m.ID] == slot.Finished {
			if err := c.goOn(h, t, m); err != nil {
				return t, err
			}
			if os.Remove(m.path); t.Had[m.ID] {
				return c.speak(h) // something may come before the others now
			}
			continue
		}
		l, ok := c.Protocol.Message(t, m.Message)
		if !ok {
			break
		}
		if err := say(l); err != nil {
			return t, err
		}
	}
	return t, hold.Poke(h.Dir, h.Gen)
}

// onward is what an agent is told whose turn may have been cut off by the end of its process.
const onward = "Your process was ended from outside. If your last turn was not over, go on with it."

// goOn tells the agent to go on with a message that it has, and that nobody saw it finish. One such word is enough for a
// generation. It comes before messages that wait.
func (c Channel) goOn(h slot.Handle, t *slot.Talk, m note) error {
	if !t.Had[m.ID] {
		return nil
	}
	for gen := 1; gen < h.Gen; gen++ {
		former, err := c.Hear(slot.Handle{Dir: h.Dir, Gen: gen})
		if err == nil && former.Receipts[m.ID] == slot.Finished {
			return nil
		}
	}
	n, _ := strconv.Atoi(filepath.Base(m.path)[:8])
	return put(h, n+1, slot.Message{ID: "again-" + strconv.Itoa(h.Gen), Text: onward})
}

// mouth gives what was said so far, and what says a line unless it was said in this generation. The holder writes a tag to
// said.N before the line's file goes: whoever looks at the files first and at said.N then finds each line in one of them.
func (c Channel) mouth(h slot.Handle) (t *slot.Talk, say func(slot.Line) error, err error) {
	waiting, err := hold.Sayings(h.Dir, h.Gen)
	if err != nil {
		return nil, nil, err
	}
	t, err = c.Hear(h)
	return t, func(l slot.Line) error {
		if t.Told[l.Tag] || slices.Contains(waiting, l.Tag) {
			return nil
		}
		return hold.Say(h.Dir, h.Gen, l.Tag, l.Text)
	}, err
}
