package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

// Gates are command lines that have to pass before a worker is done, and before its commits are merged.
type Gates struct {
	Run     []string
	Retries int // runs after the first one
	Timeout time.Duration
	// Program is the path of the worker's agent: the commands run scripts that the agent may have written, and so in its
	// sandbox, if it has one.
	Program     string
	Unsandboxed bool // the person's own file lets them out of it
	Tell        func(string)
}

// defaultGates is how long one run of all gates may take.
const defaultGates = 20 * time.Minute

// gatesLock is held by the one who runs a worker's gates.
const gatesLock = "gates.lock"

// gatesWait is for those who only ask whether somebody holds it.
const gatesWait = 100 * time.Millisecond

// attempt is one run of gates in a member's tree.
type attempt struct {
	c    *Manager
	m    *Member
	repo *tree.Repo
	g    Gates
	mark string // of what this run starts
}

// alone makes this process the only one that runs the member's gates.
func (a *attempt) alone(do func() error) error {
	root, err := os.OpenRoot(a.c.Store.Book(a.m.Name).Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, gatesLock, gatesWait)
	if errors.Is(err, lockfile.ErrBusy) {
		return refuse("its gates run just now", "aburn ps "+a.m.Name)
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}

// start takes one run off the budget, before it begins: one that never says how it ended is counted too, and whoever asks
// again has no fresh budget.
func (a *attempt) start() error {
	a.mark = markOf(a.c, a.m.Name, newID())
	_, err := a.c.Store.Book(a.m.Name).Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		if n := worker.Reduce(l.Facts(a.m.others...)).Tries(); n > a.g.Retries {
			return nil, refuse(fmt.Sprintf("its gates ran %d times and never passed, which is all that they may", n), "aburn ps "+a.m.Name,
				"--no-gates merges without them")
		}
		e := gate(l, worker.GateStarted, "")
		e.Detail.Gates, e.Mark = shown(a.g.Run), a.mark
		return []ledger.Entry{e}, nil
	})
	return err
}

func gate(l *ledger.Contents, is, why string) ledger.Entry {
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Gated, Gen: max(1, l.Gen()), Is: is}}
	e.Why = plain.Cut(plain.Line(why), 200)
	return e
}

// maxShown is how much of the gates an entry of a run names, in bytes: a line of a ledger is short.
const maxShown = 1000

func shown(lines []string) (list []string) {
	for left := maxShown; len(lines) > 0 && left > 0; lines = lines[1:] {
		text, _ := scrub.Text(plain.Cut(plain.Line(lines[0]), min(left, 200)))
		list, left = append(list, text), left-len(text)
	}
	return list
}

// run runs the gates, in order, until one fails. The tree has to stay as it was before.
func (a *attempt) run(ctx context.Context, before tree.Contents) error {
	if err := a.commands(ctx); err != nil {
		return err
	}
	after, err := a.contents(ctx)
	if err == nil && after != before {
		err = refuse("a gate changed files of its tree", "git -C "+a.m.Request.Tree+" status")
	}
	return err
}

// contents are what the tree holds.
func (a *attempt) contents(ctx context.Context) (tree.Contents, error) {
	s, err := a.repo.Tree(a.m.Request.Tree).Contents(ctx)
	if errors.Is(err, tree.ErrGone) {
		err = refuse("its tree is gone: gates have nowhere to run", "--no-gates")
	}
	return s, err
}

func (a *attempt) commands(ctx context.Context) error {
	limit := a.g.Timeout
	if limit == 0 {
		limit = defaultGates
	}
	began := time.Now()
	env := append(run.Clean(a.c.Environ, toolVariables...), hold.MarkVariable+"="+a.mark)
	env = append(env, portEnv(a.c, a.c.Store.Book(a.m.Name))...)
	shell, names, err := a.shell(ctx)
	if err != nil {
		return err
	}
	env = append(env, only(a.c.Environ, names)...)
	for _, line := range a.g.Run {
		named, _ := scrub.Text(line)
		if a.g.Tell != nil {
			a.g.Tell(line)
		}
		rest := max(limit-time.Since(began), time.Nanosecond)
		said := &lastWords{}
		r, err := run.Do(ctx, run.Program{Argv: append(slices.Clone(shell), line), Dir: a.c.folder(a.m.Request.Tree), Env: env, Timeout: rest, Live: said})
		text := ""
		switch {
		case errors.Is(err, run.ErrTimeout):
			text = fmt.Sprintf("a gate did not end within %s: %s", plain.Duration(limit), named)
		case err != nil:
			return err
		case r.Code != 0:
			text = fmt.Sprintf("a gate failed with %d: %s", r.Code, named)
		default:
			continue
		}
		if len(shell) > 2 {
			text += " (in the agent's sandbox; gates.unsandboxed in your own file lets gates out)"
		}
		return &Refused{text, tail(r), said.String()}
	}
	return nil
}

