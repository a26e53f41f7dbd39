package tmux

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/creack/pty"
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

	mu         sync.Mutex
	cols, rows int // that its reader has room for; 0 without keys
	follows    bool
	at         [2]int
}

// View opens a client. Without keys nothing that is written to it reaches the session.
func (r *Runtime) View(ctx context.Context, address string, keys bool) (*View, error) {
	v := &View{r: r, address: address, keys: keys, ended: make(chan struct{}), follows: true}
	size, err := v.window(ctx)
	if err != nil {
		return nil, err
	}
	flags := "ignore-size"
	if !keys {
		flags += ",read-only"
	}
	v.cmd = exec.Command("tmux", "-u", "-L", socket, "attach-session", "-t", "="+address, "-f", flags)
	v.cmd.Env = append(append([]string{}, r.env...), "TERM=xterm-256color")
	if v.f, err = pty.StartWithSize(v.cmd, &pty.Winsize{Cols: uint16(size[0]), Rows: uint16(size[1])}); err != nil {
		return nil, err
	}
	v.at = size
	go func() {
		v.cmd.Wait()
		close(v.ended)
	}()
	return v, nil
}

// window is the size that a client needs to show all of the session's window, with its status lines.
func (v *View) window(ctx context.Context) (size [2]int, err error) {
	out, err := v.r.tmux(ctx, "display-message", "-p", "-t", "="+v.address+":", "#{window_width} #{window_height} #{status}")
	if err != nil {
		return size, err
	}
	status := ""
	if n, err := fmt.Sscan(out, &size[0], &size[1], &status); n < 2 {
		return size, fmt.Errorf("tmux says how large the window is as %q: %w", out, err)
	}
	lines := 0
	if status == "on" {
		lines = 1
	} else if status != "off" {
		fmt.Sscan(status, &lines)
	}
	size[1] += lines
	return size, nil
}

// others reports whether somebody else looks at the session whose screen counts.
func (v *View) others(ctx context.Context) (bool, error) {
	out, err := v.r.tmux(ctx, "list-clients", "-t", "="+v.address, "-F", "#{client_pid} #{client_flags}")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(out) {
		pid, flags, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pid != fmt.Sprint(v.cmd.Process.Pid) && !strings.Contains(flags, "ignore-size") {
			return true, nil
		}
	}
	return false, nil
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
		v.cols, v.rows = min(max(cols, minCols), maxCols), min(max(rows, minRows), maxRows)
	}
}

// Settle takes the size that is right now, and returns it: that of the window, or its reader's if nobody else looks.
func (v *View) Settle(ctx context.Context) (cols, rows int, err error) {
	others, err := v.others(ctx)
	if err != nil {
		return 0, 0, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	follows := !v.keys || others || v.cols == 0
	if follows != v.follows {
		flag := "ignore-size"
		if !follows {
			flag = "!ignore-size"
		}
		if err := v.flag(ctx, flag); err != nil {
			return 0, 0, err
		}
		v.follows = follows
	}
	size := [2]int{v.cols, v.rows}
	if follows {
		if size, err = v.window(ctx); err != nil {
			return 0, 0, err
		}
	}
	if size != v.at {
		if err := pty.Setsize(v.f, &pty.Winsize{Cols: uint16(size[0]), Rows: uint16(size[1])}); err != nil {
			return 0, 0, err
		}
		v.at = size
	}
	return size[0], size[1], nil
}

// flag sets or takes off a flag of this client.
func (v *View) flag(ctx context.Context, flag string) error {
	out, err := v.r.tmux(ctx, "list-clients", "-t", "="+v.address, "-F", "#{client_pid} #{client_name}")
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		if pid, name, _ := strings.Cut(strings.TrimSpace(line), " "); pid == fmt.Sprint(v.cmd.Process.Pid) {
			_, err := v.r.tmux(ctx, "refresh-client", "-t", name, "-f", flag)
			return err
		}
	}
	return io.EOF
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
