package crew

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// Gates are command lines that have to pass before a worker's commits are merged.
type Gates struct {
	Run     []string
	Retries int // runs after the first one
	Timeout time.Duration
	Tell    func(string)
}

// defaultGates is how long one run of all gates may take.
const defaultGates = 20 * time.Minute

// gateRuns counts the runs since the last one that passed. A run counts from its beginning, so that one which never says how it
// ended is counted too, and whoever asks again has no fresh budget.
func gateRuns(l *ledger.Contents) (n int) {
	for i := range l.Entries {
		switch e := &l.Entries[i]; {
		case e.Kind != worker.Gated:
		case e.Is == worker.GateStarted:
			n++
		case e.Is == worker.GatePassed:
			n = 0
		}
	}
	return n
}

// gates runs them in the worker's tree, in order, and refuses unless all pass on exactly what is merged.
func (x *merge) gates(ctx context.Context) error {
	g := x.o.Gates
	if len(g.Run) == 0 {
		return nil
	}
	if err := x.changedSomething(ctx); err != nil {
		return err
	}
	if err := x.c.settledTree(x.m); err != nil {
		return err
	}
	t := x.c.treeOf(x.repo, x.m)
	before, err := gated(ctx, t)
	switch {
	case err != nil:
		return err
	case len(x.r.Left) > 0:
		return refuse("gates would try files that are not merged: "+names(x.r.Left), "--include-changes", "--no-gates")
	case before.Head != x.head:
		return refuse("its tree does not stand on its branch: gates would try something else", "git -C "+t.Path+" status", "--no-gates")
	}
	book := x.c.Store.Book(x.m.Name)
	if err := x.startGates(book, g.Retries); err != nil {
		return err
	}
	why := x.runGates(ctx, g)
	if after, err := gated(ctx, t); why == nil && (err != nil || after.Head != before.Head || !slices.Equal(after.Changes, before.Changes)) {
		why = errors.Join(err, refuse("a gate changed files of its tree", "git -C "+t.Path+" status"))
	}
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Gated, Gen: max(1, x.m.Ledger.Gen()), Is: worker.GatePassed}}
	if why != nil {
		e.Is, e.Why = worker.GateFailed, plain.Cut(plain.Line(why.Error()), 200)
	}
	return errors.Join(why, book.Append(e))
}

// changedSomething refuses where gates would pass what was there before.
func (x *merge) changedSomething(ctx context.Context) error {
	had, err := x.repo.TreeOf(ctx, x.m.Base())
	if err != nil || len(x.o.Gates.Run) == 0 {
		return nil
	}
	if has, err := x.repo.TreeOf(ctx, x.r.Head); err == nil && has == had {
		return refuse("it changed nothing: there is nothing that gates could pass")
	}
	return nil
}

// gated is the state of a tree; a gone one has none.
func gated(ctx context.Context, t *tree.Tree) (*tree.State, error) {
	if !t.Exists(ctx) {
		return nil, refuse("its tree is gone: gates have nowhere to run", "--no-gates")
	}
	return t.State(ctx)
}

// startGates takes one run off the budget, before it begins.
func (x *merge) startGates(book *ledger.Book, retries int) error {
	_, err := book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		if n := gateRuns(l); n > retries {
			return nil, refuse(fmt.Sprintf("its gates ran %d times and never passed, which is all that they may", n), "aburn ps "+x.m.Name, "--no-gates merges without them")
		}
		return []ledger.Entry{{Fact: worker.Fact{Kind: worker.Gated, Gen: max(1, l.Gen()), Is: worker.GateStarted}}}, nil
	})
	return err
}

func (x *merge) runGates(ctx context.Context, g Gates) error {
	limit := g.Timeout
	if limit == 0 {
		limit = defaultGates
	}
	began := time.Now()
	env := append(run.Clean(x.c.Environ, toolVariables...), hold.MarkVariable+"="+x.c.mark(x.m.Name, "gates"))
	env = append(env, x.c.portEnv(x.c.Store.Book(x.m.Name))...)
	for _, line := range g.Run {
		if g.Tell != nil {
			g.Tell(line)
		}
		rest := max(limit-time.Since(began), time.Nanosecond)
		r, err := run.Do(ctx, run.Program{Argv: []string{"/bin/sh", "-c", line}, Dir: x.c.folder(x.m.Request.Tree), Env: env, Timeout: rest})
		switch {
		case errors.Is(err, run.ErrTimeout):
			return &Refused{fmt.Sprintf("a gate did not end within %s: %s", plain.Duration(limit), line), tail(r)}
		case err != nil:
			return err
		case r.Code != 0:
			return &Refused{fmt.Sprintf("a gate failed with %d: %s", r.Code, line), tail(r)}
		}
	}
	return nil
}
