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
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// Start runs a holder in a session of its own. The holder is the runtime: there is no address.
func (r Runtime) Start(_ context.Context, _, dir string, argv []string) (address string, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, r.Env
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	go cmd.Wait() // if it ends before this process does
	return "", nil
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
		n := len(k.Talk.Events)
		if l.Tag != "" {
			if k.Talk.Told == nil {
				k.Talk.Told = map[string]bool{}
			}
			k.Talk.Told[l.Tag] = true
			c.Protocol.Tell(k.Talk, l.Tag)
			return
		}
		c.Protocol.Hear(k.Talk, l.At, l.Line)
		number(k.Talk, min(n, len(k.Talk.Events)), h.Gen)
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

// number gives the events of one line their places: generations follow each other, and a line has few events.
func number(t *slot.Talk, from, gen int) {
	for i := from; i < len(t.Events); i++ {
		if e := &t.Events[i]; e.Seq == 0 {
			e.Seq, e.Gen = uint64(gen)<<40|t.Lines<<8|uint64(i-from+1), gen
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
	return len(waiting) > 0 || len(sayings) > 0
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

// note is a message in the inbox.
type note struct {
	slot.Message
	path string
}

// inbox is the messages that wait, in order. Their files are NUMBER.ID.
func inbox(h slot.Handle) (list []note, err error) {
	folder := filepath.Join(h.Dir, inboxName)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		_, id, ok := strings.Cut(e.Name(), ".")
		if !ok || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(folder, e.Name())
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its turn is over
		}
		if err != nil {
			return list, err
		}
		list = append(list, note{slot.Message{ID: id, Text: string(text)}, path})
	}
	return list, err
}

// Waiting is how many messages wait, or are being worked on.
func Waiting(h slot.Handle) int {
	list, _ := inbox(h)
	return len(list)
}

// Put puts a message into the inbox, once. The caller is alone, or nothing runs yet.
func Put(h slot.Handle, m slot.Message) error {
	if m.ID == "" || len(m.ID) > 64 || strings.Trim(m.ID, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return fmt.Errorf("no id of a message: %q", m.ID)
	}
	waiting, err := inbox(h)
	if err != nil {
		return err
	}
	n := 0
	for _, w := range waiting {
		if w.ID == m.ID {
			return nil
		}
		n, _ = strconv.Atoi(filepath.Base(w.path)[:8])
	}
	if len(waiting) >= maxWaiting {
		return ErrFull
	}
	return put(h, n/apart*apart+apart, m)
}

// apart is how far the numbers of messages are apart, so that one can come between.
const apart = 10

func put(h slot.Handle, n int, m slot.Message) error {
	folder := filepath.Join(h.Dir, inboxName)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, fmt.Sprintf("%08d.%s", n, m.ID)), []byte(m.Text), 0o600, atomicfile.Options{Sync: true})
}

// Drop takes messages out of the inbox, which others tell now. The agent does not run in lines.
func Drop(h slot.Handle, which func(id string) bool) {
	list, _ := inbox(h)
	for _, m := range list {
		if which(m.ID) {
			os.Remove(m.path)
		}
	}
}

// Forget removes what was said with an agent, in all generations.
func Forget(dir string, gens int) {
	for gen := 1; gen <= gens; gen++ {
		hold.Forget(dir, gen)
		os.Remove(hold.Path(dir, "talk", gen))
	}
	os.RemoveAll(filepath.Join(dir, inboxName))
}

// receipt is the best that any generation says of a message.
func (c Channel) receipt(h slot.Handle, id string) (best slot.Receipt, refused string) {
	for gen := 1; gen <= h.Gen; gen++ {
		t, err := c.Hear(slot.Handle{Dir: h.Dir, Gen: gen})
		if err != nil {
			continue
		}
		r := t.Receipts[id]
		if r == slot.Finished {
			return r, ""
		}
		if gen == h.Gen { // what was cut off earlier runs again
			best, refused = r, t.Refused
			if e := t.Errors["msg-"+id]; e != "" {
				refused = e
			}
		}
	}
	return best, refused
}

