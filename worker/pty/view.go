package pty

import (
	"context"
	"sync"

	"aburn/internal/hold"
	"aburn/worker/slot"
)

// View is an agent's terminal for somebody who looks at it on a page.
type View struct {
	v    *hold.View
	dir  string
	gen  int
	keys bool
	rest string // was received and not read yet

	mu   sync.Mutex
	room hold.Size // that the reader has; zero after it was taken
}

// View opens one. Without keys nothing that is written to it reaches the agent, and its size stays.
func (Runtime) View(_ context.Context, address string, keys bool) (*View, error) {
	dir, gen, err := place(address)
	if err != nil {
		return nil, err
	}
	v, err := hold.See(dir, gen)
	if err != nil {
		return nil, err
	}
	kind := byte('w')
	if keys {
		kind = 't' // without a size: the terminal keeps its own until Fit
	}
	if err := v.Send(kind, ""); err != nil {
		v.Close()
		return nil, err
	}
	return &View{v: v, dir: dir, gen: gen, keys: keys}, nil
}

// Read gives what the agent prints, beginning with its screen.
func (v *View) Read(p []byte) (int, error) {
	for v.rest == "" {
		kind, content, err := v.v.Receive()
		if err != nil {
			return 0, err
		}
		if kind == 'o' {
			v.rest = content
		}
	}
	n := copy(p, v.rest)
	v.rest = v.rest[n:]
	return n, nil
}

// Write types. Without keys it does nothing.
func (v *View) Write(p []byte) (int, error) {
	if !v.keys {
		return len(p), nil
	}
	return len(p), v.v.Send('k', string(p))
}

// Fit says how much room its reader has: whoever types decides the size, as with aburn attach.
func (v *View) Fit(cols, rows int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys {
		v.room = hold.Size{Cols: min(max(cols, minCols), maxCols), Rows: min(max(rows, minRows), maxRows)}
	}
}

// The bounds of a size that a reader may ask for.
const minCols, minRows, maxCols, maxRows = 20, 5, 500, 200

// Settle takes the size that Fit said last, once. It says first which size the terminal gets or has, so that nothing drawn for it
// comes sooner.
func (v *View) Settle(ctx context.Context, say func(cols, rows int) error) error {
	v.mu.Lock()
	room := v.room
	v.room = hold.Size{}
	v.mu.Unlock()
	if room != (hold.Size{}) {
		if err := say(room.Cols, room.Rows); err != nil {
			return err
		}
		return v.v.Send('z', room.String())
	}
	now, err := look(ctx, v.dir, v.gen)
	if err != nil {
		return err
	}
	if now.Size == (hold.Size{}) {
		now.Size = hold.Size{Cols: slot.Width, Rows: slot.Height}
	}
	return say(now.Size.Cols, now.Size.Rows)
}

// Close ends the looking. The agent goes on.
func (v *View) Close() error { return v.v.Close() }
