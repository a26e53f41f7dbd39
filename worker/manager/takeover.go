package manager

import (
	"context"
	"fmt"
	"strings"

	"aburn/internal/run"
	"aburn/worker/tree"
)

// takeOver has a worker go on with a branch that has commits. What it changes is seen since the branch left the commit that the plan
// names: all that is on the branch counts, and merge brings all of it.
func (s *Spawned) takeOver(ctx context.Context, repo *tree.Repo, p Plan) error {
	since, err := tree.MergeBase(ctx, repo, s.Base, p.Tip)
	if err != nil {
		return err
	}
	if since == "" {
		return &tree.Problem{Text: fmt.Sprintf("the branch %q has nothing in common with %s", p.Branch, s.BaseRef), Advice: "--base with a commit that it began at"}
	}
	s.taken, s.Base, s.at = p.Taken, since, p.Tip
	return nil
}

// made is the branch that goes if the spawn is undone, "" if it was there before.
func (s *Spawned) made() string { return madeBranch(s.Branch, s.taken) }

func madeBranch(branch string, taken bool) string {
	if taken {
		return ""
	}
	return branch
}

// notCheckedOut refuses a branch in which somebody works: git lets only one worktree have it.
func notCheckedOut(ctx context.Context, repo *tree.Repo, branch string) error {
	if strings.HasPrefix(branch, "-") { // git makes none, and would take it for a flag
		return &tree.Problem{Text: fmt.Sprintf("%q cannot be the name of a branch", branch), Advice: "--branch NAME"}
	}
	at, err := repo.CheckedOut(ctx, branch)
	if err == nil && at != "" {
		err = &tree.Problem{Text: fmt.Sprintf("the branch %q is checked out in %s", branch, at), Advice: "git -C " + at + " switch to another branch first"}
	}
	return err
}

// FetchBranch brings a branch of a remote to where git notes it, and returns where that is.
func FetchBranch(ctx context.Context, c *Manager, repo *tree.Repo, remote, branch string) (ref string, err error) {
	return tree.FetchBranch(ctx, repo, remote, branch, run.Clean(c.Environ, networkVariables...))
}