// Deliver implements slot.Channel. The error is hold.ErrGone if the agent has ended; nothing is queued then.
func (c Channel) Deliver(ctx context.Context, h slot.Handle, m slot.Message) (slot.Receipt, error) {
	if r, _ := c.receipt(h, m.ID); r != slot.Unreceived {
		return r, nil
	}
	if held, err := hold.Held(h.Dir, h.Gen); err != nil || !held {
		return slot.Unreceived, errors.Join(err, hold.ErrGone)
	}
	err := alone(h, speakWait, func() error {
		if err := Put(h, m); err != nil {
			return err
		}
		_, err := c.speak(h)
		return err
	})
	for err == nil || errors.Is(err, hold.ErrGone) {
		r, refused := c.receipt(h, m.ID)
		switch {
		case r != slot.Unreceived:
			return r, nil
		case refused != "":
			return r, errors.New("the agent refused: " + refused)
		case err != nil || ctx.Err() != nil:
			return r, errors.Join(err, ctx.Err())
		}
		time.Sleep(lookEvery)
		if _, err = c.Look(h); err == nil {
			if held, herr := hold.Held(h.Dir, h.Gen); herr == nil && !held {
				err = hold.ErrGone
			}
		}
	}
	return slot.Unreceived, err
}

// Answer answers an open question; without an id, the only one. It returns the question, once the agent has the answer.
func (c Channel) Answer(ctx context.Context, h slot.Handle, id string, allow bool, text string) (q slot.Question, err error) {
	err = alone(h, speakWait, func() error {
		t, say, err := c.mouth(h)
		if err != nil {
			return err
		}
		if q, err = choose(t.Asks, id); err != nil {
			return err
		}
		l, err := c.Protocol.Answer(q, allow, text)
		if err != nil {
			return err
		}
		l.Tag = answerTag(q)
		if err := say(l); err != nil {
			return err
		}
		return hold.Poke(h.Dir, h.Gen)
	})
	if err != nil {
		return q, err
	}
	return q, c.until(ctx, h, func(t *slot.Talk) bool {
		_, err := choose(t.Asks, q.ID)
		return errors.Is(err, ErrNoQuestion)
	})
}

// answerTag is the same for all answers to one question, so that only one is given.
func answerTag(q slot.Question) string {
	sum := sha256.Sum256([]byte(q.ID))
	return "ans-" + hex.EncodeToString(sum[:8])
}

// ErrSeveral says that an id has to choose between questions.
var ErrSeveral = errors.New("the agent asks several things")

func choose(asks []slot.Question, id string) (slot.Question, error) {
	if id == "" && len(asks) > 1 {
		return slot.Question{}, ErrSeveral
	}
	for _, q := range asks {
		if id == "" || q.ID == id {
			return q, nil
		}
	}
	return slot.Question{}, ErrNoQuestion
}

// Interrupt ends the running turn, and returns when the agent says that it is over. It reports false if none is known to run.
func (c Channel) Interrupt(ctx context.Context, h slot.Handle) (ran bool, err error) {
	tag, turn := "", ""
	err = alone(h, speakWait, func() error {
		t, say, err := c.mouth(h)
		if err != nil {
			return err
		}
		tag, turn = "int-"+strconv.FormatUint(t.Lines, 10), t.Turn
		l, ok := c.Protocol.Interrupt(t, tag)
		if ran = ok; !ok {
			return nil
		}
		if err := say(l); err != nil {
			return err
		}
		return hold.Poke(h.Dir, h.Gen)
	})
	if err != nil || !ran {
		return ran, err
	}
	return true, c.until(ctx, h, func(t *slot.Talk) bool { return t.Told[tag] && t.Turn != turn })
}

// until looks until done, ctx ends or the agent does.
func (c Channel) until(ctx context.Context, h slot.Handle, done func(*slot.Talk) bool) error {
	for {
		held, err := hold.Held(h.Dir, h.Gen) // before what it said is read
		t, terr := c.Look(h)
		switch {
		case terr != nil:
			return terr
		case done(t):
			return nil
		case err == nil && !held:
			return hold.ErrGone
		case ctx.Err() != nil:
			return ctx.Err()
		}
		time.Sleep(lookEvery)
	}
}

// Story gives what a person sees of a generation, from a position on, and the position behind it.
func (c Channel) Story(h slot.Handle, from int64, each func(time.Time, slot.Passage)) (next int64, lost bool, err error) {
	return hold.Said(h.Dir, h.Gen, from, func(l hold.Heard) {
		if l.Tag == "" {
			for _, p := range c.Protocol.Show(l.Line) {
				each(l.At, p)
			}
		}
	})
}
