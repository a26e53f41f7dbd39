// Package work is the commands about workers: agents that aburn starts, each in a worktree of its own. The order of steps
// is worker/crew's; what a person types and sees is here.
package work

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/hold"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/worker/claude"
	"aburn/worker/codex"
	"aburn/worker/crew"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tmux"
	"aburn/worker/tree"
)

// agents are the agents that can be workers, the first that is installed is the default.
func agents() []slot.Agent { return []slot.Agent{claude.Agent(), codex.Agent()} }

func agentNames() (names []string) {
	for _, a := range agents() {
		names = append(names, a.Name())
	}
	return names
}

// office is the project whose workers a command is about.
type office struct {
	*crew.Crew
	ws   *scope.Workspace
	dir  string // of -C
	tmux *tmux.Runtime
}

// openOffice finds the project around the current folder, and its workers.
func openOffice(a *kit.App, cmd *cli.Command) (*office, error) {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return nil, err
	}
	return officeAt(a, scope.CallerOf(a, cmd), dir)
}

// officeAt is the project around a folder.
func officeAt(a *kit.App, caller *scope.Caller, dir string) (*office, error) {
	caller.Dir = dir
	ws, err := scope.OpenWorkspace(caller)
	if err != nil {
		return nil, err
	}
	store, err := ledger.Open(ws.Root, a.Getenv)
	if err != nil {
		ws.Close()
		return nil, kit.UsageError(err.Error())
	}
	o := &office{ws: ws, dir: dir}
	o.Crew = &crew.Crew{Root: ws.Root, Store: store, Log: ws.Log, Environ: os.Environ(), Agents: agents(), Oss: ws.Oss}
	if key, err := ws.Key(); err == nil {
		o.Queue = queue.New(ws.Oss, key)
	}
	o.Checkout = checkout(ws, a)
	if r, ok := tmux.New(o.Environ); ok {
		o.tmux = r
		o.Runtimes = []crew.Runtime{r}
	}
	o.Self = "aburn"
	if self, err := os.Executable(); err == nil {
		if _, err := exec.LookPath(o.Self); err != nil {
			o.Self = kit.ShellWord(self)
		}
		o.After = func(name string) []string { return []string{self, "-C", ws.Root, "snapshots", "--take", name} }
	}
	return o, nil
}

// checkout is the root of the main checkout of the project's repository.
func checkout(ws *scope.Workspace, a *kit.App) string {
	_, root := project.Checkout(ws.Root, a.Getenv)
	return root
}

func (o *office) close() { o.ws.Close() }

// repository is the repository around dir.
func (o *office) repository(ctx context.Context, dir string) (*tree.Repo, error) {
	r, err := tree.Open(ctx, dir, o.Environ)
	var problem *tree.Problem
	if errors.As(err, &problem) {
		return nil, kit.UsageError(problem.Text, problem.Advice)
	}
	return r, err
}

// repositoryOf is the repository whose worktree a worker's tree is.
func (o *office) repositoryOf(ctx context.Context, m *crew.Member) (*tree.Repo, error) {
	if m.Request.Repo == "" {
		return nil, kit.BadNews("the ledger of " + m.Name + " does not say which repository it works in")
	}
	return o.repository(ctx, m.Request.Repo)
}

// member is the worker that a word means.
func (o *office) member(ctx context.Context, word string) (*crew.Member, error) {
	name, err := o.Find(word)
	if err != nil {
		return nil, o.noSuch(word, err)
	}
	list, err := o.Look(ctx, name)
	if err == nil {
		err = list[0].Err
	}
	if err != nil {
		return nil, ledgerFailure(name, err)
	}
	return list[0], nil
}

func (o *office) noSuch(word string, err error) error {
	var many *crew.ErrAmbiguous
	switch {
	case errors.As(err, &many):
		return kit.UsageError(kit.Quote(word)+" may mean "+many.Names[0]+" or another worker", kit.DidYouMean("", many.Names)...)
	case errors.Is(err, ledger.ErrUnknown):
		names, _ := o.Store.Names()
		return kit.UsageError("no worker is called "+kit.Quote(word), append(kit.DidYouMean(word, names), "aburn ps --all")...)
	}
	return kit.BadNews(err.Error())
}

func ledgerFailure(name string, err error) error {
	if errors.Is(err, ledger.ErrVersion) {
		return kit.BadNews("worker "+name+": "+err.Error(), "update aburn")
	}
	return kit.BadNews("worker " + name + ": " + err.Error())
}

// program is the path of one of aburn's other executables: beside this one, or on PATH.
func program(name string) (string, error) {
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
		return "", kit.BadNews("there is no "+name+", neither beside aburn nor on PATH", "install aburn anew: it comes with all of its executables, for one folder")
	}
	return path, nil
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// personOnly refuses what only a person may ask for to agents and to everything that a worker starts. It is a fence, not a
// wall: an agent of the same user could take the variables away.
func personOnly(a *kit.App, what string) error {
	if a.Getenv(hold.MarkVariable) != "" {
		return kit.BadNews("a worker may not "+what, "ask the person to run this command")
	}
	if list := scope.CallingAgents(a.Getenv); len(list) > 0 {
		return kit.BadNews("an agent may not "+what, "ask the person to run this command")
	}
	return nil
}

// oneWorker requires exactly one argument, a worker.
func oneWorker(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return kit.UsageError("name one worker", "aburn ps", cmd.FullName()+" --help")
	}
	return nil
}

// completeWorkers completes the names of workers.
func completeWorkers(a *kit.App) cli.ShellCompleteFunc {
	return a.CommandCompleter(func(cmd *cli.Command, _ int) []string {
		dir, err := kit.Folder(cmd)
		if err != nil {
			return nil
		}
		p, err := project.Find(dir, a.Getenv)
		if err != nil {
			return nil
		}
		store, err := ledger.Open(p.Root, a.Getenv)
		if err != nil {
			return nil
		}
		names, _ := store.Names()
		return names
	})
}
