package tree

import (
	"context"

	"aburn/internal/snapshot"
)

// SnapshotBase is the commit that a kept state stands on.
func SnapshotBase(ctx context.Context, r *Repo, commit string) (string, error) {
	s, err := snapshot.TreesOf(ctx, r.g, commit)
	return s.Head, err
}

// Take brings a kept state into a tree that stands at the commit of KeptAt, and has no changes.
func (t *Tree) Take(ctx context.Context, scratch, commit string) error {
	s, err := snapshot.TreesOf(ctx, t.repo.g, commit)
	if err != nil {
		return err
	}
	return t.snapshots().Fill(ctx, scratch, s)
}