// shell is the command that takes a line, in a sandbox equal to the agent's, and variables that this needs.
func (a *attempt) shell(ctx context.Context) (argv, names []string, err error) {
	argv = []string{"/bin/sh", "-c"}
	i := slices.IndexFunc(a.c.Agents, func(x slot.Agent) bool { return x.Name() == a.m.Request.Agent })
	if i < 0 || a.g.Unsandboxed {
		return argv, nil, nil
	}
	agent, ok := a.c.Agents[i].(slot.Confiner)
	switch {
	case !ok:
		return argv, nil, nil
	case a.g.Program == "":
		return nil, nil, refuse("its agent works in a sandbox of its own, and is not installed any more: gates of this worker have none",
			"gates.unsandboxed: true in your own workers.yaml", "--no-gates")
	}
	writable, err := a.repo.Tree(a.m.Request.Tree).Commits(ctx)
	if err != nil {
		return nil, nil, err
	}
	o := slot.Order{Tree: a.c.folder(a.m.Request.Tree), Permissions: slot.Permissions(a.m.Request.Permissions), Writable: writable}
	if o.Tree != a.m.Request.Tree {
		o.Writable = append(o.Writable, a.m.Request.Tree)
	}
	args, names := agent.Confine(o, argv)
	return append([]string{a.g.Program}, args...), names, nil
}

func only(environ, names []string) (env []string) {
	for _, kv := range environ {
		if name, _, ok := strings.Cut(kv, "="); ok && run.Matches(name, names) {
			env = append(env, kv)
		}
	}
	return env
}

// lastWords keeps the end of what a program says.
type lastWords struct{ text []byte }

const maxLastWords = 4 << 10

func (w *lastWords) Write(p []byte) (int, error) {
	w.text = append(w.text, p[max(0, len(p)-maxLastWords):]...)
	if n := len(w.text) - maxLastWords; n > maxLastWords {
		w.text = slices.Clone(w.text[n:])
	}
	return len(p), nil
}

func (w *lastWords) String() string { return string(w.text[max(0, len(w.text)-maxLastWords):]) }

// unchanged reports whether a commit or tree holds the same files as the member's base.
func (a *attempt) unchanged(ctx context.Context, at string) bool {
	return tree.SameFiles(ctx, a.repo, a.m.Base(), at)
}

// gates runs them before a merge, and refuses unless all pass on exactly what is merged.
func (x *merge) gates(ctx context.Context) error {
	if len(x.o.Gates.Run) == 0 {
		return nil
	}
	if err := x.changedSomething(ctx); err != nil {
		return err
	}
	if len(x.r.Left) > 0 {
		return refuse("gates would try files that are not merged: "+names(x.r.Left), "--include-changes", "--no-gates")
	}
	commit, err := "", error(nil)
	if x.m.IsRemote() {
		commit, err = farGates(ctx, x.c, x.m, x.o.Gates)
	} else {
		commit, err = tryGates(ctx, x.c, x.repo, x.m, x.o.Gates, x.o.Include)
	}
	if err == nil && commit != x.head {
		err = refuse("its gates passed on "+commit[:min(8, len(commit))]+", and that is not what its branch has", "aburn ps "+x.m.Name, "--no-gates")
	}
	return err
}

// tryGates runs gates in a member's tree and returns the commit on which it stands, if they pass. What no commit holds is refused,
// unless it is included in what they try.
func tryGates(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, g Gates, include bool) (commit string, err error) {
	if err := requireSettledTree(c, m); err != nil {
		return "", err
	}
	t := repo.Tree(m.Request.Tree)
	s, err := t.Brief(ctx)
	switch {
	case errors.Is(err, tree.ErrGone):
		return "", refuse("its tree is gone: gates have nowhere to run", "--no-gates")
	case err != nil:
		return "", err
	case len(s.Changes) > 0 && !include:
		return "", refuse("gates would try files that are not merged: "+names(s.Changes), "--include-changes", "--no-gates")
	case s.Branch != m.Request.Branch && s.Head != repo.Tip(ctx, m.Request.Branch):
		return "", refuse("its tree does not stand on its branch: gates would try something else", "git -C "+t.Path+" status", "--no-gates")
	}
	a := &attempt{c: c, m: m, repo: repo, g: g}
	return s.Head, a.alone(func() error {
		if err := a.start(); err != nil {
			return err
		}
		before, why := a.contents(ctx)
		if why == nil {
			why = a.run(ctx, before)
		}
		if ctx.Err() != nil {
			return why // whoever runs them was ended, not the gates: the run counts, and says nothing
		}
		is, text := worker.GatePassed, ""
		if why != nil {
			is, text = worker.GateFailed, why.Error()
		}
		return errors.Join(why, c.Store.Book(m.Name).Append(gate(m.Ledger, is, text)))
	})
}

// changedSomething refuses where gates would pass what was there before.
func (x *merge) changedSomething(ctx context.Context) error {
	if a := (&attempt{c: x.c, m: x.m, repo: x.repo, g: x.o.Gates}); len(x.o.Gates.Run) == 0 || !a.unchanged(ctx, x.r.Head) {
		return nil
	}
	return refuse("it changed nothing: there is nothing that gates could pass")
}
