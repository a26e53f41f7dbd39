// Package notify tells a person that something is wrong: on the desktop, through the user's own
// command, by the terminal's bell, in Slack, at a web address. It never speaks to an agent, and aburn-hook never links it: a
// hook only queues.
//
// Invariants:
//   - Tell returns at once, whatever the channels do. Each has a goroutine and a short queue of
//     its own; overflow is dropped, counted and reported.
//   - A key is notified once, until it is forgotten.
//   - A failing channel is reported once, and tried again with every notice.
//   - Whatever exceeds the timeout is ended. A command is killed with its process group, so with
//     all its children except those that left the group. Its output is discarded. It starts in
//     the user's home, where no repository can place a program that a relative name finds.
//   - No bus is started: without a desktop session there are no desktop notices.
package notify

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"aburn/internal/fetch"
)

// Notice is one message to a person. Title and Text are shown unchanged, so the caller must keep
// them short, scrubbed and free of control characters.
type Notice struct {
	Key    string // the subject; the same key is notified once
	Title  string
	Text   string
	Urgent bool
	JSON   []byte // a command's stdin, one line
	Away   []byte // the same for a web service: without what only this machine should know
}

// Options selects the channels. The zero Options notifies nobody.
type Options struct {
	Desktop bool
	Command []string            // program and arguments; empty = no command
	Bell    io.Writer           // the terminal; nil = no bell
	Ways    []Way               // further ones, which Check accepts
	Fetch   *fetch.Client       // asks web services; nil = one that waits
	Timeout time.Duration       // for one command or one desktop notice; 0 = DefaultTimeout
	Env     func(string) string // to find the desktop's bus and the user's home

	// Report is called from another goroutine, at most once a channel, with its first error.
	Report func(channel string, err error)
}

// DefaultTimeout bounds a command's run and a desktop's answer.
const DefaultTimeout = 10 * time.Second

// ErrDropped says that a channel was too slow, so that notices were lost.
var ErrDropped = errors.New("it is too slow: some notices were dropped")

const (
	maxWaiting = 64   // notices waiting in one channel
	maxKeys    = 4096 // keys remembered
)

// Notifier sends notices. Its methods may be called from several goroutines.
type Notifier struct {
	options  Options
	channels []*channel
	cancel   context.CancelFunc
	workers  sync.WaitGroup
	fetch    fetch.Client

	mu     sync.Mutex
	closed bool
	seen   map[string]bool
	order  []string // the keys of seen, oldest first
}

// New starts a goroutine for each channel of o. Close ends them.
func New(o Options) *Notifier {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	n := &Notifier{options: o, seen: map[string]bool{}}
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
	for _, w := range o.Ways {
		n.addWay(ctx, w)
	}
	return n
}

// Tell passes a notice to every channel and returns at once. It returns false, and does nothing,
// if the key was notified before.
func (n *Notifier) Tell(notice Notice) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || n.seen[notice.Key] {
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
	n.seen[key] = true
	n.order = append(n.order, key)
	if len(n.order) > maxKeys {
		delete(n.seen, n.order[0])
		n.order = n.order[1:]
	}
}

// Forget lets a key be notified again, because its subject has ended.
func (n *Notifier) Forget(key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen[key] {
		delete(n.seen, key)
		i := slices.Index(n.order, key)
		n.order = slices.Delete(n.order, i, i+1)
	}
}

// Close gives the channels grace to finish, then ends them. No notice is sent afterwards.
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

// condense keeps a flood readable: of more than most notices it keeps the most urgent and counts
// the rest in one.
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
