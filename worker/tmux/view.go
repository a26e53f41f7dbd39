package tmux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"aburn/internal/run"
)

// View is a client of a session for somebody who looks at it elsewhere than in a terminal of this computer. It never makes the window
// smaller than other clients have it: while another one is there, the view takes that one's size.
type View struct {
	r       *Runtime
	address string
	keys    bool
	f       *os.File
	cmd     *exec.Cmd
	ended   chan struct{}

	mu   sync.Mutex
	room [2]int // columns and rows that its reader has; zero without keys
}

// View opens a client. Without keys nothing that is written to it reaches the session.
func (r *Runtime) View(ctx context.Context, address string, keys bool) (*View, error) {
	v := &View{r: r, address: address, keys: keys, ended: make(chan struct{})}
	now, err := v.situation(ctx)
	if err != nil {
		return nil, err
	}
	flags := "ignore-size"
	if !keys {
		flags += ",read-only"
	}
	v.cmd = exec.Command("tmux", "-u", "-L", socket, "attach-session", "-t", "="+address, "-f", flags)
	v.cmd.Env = append(append([]string{}, r.env...), "TERM=xterm-256color")
	err = run.Resizable(func() error {
		v.f, err = pty.StartWithSize(v.cmd, &pty.Winsize{Cols: uint16(now.window[0]), Rows: uint16(now.window[1])})
		return err
	})
	if err != nil {
		return nil, err
	}
	go func() {
		v.cmd.Wait()
		close(v.ended)
	}()
	return v, nil
}

func (v *View) Read(p []byte) (int, error) { return v.f.Read(p) }

// Write types. Without keys it does nothing.
func (v *View) Write(p []byte) (int, error) {
	if !v.keys {
		return len(p), nil
	}
	return v.f.Write(p)
}

// The bounds of a size that a reader may ask for.
const minCols, minRows, maxCols, maxRows = 20, 5, 500, 200

// Fit says how much room its reader has. It counts while nobody else looks, and only with keys.
func (v *View) Fit(cols, rows int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys {
		v.room = [2]int{min(max(cols, minCols), maxCols), min(max(rows, minRows), maxRows)}
	}
}

// Settle takes the size that is right now: that of the window, or its reader's if nobody else looks. It says the size first, so that
// nothing drawn for it comes sooner. One at a time.
func (v *View) Settle(ctx context.Context, say func(cols, rows int) error) error {
	now, err := v.seen(ctx)
	if err != nil {
		return err
	}
	v.mu.Lock()
	size := v.room
	v.mu.Unlock()
	follows := now.others || size == [2]int{}
	if follows {
		size = now.window
	}
	if follows != now.follows {
		flag := "ignore-size"
		if !follows {
			flag = "!ignore-size"
		}
		if _, err := v.r.tmux(ctx, "refresh-client", "-t", now.name, "-f", flag); err != nil {
			return err
		}
	}
	if err := say(size[0], size[1]); err != nil || size == now.size {
		return err
	}
	return pty.Setsize(v.f, &pty.Winsize{Cols: uint16(size[0]), Rows: uint16(size[1])})
}

// situation is what tmux has.
type situation struct {
	window  [2]int // of a client that shows all of the window, with its status lines
	others  bool   // somebody else looks whose screen counts
	name    string // of the view's client; "" before it is attached
	size    [2]int // of the view's client
	follows bool   // the view's client does not count for the window
}

// seen waits until the view's client is attached.
func (v *View) seen(ctx context.Context) (situation, error) {
	for until := time.Now().Add(patience); ; {
		now, err := v.situation(ctx)
		if err != nil || now.name != "" {
			return now, err
		}
		select {
		case <-ctx.Done():
			return now, ctx.Err()
		case <-v.ended:
			return now, io.EOF
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(until) {
			return now, errors.New("tmux does not show it")
		}
	}
}

func (v *View) situation(ctx context.Context) (now situation, err error) {
	out, err := v.r.tmux(ctx, "display-message", "-p", "-t", "="+v.address+":", "#{window_width} #{window_height} #{status}", ";",
		"list-clients", "-t", "="+v.address, "-F", "#{client_pid} #{client_width} #{client_height} #{client_name} #{client_flags}")
	if err != nil {
		return now, err
	}
	window, clients, _ := strings.Cut(out, "\n")
	status := ""
	if n, err := fmt.Sscan(window, &now.window[0], &now.window[1], &status); n < 2 {
		return now, fmt.Errorf("tmux says how large the window is as %q: %w", window, err)
	}
	lines := 0
	if status == "on" {
		lines = 1
	} else if status != "off" {
		fmt.Sscan(status, &lines)
	}
	now.window[1] += lines
	for line := range strings.Lines(clients) {
		var pid int
		var size [2]int
		var name, flags string
		if n, err := fmt.Sscan(line, &pid, &size[0], &size[1], &name, &flags); n < 4 {
			return now, fmt.Errorf("tmux says who looks as %q: %w", line, err)
		}
		follows := strings.Contains(flags, "ignore-size")
		switch {
		case v.cmd != nil && pid == v.cmd.Process.Pid:
			now.name, now.size, now.follows = name, size, follows
		case !follows:
			now.others = true
		}
	}
	return now, nil
}

// Close takes the client away. The session goes on.
func (v *View) Close() error {
	err := v.f.Close() // tmux ends its client when the terminal goes
	select {
	case <-v.ended:
	default:
		v.cmd.Process.Kill()
		<-v.ended
	}
	return err
}
