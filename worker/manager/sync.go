package manager

import (
	"context"
	"errors"
	"fmt"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// Sync is what setting a worker's commits onto its base did, or would do.
type Sync struct {
	Worker    string          `json:"worker"`
	Onto      string          `json:"onto"`
	Branch    string          `json:"branch"`
	From      string          `json:"from"` // where its branch stood
	To        string          `json:"to"`
	Base      string          `json:"base"` // the commit that it now begins at
	Commits   int             `json:"commits"`
	Ahead     int             `json:"ahead"` // commits that came with it
	Conflicts []tree.Conflict `json:"conflicts,omitempty"`
	Stopped   string          `json:"stopped,omitempty"` // the commit that cannot be set there
	Subject   string          `json:"subject,omitempty"`
	Check     bool            `json:"check,omitempty"`
}

// RebaseBranch sets the worker's commits onto its base as that stands now, in the worker's own tree. The commits are made first; with
// a conflict nothing was touched.
func RebaseBranch(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, onto string, check bool) (s Sync, err error) {
	s = Sync{Worker: m.Name, Branch: m.Request.Branch, Onto: onto, Check: check}
	unlock, err := lockMember(c, c.Store.Book(m.Name), m)
	if err != nil {
		return s, err
	}
	defer unlock()
	t := repo.Tree(m.Request.Tree)
	if err := checkRebase(ctx, c, t, m); err != nil {
		return s, err
	}
	if s.Base, err = newBase(ctx, repo, m, &s); err != nil {
		return s, err
	}
	s.From = repo.Tip(ctx, m.Request.Branch)
	s.Ahead, _ = repo.Ahead(ctx, m.Base(), s.Base)
	upstream := m.Base()
	if upstream == "" || repo.Contains(ctx, s.Base, upstream) || !repo.Contains(ctx, s.From, upstream) {
		upstream = s.Base
	}
	p, err := tree.Replay(ctx, repo, s.Base, upstream, s.From)
	s.Conflicts, s.Stopped, s.Subject, s.Commits, s.To = p.Conflicts, p.Stopped, p.Subject, p.Commits, p.Head
	if errors.Is(err, tree.ErrUnrelated) {
		return s, refuse(s.Onto + " and its branch have no history in common")
	}
	if err != nil || len(p.Conflicts) > 0 || check || s.To == s.From && s.Base == m.Base() {
		return s, err
	}
	if s.To != s.From {
		if err := t.Rebased(ctx, m.Request.Branch, s.From, s.To); err != nil {
			return s, refuse("its tree cannot take the commits: "+err.Error(), "git -C "+t.Path+" status")
		}
	}
	done := ledger.Entry{Fact: worker.Fact{Kind: worker.Synced, Gen: max(1, m.Ledger.Gen()), Head: s.From}}
	done.Base, done.BaseRef, done.Commit = s.Base, s.Onto, s.To
	return s, c.Store.Book(m.Name).Append(done)
}

// checkRebase refuses unless nobody works in the tree and all of it is committed on its branch.
func checkRebase(ctx context.Context, c *Manager, t *tree.Tree, m *Member) error {
	if err := requireSettledTree(c, m); err != nil {
		return err
	}
	s, err := t.Brief(ctx)
	switch {
	case errors.Is(err, tree.ErrGone):
		return refuse("its tree is gone", "aburn snapshots "+m.Name)
	case err != nil:
		return err
	case s.Midway != "":
		return refuse("a "+s.Midway+" is not finished in its tree", "git -C "+t.Path+" status")
	case s.Branch != m.Request.Branch:
		return notItsBranch(m, s.Branch)
	case len(s.Changes) > 0:
		return refuse(fmt.Sprintf("its tree has %d not committed: %s", len(s.Changes), names(s.Changes)), "let it commit them, or do it in "+t.Path)
	}
	return nil
}

// newBase is the commit that the base's name means now.
func newBase(ctx context.Context, repo *tree.Repo, m *Member, s *Sync) (string, error) {
	said := s.Onto != ""
	if s.Onto == "" {
		s.Onto = m.Request.BaseRef
	}
	if s.Onto == "" || s.Onto == "HEAD" || s.Onto == m.Request.Base {
		return "", &tree.Problem{Text: "it began at a commit and not at a branch", Advice: "--onto BRANCH"}
	}
	at, err := repo.Commit(ctx, s.Onto)
	if err == nil && !said && !repo.Contains(ctx, at, m.Base()) {
		err = refuse(fmt.Sprintf("%s does not contain %s any more, the commit that %s began at: somebody moved it", s.Onto, m.Base()[:8], m.Name),
			"git reflog "+s.Onto, "--onto "+s.Onto+" says that you mean it")
	}
	return at, err
}
