package tree

import "context"

// SnapshotBase is the commit that a kept state stands on.
func SnapshotBase(ctx context.Context, r *Repo, commit string) (string, error) {
	s, err := treesOf(ctx, r, commit)
	return s.head, err
}

// Take brings a kept state into a tree that stands at the commit of KeptAt, and has no changes.
func (t *Tree) Take(ctx context.Context, scratch, commit string) error {
	s, err := treesOf(ctx, t.repo, commit)
	if err != nil {
		return err
	}
	return t.fill(ctx, scratch, s)
}
