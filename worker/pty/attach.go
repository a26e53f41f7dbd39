package pty

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"aburn/internal/hold"
	"aburn/internal/vt"
)

// prefix and leave are the keys of tmux, so that a person has to know one way to leave.
const prefix, leave = 0x02, 'd' // Ctrl-b d

// Attach puts the person's terminal onto an agent's, until the person leaves or the agent ends.
func (Runtime) Attach(address string, readOnly bool) error {
	dir, gen, err := place(address)
	if err != nil {
		return err
	}
	v, err := hold.See(dir, gen)
	if err != nil {
		return err
	}
	defer v.Close()
	if old, err := term.MakeRaw(int(os.Stdin.Fd())); err == nil {
		defer term.Restore(int(os.Stdin.Fd()), old)
	}
	kind, content := byte('w'), ""
	if !readOnly {
		kind, content = 't', size()
	}
	if err := v.Send(kind, content); err != nil {
		return err
	}
	defer os.Stdout.WriteString(vt.Plain + "\x1b[999;1H\r\n")
	done := make(chan error, 2)
	go func() { done <- show(v, os.Stdout) }()
	go func() { done <- keys(v, os.Stdin, readOnly) }()
	if !readOnly {
		stop := make(chan struct{})
		defer close(stop)
		go follow(v, stop)
	}
	if err = <-done; errors.Is(err, hold.ErrGone) { // the agent ended
		err = nil
	}
	return err
}

func show(v *hold.View, out io.Writer) error {
	for {
		kind, content, err := v.Receive()
		if err != nil {
			return err
		}
		if kind == 'o' {
			if _, err := io.WriteString(out, content); err != nil {
				return err
			}
		}
	}
}

// keys passes keys on, until the person leaves. The prefix twice is the prefix once.
func keys(v *hold.View, in io.Reader, readOnly bool) error {
	buf := make([]byte, 4<<10)
	var out []byte
	pending := false
	for {
		n, err := in.Read(buf)
		out = out[:0]
		for _, b := range buf[:n] {
			switch {
			case pending && b == leave:
				return nil
			case pending:
				if pending = false; b != prefix {
					out = append(out, prefix)
				}
				out = append(out, b)
			case b == prefix:
				pending = true
			default:
				out = append(out, b)
			}
		}
		if len(out) > 0 && !readOnly {
			if err := v.Send('k', string(out)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// size of the person's terminal; nothing where there is none.
func size() string {
	cols, rows, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return ""
	}
	return hold.Size{Cols: cols, Rows: rows}.String()
}

// follow tells the agent's terminal how large the person's is. Looking costs less than a signal that not all systems have.
func follow(v *hold.View, stop chan struct{}) {
	for last := size(); ; {
		select {
		case <-stop:
			return
		case <-time.After(200 * time.Millisecond):
		}
		if now := size(); now != last {
			if last = now; v.Send('z', now) != nil {
				return
			}
		}
	}
}
