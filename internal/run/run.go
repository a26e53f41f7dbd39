// Package run starts other programs and always ends them: each in a process group of its own, for a bounded time, with
// bounded output and an environment that the caller chose.
//
// Invariants:
//   - Nothing of this process's environment reaches a program unless the caller passes it.
//   - When Do returns, no process of the group runs. A process that left the group (setsid) is not ours to end.
//   - On Linux, a program is asked to end when the process that started it is killed, unless it may outlive it.
//   - A group is only signalled while its first process is not reaped, so that nobody else has the group's number.
package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Defaults of a Program.
const (
	DefaultGrace  = 2 * time.Second
	DefaultOutput = 1 << 20 // bytes
)

// Program is one call of a program.
type Program struct {
	Argv    []string // the program's path or its name on the caller's PATH, then its arguments
	Dir     string
	Env     []string  // all of it; empty is an empty environment
	Stdin   io.Reader // nil is an empty input
	Live    io.Writer // also gets stdout and stderr, all of them and as they come; nil is nobody
	Timeout time.Duration
	Grace   time.Duration // between the request to end and the kill; 0 is DefaultGrace
	Output  int           // bytes kept of stdout and of stderr; 0 is DefaultOutput
	// Outlive lets the program go on when the process that started it is killed: for a step that must not end half done.
	Outlive bool
}

// Result is how a program ended.
type Result struct {
	Stdout, Stderr []byte
	Cut            bool // there was more output than was kept
	Code           int  // -1 after a signal
}

// ErrTimeout says that the program did not end within its time and was ended.
var ErrTimeout = errors.New("did not end in time")

// Do starts p and waits for its end. An exit code other than 0 is no error. The error is ErrTimeout, that of ctx, or
// why p could not be started.
func Do(ctx context.Context, p Program) (Result, error) {
	if len(p.Argv) == 0 {
		return Result{}, errors.New("no program is named")
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	var turn sync.Mutex
	out, errs := &kept{max: or(p.Output, DefaultOutput), live: p.Live, turn: &turn}, &kept{max: or(p.Output, DefaultOutput), live: p.Live, turn: &turn}
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Dir, p.Stdin, out, errs
	cmd.Env = append([]string{}, p.Env...) // nil would be this process's own
	cmd.WaitDelay = time.Second            // a process outside of the group may hold the pipes
	ownGroup(cmd, p.Outlive)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	why := await(ctx, cmd, p)
	err := cmd.Wait()
	r := Result{Stdout: out.b.Bytes(), Stderr: errs.b.Bytes(), Cut: out.cut || errs.cut, Code: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	switch {
	case why != nil:
		return r, fmt.Errorf("%s: %w", p.Argv[0], why)
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return r, err
	}
	return r, nil
}

// await returns when the program has ended but is not reaped, and its group with it; it says why it was ended.
func await(ctx context.Context, cmd *exec.Cmd, p Program) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		waitUnreaped(cmd)
	}()
	var late <-chan time.Time
	if p.Timeout > 0 {
		timer := time.NewTimer(p.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	var why error
	select {
	case <-ended:
	case <-ctx.Done():
		why = ctx.Err()
	case <-late:
		why = ErrTimeout
	}
	if why != nil {
		endGroup(cmd)
		grace := time.NewTimer(or(p.Grace, DefaultGrace))
		defer grace.Stop()
		select {
		case <-ended:
		case <-grace.C:
		}
	}
	killGroup(cmd)
	<-ended
	return why
}

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// kept keeps the first max bytes, and reads the rest so that the writer never blocks.
type kept struct {
	b    bytes.Buffer
	max  int
	cut  bool
	live io.Writer
	turn *sync.Mutex // of stdout and stderr, which come at once
}

func (k *kept) Write(p []byte) (int, error) {
	if k.live != nil {
		k.turn.Lock()
		k.live.Write(p) // a reader that has gone away is not the program's trouble
		k.turn.Unlock()
	}
	room := k.max - k.b.Len()
	if len(p) > room {
		k.cut = true
		k.b.Write(p[:room])
	} else {
		k.b.Write(p)
	}
	return len(p), nil
}

// plainNames are the variables that any program may see: where things are, and how to speak to the person.
var plainNames = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "COLORTERM", "NO_COLOR",
	"SystemRoot", "SYSTEMROOT", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
}

// Clean picks from environ the variables that any program may see: places, languages, the terminal. more names further
// ones; a name that ends in * stands for all that begin so.
func Clean(environ []string, more ...string) []string {
	var env []string
	for _, kv := range environ {
		name, _, ok := strings.Cut(kv, "=")
		if ok && (Matches(name, plainNames) || Matches(name, more) || Matches(name, []string{"LC_*", "XDG_*"})) {
			env = append(env, kv)
		}
	}
	return env
}

// Matches reports whether one of the names, which may end in *, is name.
func Matches(name string, names []string) bool {
	for _, n := range names {
		if begin, ok := strings.CutSuffix(n, "*"); n == name || ok && strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}
