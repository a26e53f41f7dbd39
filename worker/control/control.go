package control

import (
	"context"
	"errors"

	"aburn/worker/manager"
	"aburn/worker/ssh"
)

// Kill ends a worker, wherever it runs.
func Kill(ctx context.Context, c *manager.Manager, m *manager.Member) (*manager.Member, error) {
	if !m.IsRemote() {
		return manager.Kill(ctx, c, m)
	}
	if m.Over() {
		if !m.Certified() { // its agent may have left something there
			if _, err := manager.RunRemote(ctx, c, m, "", "kill", m.Name); err != nil && !errors.Is(err, ssh.ErrLost) {
				return m, err
			}
		}
		return m, manager.ErrOver
	}
	if _, err := manager.RunRemote(ctx, c, m, "", "kill", m.Name); err != nil {
		return m, err
	}
	now, err := c.Load(ctx, m.Name)
	if err != nil {
		return m, err
	}
	return now[0], now[0].Err
}

// Interrupt ends the turn of a worker, wherever it runs.
func Interrupt(ctx context.Context, c *manager.Manager, m *manager.Member) error {
	if !m.IsRemote() {
		return manager.Interrupt(ctx, c, m)
	}
	if m.Over() {
		return manager.ErrOver
	}
	_, err := manager.RunRemote(ctx, c, m, "", "interrupt", m.Name)
	return err
}
