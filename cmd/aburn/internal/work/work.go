// Package work is the commands about workers that are there: agents that aburn started, each in a worktree of its own. The
// order of steps is worker/crew's; what a person types and sees is here. How a worker begins, who looks after all of them, and
// what a page follows are packages beside it.
package work

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/internal/shell"
	"aburn/internal/workspace"
	"aburn/worker/agents"
	"aburn/worker/crew"
	"aburn/worker/ledger"
	"aburn/worker/pty"
	"aburn/worker/tmux"
	"aburn/worker/tree"
)

// Office is the project whose workers a command is about.
type Office struct {
	*crew.Crew
	Workspace *workspace.Workspace
	Dir       string // of -C
	Tmux      *tmux.Runtime
	Env       func(string) string
	ReadyFor  func() time.Duration // what readyThresholdMs says; 0 is the usual
}

func known(o *Office) []ledger.Named { return ledger.Known(o.Env) }

// OpenOffice finds the project around the current folder, and its workers.
func OpenOffice(a *kit.App, cmd *cli.Command) (*Office, error) {
	dir, err := folderOf(a, cmd)
	if err != nil {
		return nil, err
	}
	return officeAt(a.Getenv, scope.CallerOf(a, cmd), dir)
}

// officeAt is the project around a folder.
func officeAt(env func(string) string, caller *workspace.Caller, dir string) (*Office, error) {
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
	o := &Office{Workspace: ws, Dir: dir, Env: env}
	o.Crew = &crew.Crew{Root: ws.Root, Store: store, Log: ws.Log, Environ: os.Environ(), Agents: agents.All(), Oss: ws.Oss}
	if key, err := ws.Key(); err == nil {
		o.Queue = queue.New(ws.Oss, key)
	}
	o.Checkout = checkout(ws, env)
	o.Ask = func(ctx context.Context, host, dir string, names []string) ([]crew.News, error) {
		return askThere(ctx, o.Crew, host, dir, names)
	}
	o.Try = func(ctx context.Context, m *crew.Member, order crew.FarGates) (crew.FarVerdict, error) {
		return tryThere(ctx, o.Crew, m, order)
	}
	o.Runtimes = []crew.Runtime{pty.Runtime{Env: o.Environ}}
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

// checkout is the root of the main checkout of the project's repository.
func checkout(ws *workspace.Workspace, env func(string) string) string {
	_, root := project.Checkout(ws.Root, env)
	return root
}

// Close closes the files of the project.
func (o *Office) Close() { o.Workspace.Close() }

// Repository is the repository around dir.
func Repository(ctx context.Context, c *crew.Crew, dir string) (*tree.Repo, error) {
	r, err := tree.Open(ctx, dir, c.Environ)
	var problem *tree.Problem
	if errors.As(err, &problem) {
		return nil, fault.Usage(problem.Text, problem.Advice)
	}
	return r, err
}

// RepositoryOf is the repository whose worktree a worker's tree is.
func RepositoryOf(ctx context.Context, c *crew.Crew, m *crew.Member) (*tree.Repo, error) {
	if m.Request.Repo == "" {
		return nil, fault.Failed("the ledger of " + m.Name + " does not say which repository it works in")
	}
	return Repository(ctx, c, m.Request.Repo)
}

// Member is the worker that a word means.
func (o *Office) Member(ctx context.Context, word string) (*crew.Member, error) {
	name, err := o.Find(word)
	if err != nil {
		return nil, o.noSuch(word, err)
	}
	list, err := o.Look(ctx, name)
	if err == nil {
		err = list[0].Err
	}
	if err != nil {
		return nil, LedgerFailure(name, err)
	}
	return list[0], nil
}

func (o *Office) noSuch(word string, err error) error {
	var many *crew.ErrAmbiguous
	switch {
	case errors.As(err, &many):
		return fault.Usage(fault.Quote(word)+" may mean "+many.Names[0]+" or another worker", fault.DidYouMean("", many.Names)...)
	case errors.Is(err, ledger.ErrUnknown):
		names, _ := o.Store.Names()
		return fault.Usage("no worker is called "+fault.Quote(word), append(fault.DidYouMean(word, names), "aburn ps --all")...)
	}
	return fault.Failed(err.Error())
}

// LedgerFailure is the error that a person is told about a worker whose ledger cannot be used.
func LedgerFailure(name string, err error) error {
	if errors.Is(err, ledger.ErrVersion) {
		return fault.Failed("worker "+name+": "+err.Error(), "update aburn")
	}
	if errors.Is(err, ledger.ErrDamaged) || errors.Is(err, crew.ErrLost) {
		return fault.Failed("worker "+name+": "+err.Error(), "aburn ps shows what still runs of it")
	}
	return fault.Failed("worker " + name + ": " + err.Error())
}

// Program is the path of one of aburn's other executables: beside this one, or on PATH.
func Program(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			if path := filepath.Join(filepath.Dir(self), name); executable(path) {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fault.Failed("there is no "+name+", neither beside aburn nor on PATH", "install aburn anew: it comes with all of its executables, for one folder")
	}
	return path, nil
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// OneWorker requires exactly one argument, a worker.
func OneWorker(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return fault.Usage("name one worker", "aburn ps", cmd.FullName()+" --help")
	}
	return nil
}

// someWorkers requires at least one argument, a worker.
func someWorkers(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() == 0 {
		return fault.Usage("name a worker", "aburn ps")
	}
	return nil
}

// CompleteWorkers completes the names of workers.
func CompleteWorkers(a *kit.App) cli.ShellCompleteFunc {
	return a.CommandCompleter(func(cmd *cli.Command, _ int) []string {
		return WorkerNames(a, cmd)
	})
}

// WorkerNames are the names by which a command can find workers.
func WorkerNames(a *kit.App, cmd *cli.Command) []string {
	here := ""
	if dir, err := folderOf(a, cmd); err == nil {
		if p, err := project.Find(dir, a.Getenv); err == nil {
			here = p.Root
		}
	}
	return workersFrom(a, here, cmd.String("project") != "")
}

// workersFrom are the names of the workers of the project here, then those of all others with their project's name before them.
func workersFrom(a *kit.App, here string, only bool) (list []string) {
	known := ledger.Known(a.Getenv)
	for _, others := range []bool{false, true} {
		for _, n := range known {
			store, err := ledger.Open(n.Root, a.Getenv)
			if err != nil || (n.Root != here) != others || others && only {
				continue
			}
			names, _ := store.Names()
			for _, name := range names {
				if others {
					name = n.Name + "/" + name
				}
				list = append(list, name)
			}
		}
	}
	return list
}

// CallerOf is who asks about a project while no person does.
func CallerOf(env func(string) string, root string) *workspace.Caller {
	return workspace.Quiet(root, env, time.Now())
}

// OfficeOf is the office of a project, whatever project this process stands in.
func OfficeOf(env func(string) string, root string) (*Office, error) {
	c := CallerOf(env, root)
	c.Env = func(name string) string {
		if name == "ABURN_PROJECT_DIR" {
			return ""
		}
		return env(name)
	}
	o, err := officeAt(env, c, root)
	if err == nil && o.Root != root {
		o.Close()
		err = fs.ErrNotExist
	}
	return o, err
}
