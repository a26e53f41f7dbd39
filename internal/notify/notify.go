// Package notify tells a person that something is wrong: on the desktop, through a command of the user's, by the
// terminal's bell. It never speaks to an agent.
//
// Invariants:
//   - Tell returns at once, whatever the channels do: each has a goroutine and a short queue of its own, and what does
//     not fit there is dropped, counted and reported.
//   - A key is told once, until it is forgotten.
//   - A channel that fails is reported once and tried again with every notice.
//   - Whoever takes longer than the timeout is ended: a command is killed with its process group, so with all its
//     children but those that left the group. Its output goes nowhere, and it is started in the user's home, where no
//     repository can place what a relative name finds.
//   - No bus is started: where a desktop session has none, there is no desktop.
//
// aburn-hook never links this package: a hook tells nobody but the queue.
package notify

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Notice is one thing that a person is told. Title and Text are shown as they are: whoever makes them keeps them short,
// scrubbed and free of control characters.
type Notice struct {
	Key    string // what it is about; the same key is told once
	Title  string
	Text   string
	Urgent bool
	JSON   []byte // what a command gets on stdin, one line
}

// Options says which channels there are. The zero Options tells nobody.
type Options struct {
	Desktop bool
	Command []string            // program and arguments; none = no command
	Bell    io.Writer           // the terminal; nil = no bell
	Timeout time.Duration       // for one command or one bubble; 0 = DefaultTimeout
	Env     func(string) string // finds the desktop's bus and the user's home

	// Report is called from another goroutine, at most once for each channel, with the first thing that went wrong.
	Report func(channel string, err error)
}

// DefaultTimeout is how long a command may run or a desktop may take to answer.
const DefaultTimeout = 10 * time.Second

// ErrDropped says that a channel was too slow for what it was given.
var ErrDropped = errors.New("it is too slow: notices were dropped")

const (
	maxWaiting = 64   // notices of one channel
	maxTold    = 4096 // keys that are remembered
)

// Notifier tells notices. Its methods may be called by several goroutines.
type Notifier struct {
	options  Options
	channels []*channel
	cancel   context.CancelFunc
	workers  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	told   map[string]bool
	order  []string // the keys of told, oldest first
}

// New starts a goroutine for each channel of o. Close ends them.
func New(o Options) *Notifier {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	n := &Notifier{options: o, told: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	if o.Desktop {
		n.add(ctx, "notify.desktop", n.desktop)
	}
	if len(o.Command) > 0 {
		n.add(ctx, "notify.command", n.command)
	}
	if o.Bell != nil {
		n.add(ctx, "notify.bell", n.bell)
	}
	return n
}

// Tell hands a notice to every channel and returns at once. It is false, and nobody is told, if the key was told before.
func (n *Notifier) Tell(notice Notice) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || n.told[notice.Key] {
		return false
	}
	n.remember(notice.Key)
	for _, c := range n.channels {
		select {
		case c.waiting <- notice:
		default:
			c.lost.Store(true)
		}
	}
	return true
}

func (n *Notifier) remember(key string) {
	n.told[key] = true
	n.order = append(n.order, key)
	if len(n.order) > maxTold {
		delete(n.told, n.order[0])
		n.order = n.order[1:]
	}
}

// Forget makes a key news again: what it was about has ended.
func (n *Notifier) Forget(key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told[key] {
		delete(n.told, key)
		i := slices.Index(n.order, key)
		n.order = slices.Delete(n.order, i, i+1)
	}
}

// Close lets the channels finish what they have been given within grace, then ends them. Nothing is told afterwards.
func (n *Notifier) Close(grace time.Duration) {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		for _, c := range n.channels {
			close(c.waiting)
		}
	}
	n.mu.Unlock()
	late := time.AfterFunc(grace, n.cancel)
	n.workers.Wait()
	late.Stop()
	n.cancel()
}

// condense keeps a storm readable: of more than most notices it leaves the most urgent and counts the rest in one.
func condense(batch []Notice, most int) []Notice {
	if len(batch) <= most {
		return batch
	}
	var first []Notice
	for _, urgent := range []bool{true, false} {
		for _, notice := range batch {
			if notice.Urgent == urgent && len(first) < most-1 {
				first = append(first, notice)
			}
		}
	}
	left := strconv.Itoa(len(batch) - len(first))
	return append(first, Notice{Title: "aburn: " + left + " more", Text: "aburn supervisor shows them all"})
}
