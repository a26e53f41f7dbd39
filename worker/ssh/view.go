package ssh

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"sync"

	"github.com/creack/pty"

	"aburn/internal/run"
)

// View is a terminal of a worker on another machine, for somebody who looks at it on a page: aburn attach there, at a terminal of
// this machine that nobody sees.
type View struct {
	f     *os.File
	cmd   *exec.Cmd
	keys  bool
	ended chan struct{}

	mu         sync.Mutex
	cols, rows int
}

// leave is what aburn attach takes for the beginning of a wish to leave. Twice it is itself.
const leave = 0x02

// View opens a worker's terminal, whose size is known. Without keys nothing that is written to it reaches the agent.
func (h Host) View(dir, name string, cols, rows int, keys bool) (*View, error) {
	if err := Valid(h.Name); err != nil {
		return nil, err
	}
	args := []string{"attach", name}
	if !keys {
		args = []string{"attach", "--read-only", name}
	}
	argv := append(append([]string{"-tt"}, options...), "--", h.Name, path+Aburn(dir, args...))
	v := &View{cmd: exec.Command("ssh", argv...), keys: keys, cols: cols, rows: rows, ended: make(chan struct{})}
	v.cmd.Env = append(h.Env[:len(h.Env):len(h.Env)], "TERM=xterm-256color")
	var err error
	err = run.Resizable(func() error {
		v.f, err = pty.StartWithSize(v.cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
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
	_, err := v.f.Write(bytes.ReplaceAll(p, []byte{leave}, []byte{leave, leave}))
	return len(p), err
}

// Fit says how much room its reader has: whoever types decides the size.
func (v *View) Fit(cols, rows int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys {
		v.cols, v.rows = min(max(cols, minCols), maxCols), min(max(rows, minRows), maxRows)
	}
}

// The bounds of a size that a reader may ask for.
const minCols, minRows, maxCols, maxRows = 20, 5, 500, 200

// Settle takes the size. It says it first, so that nothing drawn for it comes sooner. That somebody else changed it is seen when the
// page is opened again.
func (v *View) Settle(_ context.Context, say func(cols, rows int) error) error {
	select {
	case <-v.ended:
		return ErrLost
	default:
	}
	v.mu.Lock()
	cols, rows := v.cols, v.rows
	v.mu.Unlock()
	if err := say(cols, rows); err != nil {
		return err
	}
	return pty.Setsize(v.f, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
}

// Close ends the looking. The agent goes on.
func (v *View) Close() error {
	v.cmd.Process.Kill()
	<-v.ended
	return v.f.Close()
}
