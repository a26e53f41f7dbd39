package tree

import "context"

// KeptAt is the commit that a kept state stands on.
func (r *Repo) KeptAt(ctx context.Context, commit string) (string, error) {
	s, err := r.treesOf(ctx, commit)
	return s.head, err
}

// Take brings a kept state into a tree that stands at the commit of KeptAt, and has no changes.
func (t *Tree) Take(ctx context.Context, scratch, commit string) error {
	s, err := t.repo.treesOf(ctx, commit)
	if err != nil {
		return err
	}
	return t.fill(ctx, scratch, s)
}
