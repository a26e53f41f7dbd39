package manager

import (
	"context"
	"errors"

	"aburn/internal/fault"
	"aburn/worker/tree"
)

// Repository is the repository around dir.
func Repository(ctx context.Context, c *Manager, dir string) (*tree.Repo, error) {
	r, err := tree.Open(ctx, dir, c.Environ)
	var problem *tree.Problem
	if errors.As(err, &problem) {
		return nil, fault.Usage(problem.Text, problem.Advice)
	}
	return r, err
}

// RepositoryOf is the repository whose worktree a worker's tree is.
func RepositoryOf(ctx context.Context, c *Manager, m *Member) (*tree.Repo, error) {
	if m.Request.Repo == "" {
		return nil, fault.Failed("the ledger of " + m.Name + " does not say which repository it works in")
	}
	return Repository(ctx, c, m.Request.Repo)
}
