//go:build unix

package hold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"aburn/internal/proc"
)

// ErrGone says that nobody holds the generation any more.
var ErrGone = errors.New("the holder is gone")

// launchStep is how long one waits between two looks at a holder that begins. It takes a few milliseconds.
const launchStep = 500 * time.Microsecond

// Offer makes the pipe through which the holder of a generation will be told what to start.
func Offer(dir string, gen int) error { return syscall.Mkfifo(Path(dir, "launch", gen), 0o600) }

// Hand waits for the holder to open the pipe, then for all of ready, and tells it what to start. Nothing is told if one fails.
func Hand(ctx context.Context, dir string, gen int, l Launch, ready ...func() error) error {
	record, err := l.AppendTo(nil)
	if err != nil {
		return err
	}
	for {
		f, err := os.OpenFile(Path(dir, "launch", gen), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			defer f.Close()
			for _, is := range ready {
				if err := is(); err != nil {
					return err
				}
			}
			stop := context.AfterFunc(ctx, func() { f.SetWriteDeadline(time.Now()) })
			defer stop()
			_, err = f.Write(record)
			return err
		}
		if !errors.Is(err, syscall.ENXIO) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(launchStep):
		}
	}
}

// Await waits, after Hand, until the agent of a generation runs or has ended. The error is ErrGone if the holder ended
// without having started it.
func Await(ctx context.Context, dir string, gen int) (Began, error) {
	for {
		held, err := Held(dir, gen)
		_, taken := os.Lstat(Path(dir, "launch", gen))
		gone := err == nil && !held && errors.Is(taken, fs.ErrNotExist) // looked at before the files are
		b, err := ReadBegan(dir, gen)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return b, err
		}
		if e, err := ReadEnded(dir, gen); err == nil {
			if e.Why != "" {
				return b, errors.New(e.Why)
			}
			return Began{Agent: e.Agent, Host: e.Host, Boot: e.Boot, At: e.At, Up: e.Up}, nil
		}
		if gone {
			return b, ErrGone
		}
		select {
		case <-ctx.Done():
			return b, ctx.Err()
		case <-time.After(launchStep):
		}
	}
}

// openControl opens the pipe on which a living holder listens. No process number is involved, so it reaches the holder
// or nobody.
func openControl(dir string, gen int) (*os.File, error) {
	f, err := os.OpenFile(Path(dir, "control", gen), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) || errors.Is(err, fs.ErrNotExist) {
		return nil, ErrGone
	}
	return f, err
}

// Held reports whether a generation has a living holder. An error means that it is not known.
func Held(dir string, gen int) (bool, error) {
	// Around package os, whose files set up the runtime's poller: a look at workers asks about hundreds.
	fd, err := -1, error(syscall.EINTR)
	for errors.Is(err, syscall.EINTR) {
		fd, err = syscall.Open(Path(dir, "control", gen), syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	}
	switch {
	case errors.Is(err, syscall.ENXIO) || errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, syscall.Close(fd)
}

// End asks the holder to end its agent, and waits until the tree is gone. The error is ErrGone if nobody holds it.
func End(ctx context.Context, dir string, gen int) error {
	if err := request(dir, gen, askEnd); err != nil {
		return err
	}
	for {
		held, err := Held(dir, gen)
		if err != nil || !held {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Spare has the holders of a worker, whose folder is dir, leave a process alone that one of its agents began: another worker's holder.
func Spare(dir string, p proc.Process) error {
	f, err := os.OpenFile(filepath.Join(dir, sparedName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(process(p) + "\n")
	return errors.Join(err, f.Close())
}

// EndRest ends what Find finds, asking first, until nothing is found or ctx is done. It says how many processes these were.
func EndRest(ctx context.Context, r Rest) (n int, err error) {
	began, host := time.Now(), proc.Host()
	told := map[proc.Process]bool{}
	for none := 0; ; {
		left := r.Find()
		if none++; len(left) > 0 {
			none = 0
		} else if none == 2 { // one look may miss what begins in the middle of it
			return len(told), nil
		}
		for _, p := range left {
			if time.Since(began) > sweepGrace {
				signalExactly(p, host, syscall.SIGKILL)
			} else if !told[p] {
				signalExactly(p, host, syscall.SIGTERM)
				signalExactly(p, host, syscall.SIGCONT) // a stopped one ends too
			}
			told[p] = true
		}
		select {
		case <-ctx.Done():
			if len(left) > 0 {
				return len(told), fmt.Errorf("process %d does not end", left[0].PID)
			}
			return len(told), ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// signalExactly takes hold of the process before it looks whether it is the one that was meant (Go uses a pidfd), so a
// number that is used again leads to nobody.
func signalExactly(p proc.Process, host string, s syscall.Signal) {
	held, err := os.FindProcess(p.PID)
	if err != nil {
		return
	}
	defer held.Release()
	if proc.Of(p, host) == proc.Runs {
		held.Signal(s)
	}
}
