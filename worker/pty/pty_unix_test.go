//go:build unix

package pty

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
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
		"settle": func() error { return view.Settle(ctx, func(int, int) error { return nil }) },
	} {
		if err := call(); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "does not answer") || ctx.Err() != nil {
			t.Errorf("%s: %v %v", name, err, ctx.Err())
		}
	}
}

// A size is said before the holder hears of it: a page that is still smaller would keep a broken picture.
func TestViewSaysItsSizeFirst(t *testing.T) {
	dir, err := os.MkdirTemp("", "pty")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	address := hold.Path(dir, "tty", 1)
	holder, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	view, err := Runtime{}.View(t.Context(), address, true)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	view.Fit(90, 31)
	if err := view.Settle(t.Context(), func(cols, rows int) error {
		if cols != 90 || rows != 31 {
			t.Errorf("it says %dx%d", cols, rows)
		}
		_, err := view.Write([]byte("said"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	conn, err := holder.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got := ""
	for range "vtkz" {
		var head [5]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[1:]))); err != nil {
			t.Fatal(err)
		}
		got += string(head[0])
	}
	if got != "vtkz" {
		t.Errorf("the holder heard %s", got)
	}
}
