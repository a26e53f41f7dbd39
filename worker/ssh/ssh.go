// Package ssh speaks to the aburn and the git of another machine, over the person's own ssh with all that its configuration says.
// It never asks for a password: who has to type one takes an agent or a shared connection of ssh's. A host without a name is this
// machine, and no ssh is involved.
package ssh

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

// Host is a machine, by the name that ssh knows.
type Host struct {
	Name  string
	Env   []string      // of ssh, or of what runs here
	Works time.Duration // how much longer than usual a call may take
}

// ErrLost says that the machine cannot be asked, or that the line was lost: what was asked for may have been done or not.
var ErrLost = errors.New("no answer")

// patience is for one call; connectTime for a machine that is not there.
const (
	patience    = 2 * time.Minute
	connectTime = "10"
)

// options keep ssh from asking at a terminal, and from waiting for ever on a line that is dead.
var options = []string{"-o", "BatchMode=yes", "-o", "ConnectTimeout=" + connectTime, "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"}

// lost is ssh's own exit code.
const lost = 255

// Valid says what is wrong with a machine's name. It is an argument of ssh, and must not be taken for an option or a command.
func Valid(name string) error {
	rest := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@")
	if name == "" || len(name) > 100 || rest != "" || name[0] == '-' || name[0] == '@' {
		return errors.New("a host is a name of ssh's: letters, digits, and . _ - @ not at the beginning")
	}
	return nil
}

// Quote makes words into a line for the shell there.
func Quote(words ...string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("'" + strings.ReplaceAll(w, "'", `'\''`) + "'")
	}
	return b.String()
}

// path is where people put programs that a shell without a login does not find.
const path = `PATH="$HOME/.local/bin:$HOME/go/bin:/usr/local/bin:$PATH"; export PATH; `

// Do runs a command of the machine's shell. An error is ErrLost, or of this machine; what the command said of itself stands in
// the result.
func (h Host) Do(ctx context.Context, stdin io.Reader, command string) (run.Result, error) {
	if h.Name == "" {
		return run.Do(ctx, run.Program{Argv: []string{"/bin/sh", "-c", command}, Env: h.Env, Timeout: patience + h.Works, Stdin: stdin})
	}
	if err := Valid(h.Name); err != nil {
		return run.Result{}, err
	}
	argv := append(append([]string{"ssh", "-T"}, options...), "--", h.Name, path+command)
	r, err := run.Do(ctx, run.Program{Argv: argv, Env: h.Env, Timeout: patience + h.Works, Stdin: stdin})
	switch {
	case errors.Is(err, run.ErrTimeout) || err == nil && r.Code == lost && lastLine(r.Stderr) == "": // a LogLevel of ERROR hides that a line was closed
		return r, fmt.Errorf("%w from %s", ErrLost, h.Name)
	case err == nil && r.Code == lost:
		return r, fmt.Errorf("%w from %s: %s", ErrLost, h.Name, lastLine(r.Stderr))
	}
	return r, err
}

func lastLine(text []byte) string {
	s := strings.TrimSpace(string(text))
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// Aburn is the command that runs aburn there, in a repository.
func Aburn(dir string, args ...string) string {
	return "exec aburn -C " + Quote(append([]string{dir}, args...)...)
}

// Sit runs aburn there at this terminal, until the person leaves.
func (h Host) Sit(dir string, args ...string) error {
	cmd := exec.Command("/bin/sh", "-c", Aburn(dir, args...))
	if h.Name != "" {
		if err := Valid(h.Name); err != nil {
			return err
		}
		cmd = exec.Command("ssh", "-t", "--", h.Name, path+Aburn(dir, args...))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, h.Env
	return cmd.Run()
}

// prepare makes a repository, which gets its commits by push and has nothing checked out. Its hooks are none. Several may prepare
// at once, and git's own locks do not wait: what fails is tried again. A process that was killed in between leaves nothing that
// the next one cannot finish. Only what differs is written. One git init may write HEAD behind another's end, so each writes the
// same (symbolic-ref is for a git before 2.28), and the file aburn-made says that one has ended.
const prepare = `umask 077
command -v aburn >/dev/null || { echo "there is no aburn on PATH" >&2; exit 7; }
command -v git >/dev/null || { echo "there is no git on PATH" >&2; exit 7; }
dir="${XDG_STATE_HOME:-$HOME/.local/state}/aburn/far/$1"
mkdir -p "$dir" && cd "$dir" || exit 7
is() { [ "$(git config --local "$1")" = "$2" ] || git config "$1" "$2"; }
head=refs/heads/aburn-far
repository() {
	[ -e .git/aburn-made ] && [ "$(git --git-dir=.git symbolic-ref -q HEAD)" = $head ] ||
		{ git -c init.defaultBranch=aburn-far init -q --template= . && git symbolic-ref HEAD $head && : > .git/aburn-made; } || return
	is user.name "$2" && is user.email "$3"
}
tries=0
until repository "$@"; do
	tries=$((tries + 1))
	[ $tries -lt 10 ] || exit 7
	sleep 1
done
aburn init >/dev/null || exit 7
pwd -P
`

// Prepare makes the repository in which workers of a project stand there, and returns its place. Who commits there is called as here.
func (h Host) Prepare(ctx context.Context, key, name, email string) (dir string, err error) {
	r, err := h.Do(ctx, strings.NewReader(prepare), "exec sh -s -- "+Quote(key, name, email))
	if err != nil {
		return "", err
	}
	if r.Code != 0 {
		return "", fmt.Errorf("%s: %s", h, lastLine(r.Stderr))
	}
	dir = strings.TrimSpace(string(r.Stdout))
	if dir = dir[strings.LastIndexByte(dir, '\n')+1:]; !strings.HasPrefix(dir, "/") {
		return "", fmt.Errorf("%s says no place of a repository: does its shell print at its start?", h)
	}
	return dir, nil
}

// String is the host for a person.
func (h Host) String() string {
	if h.Name == "" {
		return "this machine"
	}
	return h.Name
}

// Remote is the repository as git names it, and what git has to call for it.
func (h Host) Remote(dir string) (url string, env []string) {
	if h.Name == "" {
		return dir, nil
	}
	return "ssh://" + h.Name + strings.ReplaceAll(dir, " ", "%20"), append(h.Env[:len(h.Env):len(h.Env)], "GIT_SSH_COMMAND=ssh "+strings.Join(options, " "))
}
