package projects

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"time"

	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/internal/shell"
	"aburn/internal/workspace"
	"aburn/worker/agents"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/pty"
	"aburn/worker/tmux"
)

// Project is an open project: its workers, its files, and what its configuration says.
type Project struct {
	*manager.Manager
	Workspace *workspace.Workspace
	Dir       string // of -C
	Tmux      *tmux.Runtime
	Env       func(string) string
	ReadyFor  func() time.Duration // what readyThresholdMs says; 0 is the usual
}

// OpenAt opens the project around a folder.
func OpenAt(env func(string) string, caller *workspace.Caller, dir string) (*Project, error) {
	caller.Dir = dir
	ws, err := workspace.Open(caller)
	if err != nil {
		return nil, err
	}
	store, err := ledger.Open(ws.Root, env)
	if err != nil {
		ws.Close()
		return nil, fault.Usage(err.Error())
	}
	o := &Project{Workspace: ws, Dir: dir, Env: env}
	o.Manager = &manager.Manager{Root: ws.Root, Store: store, Log: ws.Log, Environ: os.Environ(), Agents: agents.All(), Oss: ws.Oss}
	if key, err := ws.Key(); err == nil {
		o.Queue = queue.New(ws.Oss, key)
	}
	o.Checkout = Checkout(ws, env)
	o.Ask = func(ctx context.Context, host, dir string, names []string) ([]manager.News, error) {
		return manager.AskRemote(ctx, o.Manager, host, dir, names)
	}
	o.Try = func(ctx context.Context, m *manager.Member, order manager.RemoteGates) (manager.RemoteVerdict, error) {
		return manager.TryGatesRemote(ctx, o.Manager, m, order)
	}
	o.Runtimes = []manager.Runtime{pty.Runtime{Env: o.Environ}}
	if r, ok := tmux.New(o.Environ); ok {
		o.Tmux = r
		o.Runtimes = append(o.Runtimes, r)
	}
	o.Self = "aburn"
	if self, err := os.Executable(); err == nil {
		if _, err := exec.LookPath(o.Self); err != nil {
			o.Self = shell.Quote(self)
		}
		o.After = func(name string) []string { return []string{self, "-C", ws.Root, "snapshots", "--take", name} }
	}
	o.ReadyFor = sync.OnceValue(func() time.Duration {
		c, err := o.Config("")
		if err != nil {
			return 0
		}
		return c.ReadyFor()
	})
	o.Snapshots = func() int {
		c, err := o.Config("")
		if err != nil {
			return 0 // another command says what is wrong with the file
		}
		return c.Number("snapshots")
	}
	return o, nil
}

// Checkout is the root of the main checkout of the project's repository.
func Checkout(ws *workspace.Workspace, env func(string) string) string {
	_, root := project.Checkout(ws.Root, env)
	return root
}

// Close closes the files of the project.
func (o *Project) Close() { o.Workspace.Close() }

// CallerOf is who asks about a project while no person does.
func CallerOf(env func(string) string, root string) *workspace.Caller {
	return workspace.Quiet(root, env, time.Now())
}

// Open opens the project at root, whatever project this process stands in.
func Open(env func(string) string, root string) (*Project, error) {
	c := CallerOf(env, root)
	c.Env = func(name string) string {
		if name == "ABURN_PROJECT_DIR" {
			return ""
		}
		return env(name)
	}
	o, err := OpenAt(env, c, root)
	if err == nil && o.Root != root {
		o.Close()
		err = fs.ErrNotExist
	}
	return o, err
}
