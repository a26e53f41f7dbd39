package manager

import (
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/worker"
)

// Refused says why a merge or a sync was not begun. Nothing was touched.
type Refused struct {
	Text   string
	Hints  []string
	Output string // the end of what a command said that failed
}

func (r *Refused) Error() string { return r.Text }

func refuse(text string, hints ...string) error { return &Refused{Text: text, Hints: hints} }

// names shows the first paths of a list.
func names(paths []string) string {
	text := strings.Join(paths[:min(len(paths), 3)], ", ")
	if len(paths) > 3 {
		text += ", …"
	}
	return text
}

// Quiet reports whether no agent is at work in the tree.
func (m *Member) Quiet() bool {
	switch m.Worker.State {
	case worker.Idle, worker.Done, worker.Terminated:
		return true
	}
	return m.Worker.Reason == worker.Verifying || m.Worker.Reason == worker.VerifyFailed // it said done
}

// requireSettledTree refuses unless the worker's tree may be changed.
func requireSettledTree(c *Manager, m *Member) error {
	if !m.Quiet() {
		return refuse("its agent is not idle: "+strings.ReplaceAll(m.Worker.State.String(), "_", " "), "aburn ps "+m.Name)
	}
	if held, err := isHeld(c, m); m.Over() && (held || err != nil) {
		return refuse("its holder still ends what the agent left", "aburn ps "+m.Name)
	}
	return nil
}

// closing is how long a holder may live on behind its certificate: who looks at its terminal gets what was printed last.
const closing = 10 * time.Second

// isHeld reports whether a worker still has a holder. That of one that is over is waited for: it ends by itself.
func isHeld(c *Manager, m *Member) (bool, error) {
	launch := m.Ledger.Last(worker.Launched)
	if launch == nil {
		return false, nil
	}
	for until := time.Now().Add(closing); ; time.Sleep(20 * time.Millisecond) {
		held, err := hold.Held(c.Store.Book(m.Name).Dir, launch.Gen)
		if !held || err != nil || !m.Over() || time.Now().After(until) {
			return held, err
		}
	}
}
