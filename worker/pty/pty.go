// Package pty runs agents at terminals that their holders give them, where there is no tmux or none is wanted. A holder stands
// in a session of its own, so the agent outlives whoever started it and whoever looks.
package pty

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/worker/slot"
)

// Name is that of the runtime.
const Name = "pty"

// patience is for a holder that stands still. Tests shorten it.
var patience = 20 * time.Second

// Runtime starts holders. Env is theirs, and not the agents'.
type Runtime struct{ Env []string }

// Name of the runtime.
func (Runtime) Name() string { return Name }

// Server is that of no other worker.
func (Runtime) Server() string { return "" }

// Start runs a holder, aburn-hold DIR GENERATION. The address is where it shows the terminal.
func (r Runtime) Start(_ context.Context, _, dir string, argv []string) (address string, err error) {
	if len(argv) != 3 {
		return "", errors.New("only a holder can give its agent a terminal")
	}
	gen, err := strconv.Atoi(argv[2])
	if err != nil {
		return "", err
	}
	return hold.Path(argv[1], "tty", gen), hold.Detach(r.Env, dir, argv)
}

// Alive is not known here: the probe asks the holder.
func (Runtime) Alive(context.Context) (map[string]bool, error) {
	return nil, errors.New("a holder without a runtime answers for itself")
}

// place is what an address says.
func place(address string) (dir string, gen int, err error) {
	gen, err = strconv.Atoi(strings.TrimPrefix(filepath.Base(address), "tty."))
	if err != nil {
		return "", 0, fmt.Errorf("%q is no place of a terminal", address)
	}
	return filepath.Dir(address), gen, nil
}

// Screen is what the terminal shows.
func (Runtime) Screen(ctx context.Context, address string) (s slot.Screen, err error) {
	dir, gen, err := place(address)
	if err != nil {
		return s, err
	}
	now, err := look(ctx, dir, gen)
	return slot.Screen{Lines: now.Lines, X: now.X, Y: now.Y, Touched: now.Touched}, err
}

func look(ctx context.Context, dir string, gen int) (now hold.Shown, err error) {
	err = within(ctx, func(ctx context.Context) (err error) {
		now, err = hold.Look(ctx, dir, gen)
		return err
	})
	return now, err
}

// within asks a holder for no longer than patience.
func within(ctx context.Context, ask func(context.Context) error) error {
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := ask(short)
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("the holder of its terminal does not answer: %w", err)
	}
	return err
}

// Paste puts text in as a bracketed paste. Where the program takes none, it fails.
func (Runtime) Paste(ctx context.Context, address, text string) error {
	dir, gen, err := place(address)
	if err != nil {
		return err
	}
	return within(ctx, func(ctx context.Context) error { return hold.Paste(ctx, dir, gen, text) })
}

// Press presses one key.
func (Runtime) Press(ctx context.Context, address string, k slot.Key) error {
	dir, gen, err := place(address)
	if err != nil {
		return err
	}
	keys, ok := map[slot.Key]string{slot.Enter: "\r", slot.Escape: "\x1b"}[k]
	if !ok {
		return fmt.Errorf("no key %q", k)
	}
	return within(ctx, func(ctx context.Context) error { return hold.Press(ctx, dir, gen, keys) })
}
