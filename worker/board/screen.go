package board

import (
	"context"
	"io"
	"strings"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/pty"
	"aburn/worker/slot"
)

// Screen is a worker's terminal, for somebody who looks at it on a page.
type Screen interface {
	io.ReadWriteCloser
	// Fit says how much room there is. It counts only while nobody else looks.
	Fit(cols, rows int)
	// Settle takes the size that is right now, and says it before anything is drawn for it. One at a time.
	Settle(ctx context.Context, say func(cols, rows int) error) error
}

// Screen opens a worker's terminal; without keys one can only look.
func (b *Board) Screen(ctx context.Context, key, name string, keys bool) (Screen, error) {
	o, m, address, err := b.terminal(ctx, key, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	switch host, far := manager.RemoteHost(m.Request.Via); {
	case far && host != "":
		now, there, err := control.RemoteScreenOf(ctx, o.Manager, m)
		if err != nil {
			return nil, fault.Failed(host + " cannot show it: " + strings.TrimSpace(err.Error()))
		}
		return there.View(m.Request.Address, m.Name, now.Cols, now.Rows, keys)
	case o.Tmux != nil && m.Request.Via == o.Tmux.Name():
		return o.Tmux.View(ctx, address, keys)
	}
	return pty.Runtime{}.View(ctx, address, keys)
}

// Shows is what a worker's terminal shows at this moment, in lines, for a page without script.
func (b *Board) Shows(ctx context.Context, key, name string) ([]string, error) {
	o, m, address, err := b.terminal(ctx, key, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	var lines []string
	switch host, far := manager.RemoteHost(m.Request.Via); {
	case far && host != "":
		var s control.RemoteScreen
		s, _, err = control.RemoteScreenOf(ctx, o.Manager, m)
		lines = s.Lines
	default:
		var typist slot.Typist = pty.Runtime{}
		if o.Tmux != nil && m.Request.Via == o.Tmux.Name() {
			typist = o.Tmux
		}
		var s slot.Screen
		s, err = typist.Screen(ctx, address)
		lines = s.Lines
	}
	if err != nil {
		return nil, fault.Failed("its terminal cannot be shown: " + strings.TrimSpace(err.Error()))
	}
	for i := range lines {
		lines[i] = plain.Text(lines[i])
	}
	return lines, nil
}

// terminal is where a worker's terminal is, as aburn attach finds it.
func (b *Board) terminal(ctx context.Context, key, name string) (o *projects.Project, m *manager.Member, address string, err error) {
	o, m, err = b.member(ctx, key, name)
	if err != nil {
		return nil, nil, "", err
	}
	launch := m.Ledger.Last(worker.Launched)
	_, far := manager.RemoteHost(m.Request.Via)
	switch {
	case m.Over():
		err = fault.Failed(name + " has ended: " + describe.StateText(m))
	case launch == nil:
		err = fault.Failed(name + " does not run yet")
	case far, m.Request.Via == pty.Name, o.Tmux != nil && m.Request.Via == o.Tmux.Name():
		return o, m, launch.Address, nil
	default:
		err = fault.Failed(name + " sits in a terminal that no page can show")
	}
	o.Close()
	return nil, nil, "", err
}
