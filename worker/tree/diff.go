package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Diff is how the tree differs from where its branch began, untracked files included. onto is the branch that it began
// from, as far as that still exists: what the worker took over from there since is left out.
func (t *Tree) Diff(ctx context.Context, scratch, base, onto string, stat bool) (string, error) {
	now, err := t.everything(ctx, scratch)
	if err != nil {
		return "", err
	}
	return t.diff(ctx, t.since(ctx, "HEAD", base, onto), now, stat)
}

// everything is one tree of all files as they stand, untracked ones included, without those that git ignores.
func (t *Tree) everything(ctx context.Context, scratch string) (string, error) {
	dir, err := os.MkdirTemp(scratch, ".index-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path, err := t.g.Out(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return "", err
	}
	if err := copyFile(path, filepath.Join(dir, "all")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	g := t.g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "all"))
	if _, err := g.Out(ctx, "add", "--all", "--", t.Path); err != nil {
		return "", err
	}
	return g.Out(ctx, "write-tree")
}

// since is where the work of head begins.
func (t *Tree) since(ctx context.Context, head, base, onto string) string {
	for _, ref := range []string{onto, base} {
		if ref == "" || ref == "HEAD" {
			continue
		}
		if at, err := t.g.Out(ctx, "merge-base", head, ref); err == nil {
			return at
		}
	}
	return base
}

func (t *Tree) diff(ctx context.Context, from, to string, stat bool) (string, error) {
	args := []string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"}
	if stat {
		args = append(args, "--stat=100", "--summary")
	} else {
		args = append(args, "--binary")
	}
	return t.g.Out(ctx, append(args, from, to, "--")...)
}

// DiffKept is Diff of a kept state.
func (r *Repo) DiffKept(ctx context.Context, commit, base, onto string, stat bool) (string, error) {
	s, err := r.treesOf(ctx, commit)
	if err != nil {
		return "", err
	}
	t := r.Tree(r.Root)
	to := s.work
	if s.untracked != "" {
		if to, err = r.joined(ctx, s); err != nil {
			return "", err
		}
	}
	return t.diff(ctx, t.since(ctx, s.head, base, onto), to, stat)
}

// joined is one tree of the tracked and the untracked files.
func (r *Repo) joined(ctx context.Context, s trees) (string, error) {
	dir, err := os.MkdirTemp("", "aburn-index-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	g := r.g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "all"))
	if _, err := g.Out(ctx, "read-tree", s.work); err != nil {
		return "", err
	}
	list, err := g.Out(ctx, "ls-tree", "-r", "-z", s.untracked)
	if err != nil {
		return "", err
	}
	if _, err := g.Feed(ctx, strings.NewReader(list), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return g.Out(ctx, "write-tree")
}

// DiffBranch is what the branch has since its base, for a worker whose tree is gone.
func (r *Repo) DiffBranch(ctx context.Context, branch, base, onto string, stat bool) (string, error) {
	t := r.Tree(r.Root)
	return t.diff(ctx, t.since(ctx, branch, base, onto), branch, stat)
}
