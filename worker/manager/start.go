package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"aburn/internal/hold"
	"aburn/internal/run"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

// Start runs the agent and returns when it runs. In the person's own terminal, attached is the holder's process, and the
// caller waits for it. What Prepare made is undone if the agent does not run.
func Start(ctx context.Context, c *Manager, repo *tree.Repo, s *Spawned, p Plan) (attached *exec.Cmd, err error) {
	defer s.release()
	if attached, err = runAgent(ctx, c, s, p); err != nil {
		undoSpawn(ctx, c, repo, s, err)
	}
	return attached, err
}

// runAgent starts the holder of a generation, and returns when the agent runs. If it does not, nothing of it runs.
func runAgent(ctx context.Context, c *Manager, s *Spawned, p Plan) (attached *exec.Cmd, err error) {
	book := c.Store.Book(s.Name)
	if err = hold.Offer(book.Dir, s.gen); err != nil {
		return nil, err
	}
	mark := markOf(c, s.Name, s.id)
	ready := ledger.Entry{
		Fact:   worker.Fact{Kind: worker.Prepared, Gen: s.gen, Hooks: p.Hooked},
		Detail: ledger.Detail{Session: s.Session, Mark: mark},
	}
	argv := []string{c.Holder, book.Dir, strconv.Itoa(s.gen)}
	launch := hold.Launch{
		Lines: p.Lines, Dir: s.Folder, Argv: append([]string{p.Program}, s.Launch.Args...),
		Env: append(run.Clean(c.Environ, append(append(p.Agent.Variables(), toolVariables...), p.Pass...)...), hold.MarkVariable+"="+mark),
	}
	launch.Env = append(append(launch.Env, s.Launch.Env...), s.Env...)
	if p.Held {
		launch.Size = hold.Size{Cols: slot.Width, Rows: slot.Height}
		launch.Env = slices.DeleteFunc(launch.Env, func(kv string) bool { return strings.HasPrefix(kv, "TERM=") || strings.HasPrefix(kv, "COLORTERM=") })
		launch.Env = append(launch.Env, "TERM=xterm-256color", "COLORTERM=truecolor")
	}
	if !p.Hooked {
		launch.Env = noticePushes(book.Dir, launch.Env)
	}
	if c.After != nil {
		launch.After, launch.Waited = c.After(s.Name), p.Runtime == nil
	}
	if p.Runtime == nil {
		attached = exec.Command(argv[0], argv[1:]...)
		attached.Stdin, attached.Stdout, attached.Stderr = os.Stdin, os.Stdout, os.Stderr
		attached.Env = c.Environ
		err = attached.Start()
	} else {
		ready.Server = p.Runtime.Server()
		name := c.Store.Key + "-" + s.Name
		if s.gen > 1 {
			name += "-" + strconv.Itoa(s.gen) // the former one may not be gone yet
		}
		ready.Address, err = p.Runtime.Start(ctx, name, s.Folder, argv)
	}
	if err != nil {
		return nil, err
	}
	written := sync.OnceValue(func() error { return book.Append(ready) })
	go written() // while the holder begins
	err = handToHolder(ctx, c, book, s.gen, launch, written)
	err = cmp.Or(written(), err) // nobody touches the ledger from here on
	if err == nil && p.Parent != nil {
		err = outliveParent(c, book, s.gen, p.Parent)
	}
	if err != nil {
		abortStart(ctx, c, book, s, attached)
	}
	return attached, err
}

// abortStart ends all of a launch that failed: by its holder, and if that hangs without it.
func abortStart(ctx context.Context, c *Manager, book *ledger.Book, s *Spawned, attached *exec.Cmd) {
	ended := endWithin(ctx, book.Dir, s.gen)
	if attached != nil {
		attached.Process.Kill()
		attached.Wait()
	}
	if ended != nil && !errors.Is(ended, hold.ErrGone) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		hold.EndRest(ctx, hold.Rest{Dir: book.Dir, Marks: []string{markOf(c, s.Name, s.id)}})
	}
}

// outliveParent has a worker go on when the one that began it ends, whose holder would end it with all else. Killed before, it ends with it.
func outliveParent(c *Manager, book *ledger.Book, gen int, parent *Member) error {
	began, err := hold.ReadBegan(book.Dir, gen)
	if err != nil {
		return err
	}
	return hold.Spare(c.Store.Book(parent.Name).Dir, began.Holder)
}

// handToHolder tells the holder what to start once ready has written that it may.
func handToHolder(ctx context.Context, c *Manager, book *ledger.Book, gen int, l hold.Launch, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := hold.Hand(ctx, book.Dir, gen, l, ready); err != nil {
		return fmt.Errorf("%s does not run: %w", c.Holder, err)
	}
	_, err := hold.Await(ctx, book.Dir, gen)
	if errors.Is(err, hold.ErrGone) {
		return fmt.Errorf("%w, and did not start the agent: is there no space left in %s?", err, book.Dir)
	}
	if err != nil {
		return fmt.Errorf("%s does not run: %w", l.Argv[0], err)
	}
	_, err = book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) { return late(book, l), nil })
	return err
}

// toolVariables are the variables of compilers, package managers and networks, without which the same commands would do
// something else in a worker than in the person's shell.
var toolVariables = []string{
	"EDITOR", "VISUAL", "PAGER", "TERM_PROGRAM*", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_TTY", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy", "SSL_CERT_*", "CURL_CA_BUNDLE",
	"REQUESTS_CA_BUNDLE",
	"GOPATH", "GOROOT", "GOBIN", "GOPROXY", "GOPRIVATE", "GOFLAGS", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN", "CGO_*", "CC", "CXX", "JAVA_HOME", "MAVEN_*",
	"GRADLE_*",
	"NODE_*", "NVM_*", "FNM_*", "VOLTA_HOME", "npm_config_*", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR", "VIRTUAL_ENV", "CONDA_*", "PYENV_*", "PYTHONPATH", "UV_*",
	"RUSTUP_*", "CARGO_*", "RBENV_*", "GEM_*", "BUNDLE_*", "ASDF_*", "MISE_*", "NIX_*", "DOCKER_*", "KUBECONFIG", "ANDROID_*", "SDKMAN_*", "DOTNET_*",
	"PKG_CONFIG_PATH",
	"LD_LIBRARY_PATH", "MANPATH", "INFOPATH", "CI", "ABURN", "ABURN_PROJECT_DIR",
}

// ParseMark reads what mark made: the project's key, the worker's name and the session that it was started with.
func ParseMark(mark string) (key, name, session string, ok bool) {
	parts := strings.Split(mark, "/")
	if len(parts) != 3 || parts[0] == "" || ledger.ValidName(parts[1]) != nil {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// markOf is in the environment of everything that a worker starts.
func markOf(c *Manager, name string, session string) string {
	return c.Store.Key + "/" + name + "/" + session
}
