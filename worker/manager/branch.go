package manager

import (
	"context"
	"slices"
	"strings"
	"time"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// An agent may go on with a branch of its own: git checkout -b. A worker's branch is therefore the one that its worktree is on, if
//
//   - the worker had it before, or
//   - it was made after the worker was asked for, by its reflog, not as the copy of a remote branch of the same name, and no other
//     worker has it.
//
// A branch that was there before is somebody else's: it is shown, and neither merged, pushed nor rebased. A detached HEAD changes
// nothing. aburn deletes no branch but the one that it made itself, and that one only without a commit.

// follow says which branch a worker went to since its ledger was written; off is a branch that its worktree is on and that is not the
// worker's.
func (c *Manager) follow(ctx context.Context, book *ledger.Book, l *ledger.Contents) (went []ledger.Entry, off string) {
	r, asked := requested(l)
	if _, far := RemoteHost(r.Via); far || r.Branch == "" || r.Tree == "" || r.Tree == r.Repo {
		return nil, ""
	}
	on, sure := tree.OnBranch(r.Tree)
	had := branches(l)
	if sure && (on == "" || on == had[0]) || !exists(r.Tree) {
		return nil, ""
	}
	key := switched(r.Tree, on)
	if off, known := c.strange.Load(key); known {
		return nil, off.(string)
	}
	repo, err := tree.Open(ctx, r.Repo, c.Environ)
	if err != nil {
		return nil, ""
	}
	on, head, err := repo.Tree(r.Tree).Standing(ctx)
	if err != nil || on == "" || on == had[0] {
		return nil, ""
	}
	if !slices.Contains(had, on) && !madeByWorker(ctx, c, repo, book.Name, on, asked) {
		c.strange.Store(key, on)
		return nil, on
	}
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Branched, Gen: max(1, l.Gen()), Head: head}}
	e.Branch = on
	return []ledger.Entry{e}, ""
}

// followed brings a member's ledger up to date with the branch that its worktree is on. A peek writes
// nothing, and neither does an agent in a sandbox: it sees the branch all the same.
func (c *Manager) followed(ctx context.Context, book *ledger.Book, m *Member, peeks bool) {
	went, off := c.follow(ctx, book, m.Ledger)
	if m.Off = off; len(went) == 0 {
		return
	}
	if !peeks {
		l, err := book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
			if branches(l)[0] == went[0].Branch { // somebody else was first
				return nil, nil
			}
			return went, nil
		})
		if err == nil {
			m.Ledger = l
			return
		}
	}
	m.Ledger.Suppose(went)
}

// madeByWorker reports whether a branch that no ledger knows was made by the worker of this name.
func madeByWorker(ctx context.Context, c *Manager, repo *tree.Repo, name, branch string, asked time.Time) bool {
	at, from, ok := tree.BranchMade(ctx, repo, branch)
	if !ok || at.Before(asked.Truncate(time.Second)) || strings.HasSuffix(from, "/"+branch) {
		return false
	}
	names, err := c.Store.Names()
	for _, other := range names {
		if other == name {
			continue
		}
		if l, err := c.Store.Book(other).Read(); err == nil && slices.Contains(branches(l), branch) {
			return false
		}
	}
	return err == nil
}

// switched names a worktree on a branch since it came there.
func switched(path, branch string) string {
	return path + "\x00" + branch + "\x00" + tree.HeadChanged(path).String()
}

// branches are those that a worker has or had, the present one first; it has at least one.
func branches(l *ledger.Contents) (list []string) {
	r, _ := requested(l)
	list = []string{r.Branch}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Kind == worker.Branched && e.Branch != "" {
			list = append([]string{e.Branch}, slices.DeleteFunc(list, func(b string) bool { return b == e.Branch })...)
		}
	}
	return list
}

// Branches are those that the worker has or had, the present one first.
func (m *Member) Branches() []string { return branches(m.Ledger) }

// Behind are the worker's former branches with commits that its present one does not have.
func (m *Member) Behind(ctx context.Context, repo *tree.Repo) (list []string) {
	all := m.Branches()
	for _, b := range all[1:] {
		if tip := repo.Tip(ctx, b); tip != "" && tip != m.Request.Base && !repo.Contains(ctx, all[0], tip) {
			list = append(list, b)
		}
	}
	return list
}

// dropBranches removes the branch that aburn made, if nothing was committed on it. It returns the present branch and the former
// ones, as far as they stay.
func dropBranches(ctx context.Context, repo *tree.Repo, m *Member) (present string, former []string) {
	all, made := m.Branches(), madeBranch(m.Made, m.Request.Taken)
	for i, b := range all {
		stays := b != made || !tree.DropBranch(ctx, repo, b, m.Base())
		switch {
		case stays && i == 0:
			present = b
		case stays && repo.Tip(ctx, b) != "":
			former = append(former, b)
		}
	}
	return present, former
}

// notItsBranch refuses where a worktree is on a branch that is not the worker's.
func notItsBranch(m *Member, on string) error {
	path := m.Request.Tree
	if on == "" {
		return refuse("its tree is not on its branch "+m.Request.Branch, "git -C "+path+" status")
	}
	return refuse("its worktree is on "+on+", a branch that was there before the worker; its own branch is "+m.Request.Branch,
		"git -C "+path+" switch "+m.Request.Branch, "git merge "+on+" brings that branch")
}
