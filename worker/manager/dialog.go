package manager

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
)

// A dialog may be open of which no hook told: at the agent's start, or where hooks do not run. Its words are read off the screen. They
// demote a state and never more, and aburn presses no key because of them.

// maxDialog is how much of a dialog's words a ledger keeps, in bytes.
const maxDialog = 400

// HasScreen reports whether a member's screen can be read, and its agent's dialogs be told from all else.
func HasScreen(c *Manager, m *Member) bool {
	_, _, ok := screenOf(c, m)
	return ok
}

func screenOf(c *Manager, m *Member) (terminal slot.Typist, client slot.Asker, ok bool) {
	terminal, _ = runtimeOf(c, m).(slot.Typist)
	for _, a := range c.Agents {
		if asker, is := a.(slot.Asker); is && a.Name() == m.Request.Agent {
			client = asker
		}
	}
	return terminal, client, terminal != nil && client != nil && m.Ledger.Last(worker.Launched) != nil
}

// ErrNoScreen says that a member's screen cannot be read, or that nothing is known of its agent's dialogs.
var ErrNoScreen = errors.New("its screen cannot be read")

// ReadDialog is what a dialog on a member's screen says, "" for none, and when a person last pressed a key there.
func ReadDialog(ctx context.Context, c *Manager, m *Member) (words string, touched time.Time, err error) {
	terminal, client, ok := screenOf(c, m)
	if !ok {
		return "", touched, ErrNoScreen
	}
	s, err := terminal.Screen(ctx, m.Ledger.Last(worker.Launched).Address)
	if err != nil {
		return "", touched, err
	}
	words, _ = client.Asks(s)
	words, _ = scrub.Text(words)
	return plain.OneLine(words, maxDialog), s.Touched, nil
}

// NoteDialog writes down that a dialog with these words waits for a person, or that none does any more. Nothing is written if the member
// did more since it was read, or if the ledger says so already.
func NoteDialog(ctx context.Context, c *Manager, m *Member, words string) error {
	list, err := c.LoadCached(ctx, m.Name)
	if err != nil || list[0].Err != nil {
		return err
	}
	now := list[0]
	if now.Worker.Gen != m.Worker.Gen || now.Newest != m.Newest || !now.Worker.Heard.Equal(m.Worker.Heard) || now.Over() || OnScreen(now) == words {
		return nil
	}
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Asks, Weak: true, Gen: max(1, now.Ledger.Gen())}}
	if e.Why = words; words == "" {
		e.Kind = worker.Answered
	}
	return c.Store.Book(m.Name).Append(e)
}

// OnScreen is what a dialog says that was seen on a member's screen, and that its state follows from; "" otherwise.
func OnScreen(m *Member) string { return ScreenWords(m.Worker, m.Ledger.Entries) }

// ScreenWords is OnScreen by a worker and its ledger.
func ScreenWords(w *worker.Worker, entries []ledger.Entry) string {
	if w.State != worker.NeedsInput || !w.Weak() {
		return ""
	}
	for _, e := range slices.Backward(entries) {
		if e.Weak && e.Kind == worker.Asks && e.Gen == w.Gen {
			return strings.TrimSpace(e.Why)
		}
	}
	return ""
}
