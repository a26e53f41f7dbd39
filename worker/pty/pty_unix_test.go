//go:build unix

package pty

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"aburn/internal/hold"
	"aburn/worker/slot"
)

// A holder that was stopped answers nothing. Nobody waits for it for ever.
func TestHolderThatStandsStill(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 50 * time.Millisecond
	dir, err := os.MkdirTemp("", "pty") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	address := hold.Path(dir, "tty", 1)
	still, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	defer still.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	view, err := Runtime{}.View(ctx, address, false)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	for name, call := range map[string]func() error{
		"screen": func() error { _, err := Runtime{}.Screen(ctx, address); return err },
		"paste":  func() error { return Runtime{}.Paste(ctx, address, "text") },
		"press":  func() error { return Runtime{}.Press(ctx, address, slot.Enter) },
		"settle": func() error { _, _, err := view.Settle(ctx); return err },
	} {
		if err := call(); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "does not answer") || ctx.Err() != nil {
			t.Errorf("%s: %v %v", name, err, ctx.Err())
		}
	}
}
