// Package git calls git's command line. No call of ours runs a file system monitor that a repository names, or a hook that
// no person asked for, asks for a password, or is led astray by the caller's GIT_ variables.
package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"aburn/internal/run"
)

// patience is for a git that hangs; checking out a large tree takes minutes.
const patience = 10 * time.Minute

// maxOutput bounds what git may print, in bytes: lists of files.
const maxOutput = 256 << 20

// Git is git in one folder.
type Git struct {
	Dir     string
	env     []string
	hooks   bool
	outlive bool
}

// In is git in dir with the places and the language of environ.
func In(dir string, environ []string) *Git {
	env := run.Clean(environ, "SSH_AUTH_SOCK")
	return &Git{Dir: dir, env: append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_LITERAL_PATHSPECS=1")}
}

// At is the same git in another folder.
func (g *Git) At(dir string) *Git {
	at := *g
	at.Dir = dir
	return &at
}

// With is the same git with more variables.
func (g *Git) With(env ...string) *Git {
	with := *g
	with.env = append(g.env[:len(g.env):len(g.env)], env...)
	return &with
}

// Whole is the same git, which goes on if the caller is killed: for one call that changes files and a branch together.
// Let it print nothing, as nobody may read that.
func (g *Git) Whole() *Git {
	whole := *g
	whole.outlive = true
	return &whole
}

// Hooked is the same git with the repository's own hooks. Only a person may ask for them.
func (g *Git) Hooked() *Git {
	hooked := *g
	hooked.hooks = true
	return &hooked
}

// Error is a call of git that failed.
type Error struct {
	Args []string
	Code int
	Text string // the first line of what git said
}

func (e *Error) Error() string {
	return fmt.Sprintf("git %s: exit %d: %s", e.Args[0], e.Code, e.Text)
}

// ErrNone says that there is no git on PATH.
var ErrNone = errors.New("git is not installed")

// Out runs git and returns its output without the last newline.
func (g *Git) Out(ctx context.Context, args ...string) (string, error) {
	return g.Feed(ctx, nil, args...)
}

// Feed is Out with an input.
func (g *Git) Feed(ctx context.Context, in io.Reader, args ...string) (string, error) {
	r, err := g.run(ctx, in, args)
	if err != nil {
		return "", err
	}
	if r.Code != 0 {
		return "", &Error{args, r.Code, firstLine(r.Stderr)}
	}
	return strings.TrimSuffix(string(r.Stdout), "\n"), nil
}

// Code runs git and returns its exit code with its output; only a git that could not run is an error.
func (g *Git) Code(ctx context.Context, args ...string) (code int, out string, err error) {
	r, err := g.run(ctx, nil, args)
	return r.Code, strings.TrimSuffix(string(r.Stdout), "\n"), err
}

// List is Out for output that ends every item by a NUL.
func (g *Git) List(ctx context.Context, args ...string) ([]string, error) {
	out, err := g.Out(ctx, args...)
	return SplitNul(out), err
}

// SplitNul splits a list whose items end by NUL.
func SplitNul(list string) []string {
	if list = strings.TrimSuffix(list, "\x00"); list == "" {
		return nil
	}
	return strings.Split(list, "\x00")
}

func (g *Git) run(ctx context.Context, in io.Reader, args []string) (run.Result, error) {
	all := []string{
		"git", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "core.quotePath=false", "-c", "commit.gpgSign=false", "-c", "advice.detachedHead=false",
	}
	if !g.hooks {
		all = append(all, "-c", "core.hooksPath="+os.DevNull)
	}
	all = append(all, args...)
	r, err := run.Do(ctx, run.Program{Argv: all, Dir: g.Dir, Env: g.env, Stdin: in, Timeout: patience, Output: maxOutput, Outlive: g.outlive})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return r, ErrNone
	case err == nil && r.Cut:
		err = fmt.Errorf("git %s printed more than %d MiB", args[0], maxOutput>>20)
	}
	return r, err
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}
