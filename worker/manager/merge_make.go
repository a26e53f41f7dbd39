package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// make makes the commit that the branch will stand on, and asks whether the checkout can go there.
func (x *merge) make(ctx context.Context) (to string, err error) {
	if x.o.How == HowRebase {
		to, err = x.replay(ctx)
	} else {
		to, err = x.join(ctx)
	}
	if err != nil || to == "" {
		return "", err
	}
	files, err := tree.ChangedBetween(ctx, x.repo, x.r.From, to)
	if err != nil {
		return "", err
	}
	x.r.Files = len(files)
	if x.checkout {
		way, err := tree.InTheWay(ctx, x.repo, files)
		if err == nil && len(way) > 0 {
			err = refuse(fmt.Sprintf("%d in this checkout would be written over, which no commit has: %s", len(way), names(way)), "move them away")
		}
		if err != nil {
			return "", err
		}
		for _, f := range files {
			if f.Module {
				x.r.Modules = append(x.r.Modules, f.Path)
			}
		}
	}
	return to, nil
}

func (x *merge) join(ctx context.Context) (string, error) {
	if x.o.How == "" {
		x.r.How = HowMerge
		if x.lacks == 0 {
			x.r.How = HowForward
			return x.r.Head, nil
		}
	}
	j, err := tree.MergeTrees(ctx, x.repo, x.r.From, x.r.Head)
	if errors.Is(err, tree.ErrUnrelated) {
		return "", refuse(x.r.Into + " and its branch have no history in common")
	}
	if x.r.Conflicts = j.Conflicts; err != nil || len(j.Conflicts) > 0 {
		return "", err
	}
	if x.r.How == HowSquash && tree.SameFiles(ctx, x.repo, x.r.From, j.Tree) {
		x.r.How, x.r.To = HowAlready, x.r.From // squashed before
		return "", nil
	}
	message, err := x.message(ctx)
	if err != nil {
		return "", err
	}
	if x.r.How == HowSquash {
		return tree.WriteCommit(ctx, x.repo, j.Tree, message, x.r.From)
	}
	return tree.WriteCommit(ctx, x.repo, j.Tree, message, x.r.From, x.r.Head)
}

func (x *merge) replay(ctx context.Context) (string, error) {
	p, err := tree.Replay(ctx, x.repo, x.r.From, x.r.From, x.r.Head)
	x.r.Conflicts, x.r.Stopped, x.r.Commits = p.Conflicts, p.Stopped, p.Commits
	switch {
	case errors.Is(err, tree.ErrUnrelated):
		return "", refuse(x.r.Into + " and its branch have no history in common")
	case err != nil || len(p.Conflicts) > 0:
		return "", err
	case p.Head == x.r.From:
		x.r.How, x.r.To = HowAlready, x.r.From // all of it is there in other commits
		return "", nil
	}
	return p.Head, nil
}

// message is the person's, or says which worker it was.
func (x *merge) message(ctx context.Context) (string, error) {
	if x.o.Message != "" {
		return x.o.Message + "\n", nil
	}
	if x.r.How != HowSquash {
		return "Merge branch '" + x.m.Request.Branch + "' into " + x.r.Into + "\n\n" + x.subject() + "\n", nil
	}
	subjects, err := tree.Subjects(ctx, x.repo, x.r.Head, x.r.From)
	if err != nil || len(subjects) == 1 {
		return strings.Join(subjects, "") + "\n", err
	}
	var b strings.Builder
	b.WriteString(x.subject() + "\n\n")
	for _, s := range slices.Backward(subjects) {
		b.WriteString("* " + s + "\n")
	}
	return b.String(), nil
}

// do merges. Each step leaves either nothing or something that stands for itself.
func (x *merge) do(ctx context.Context) error {
	to, err := x.make(ctx)
	if err != nil || to == "" {
		return err
	}
	if err := x.gates(ctx); err != nil {
		return err
	}
	if x.packed != "" {
		if err := x.commitPacked(ctx); err != nil {
			return err
		}
	}
	switch why := "aburn merge " + x.m.Name; {
	case !x.checkout:
		err = tree.MoveBranch(ctx, x.repo, x.r.Into, x.r.From, to, why)
	case x.o.Hooks && x.r.How == HowMerge:
		message, _ := x.message(ctx)
		to, err = tree.MergeHooked(ctx, x.repo, x.r.From, x.r.Head, message)
	default:
		err = tree.FastForward(ctx, x.repo, x.r.From, to, x.o.Hooks)
	}
	if errors.Is(err, tree.ErrMoved) {
		return refuse(x.r.Into+" moved meanwhile", "try again")
	}
	if err != nil {
		return err
	}
	x.r.To = to
	done := ledger.Entry{Fact: worker.Fact{Kind: worker.Merged, Gen: max(1, x.m.Ledger.Gen()), Head: x.r.Head}}
	done.Branch, done.Base, done.Commit = x.r.Into, x.r.From, to
	return x.c.Store.Book(x.m.Name).Append(done)
}

// commitPacked gives the worker's branch the commit of its changes, after a snapshot of what was staged and what was not.
func (x *merge) commitPacked(ctx context.Context) error {
	book, t := x.c.Store.Book(x.m.Name), x.repo.Tree(x.m.Request.Tree)
	k, _, err := t.Snapshot(ctx, book.Dir, nextRef(x.m), tree.Beginning{Base: x.m.Base()}, tree.Seen{})
	if err != nil {
		return err
	}
	if err = book.Append(snapshotEntry(x.m, worker.Snapshotted, k)); err == nil {
		err = t.Adopt(ctx, x.head, x.packed)
	}
	if errors.Is(err, tree.ErrMoved) {
		return refuse("its branch moved meanwhile", "try again")
	}
	return err
}
