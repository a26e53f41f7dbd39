// Package git calls git's command line. No call of ours runs a file system monitor that a repository names, or a hook that
// no person asked for, asks for a password, or is led astray by the caller's GIT_ variables. A call that only looks takes no lock,
// and one that meets another git's lock waits for it (busy.go).
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"aburn/internal/run"
)

// hangs is when a git is given up; checking out a large tree takes minutes.
const hangs = 10 * time.Minute

// maxOutput bounds what git may print, in bytes: lists of files.
const maxOutput = 256 << 20

// Git is git in one folder.
type Git struct {
	Dir     string
	env     []string
	hooks   bool
	outlive bool
	wait    wait
}

// In is git in dir with the places and the language of environ.
func In(dir string, environ []string) *Git {
	env := run.Clean(environ, "SSH_AUTH_SOCK")
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0")
	return &Git{Dir: dir, env: env, wait: wait{busyPatience, pause}}
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

// Impatient is the same git, which hardly waits for others: for what can be done under another name.
func (g *Git) Impatient() *Git {
	now := *g
	now.wait.most = 0
	return &now
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

// Unfiltered is the same git without the filters that the repository's own configuration names:
// status and diff would start them. Those of the user's own configuration stay.
func (g *Git) Unfiltered(ctx context.Context) (*Git, error) {
	code, out, err := g.Code(ctx, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil || code != 0 { // 1: there are none; others: the next call tells
		return g, err
	}
	var set []string
	list := SplitNul(out)
	for i := 0; i+1 < len(list); i += 2 {
		if scope := list[i]; scope == "local" || scope == "worktree" {
			name := list[i+1][:strings.LastIndexByte(list[i+1], '.')]
			set = append(set, name+".clean", "", name+".smudge", "", name+".process", "", name+".required", "false")
		}
	}
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(set)/2)}
	for i := 0; i < len(set); i += 2 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i/2, set[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i/2, set[i+1]))
	}
	return g.With(env...), nil
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
	return g.Feed(ctx, "", args...)
}

// Feed is Out with an input.
func (g *Git) Feed(ctx context.Context, in string, args ...string) (string, error) {
	r, err := g.run(ctx, in, args)
	if err != nil {
		return "", err
	}
	if r.Code != 0 {
		return "", &Error{args, r.Code, firstLine(r.Stderr)}
	}
	return strings.TrimSuffix(string(r.Stdout), "\n"), nil
}

// Bytes is Out with the last newline: a file may end in one or not.
func (g *Git) Bytes(ctx context.Context, args ...string) ([]byte, error) {
	r, err := g.run(ctx, "", args)
	if err == nil && r.Code != 0 {
		err = &Error{args, r.Code, firstLine(r.Stderr)}
	}
	if err != nil {
		return nil, err
	}
	return append([]byte{}, r.Stdout...), nil
}

// Code runs git and returns its exit code with its output; only a git that could not run is an error.
func (g *Git) Code(ctx context.Context, args ...string) (code int, out string, err error) {
	r, err := g.run(ctx, "", args)
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

func (g *Git) once(ctx context.Context, in string, args []string) (run.Result, error) {
	patience := strconv.FormatInt(g.wait.most.Milliseconds(), 10)
	all := []string{
		"git", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "core.quotePath=false", "-c", "commit.gpgSign=false", "-c", "advice.detachedHead=false",
		"-c", "core.filesRefLockTimeout=" + patience, "-c", "core.packedRefsTimeout=" + patience,
	}
	if !g.hooks {
		all = append(all, "-c", "core.hooksPath="+os.DevNull)
	}
	all = append(all, args...)
	p := run.Program{Argv: all, Dir: g.Dir, Env: g.env, Timeout: hangs, Output: maxOutput, Outlive: g.outlive}
	if in != "" {
		p.Stdin = strings.NewReader(in)
	}
	r, err := run.Do(ctx, p)
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
