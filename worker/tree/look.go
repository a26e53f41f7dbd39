package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aburn/internal/snapshot"
)

// Kept and Refs are those of package snapshot.
type (
	Kept = snapshot.Kept
	Refs = snapshot.Refs
)

// snapshots is the tree as package snapshot sees it.
func (t *Tree) snapshots() *snapshot.Tree { return &snapshot.Tree{Git: t.g, Path: t.Path} }

// look asks git for the state of the tree. The index is a copy, or "" for the tree's own one.
func (t *Tree) look(ctx context.Context, index string, ignored bool) (*snapshot.Look, error) {
	if st, err := os.Lstat(filepath.Join(t.Path, ".git")); err != nil || !st.Mode().IsRegular() {
		return nil, ErrGone
	}
	l, err := t.snapshots().Look(ctx, index, ignored)
	if errors.Is(err, snapshot.ErrNoCommit) {
		return nil, t.noCommit()
	}
	if err != nil {
		if _, gone := t.here(ctx, ""); gone != nil {
			err = gone
		}
		return nil, err
	}
	return l, nil
}

func (t *Tree) noCommit() error {
	return &Problem{fmt.Sprintf("%s stands on no commit", t.Path), "git -C " + t.Path + " status"}
}

// now writes the state in which the tree is.
func (t *Tree) now(ctx context.Context, scratch string, at place, most int64) (*snapshot.Written, error) {
	x, err := snapshot.CopyIndex(scratch, at.index)
	if err != nil {
		return nil, err
	}
	defer x.Remove()
	if x.Look, err = t.look(ctx, x.Work, false); err != nil {
		return nil, err
	}
	return t.snapshots().Write(ctx, x, at.head, at.tree, most, "")
}
