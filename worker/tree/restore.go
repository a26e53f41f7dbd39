package tree

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// treesOf are the trees of a kept state.
func treesOf(ctx context.Context, r *Repo, commit string) (s trees, err error) {
	// ends at the first that is not there
	out, err := r.g.Out(ctx, "rev-parse", "--revs-only", commit+"^1^{commit}", commit+"^2^{tree}", commit+"^{tree}", commit+"^3^{tree}")
	says := strings.Split(out, "\n")
	if err != nil || len(says) < 3 {
		return s, fmt.Errorf("%s is no kept state", commit)
	}
	s.head, s.index, s.work = says[0], says[1], says[2]
	if len(says) > 3 {
		s.untracked = says[3]
	}
	return s, nil
}

// Restore makes a worktree at path with the kept state: on the branch if that stands at the commit that the state began
// from, or is gone; else on none. It reports which.
func Restore(ctx context.Context, r *Repo, scratch, path, branch, commit string) (onBranch bool, err error) {
	s, err := treesOf(ctx, r, commit)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(path); err == nil {
		return false, &Problem{path + " exists already", "name another folder with --into"}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	at, _ := r.g.Out(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if onBranch = branch != "" && (at == s.head || at == ""); onBranch {
		onBranch = RemakeWorktree(ctx, r, path, branch, s.head) == nil // it may be checked out elsewhere
	}
	if !onBranch {
		if err := addWorktree(ctx, r, path, "--detach", path, s.head); err != nil {
			return false, err
		}
	}
	if err := r.Tree(path).fill(ctx, scratch, s); err != nil {
		r.g.Code(ctx, "worktree", "remove", "--force", path)
		return false, err
	}
	return onBranch, nil
}

// RemakeWorktree makes a worktree at path on a branch that is there, or on one that begins at base.
func RemakeWorktree(ctx context.Context, r *Repo, path, branch, base string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if !r.Taken(ctx, "refs/heads/"+branch) {
		if err := r.branch(ctx, branch, base); err != nil {
			return err
		}
		return addWorktree(ctx, r, path, path, branch)
	}
	if at, err := r.CheckedOut(ctx, branch); err != nil || at != "" && at != path {
		return cmp.Or(err, error(&Problem{branch + " is checked out in " + at, "git -C " + at + " switch another branch"}))
	}
	return addWorktree(ctx, r, path, path, branch)
}

// addWorktree makes a worktree at path, also where git still knows one that somebody deleted. It then forgets no other one.
func addWorktree(ctx context.Context, r *Repo, path string, args ...string) error {
	list, err := r.g.List(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return err
	}
	args = append([]string{"worktree", "add", "--quiet"}, args...)
	if slices.Contains(list, "worktree "+path) {
		args = slices.Insert(args, 2, "--force")
	}
	_, err = r.g.Out(ctx, args...)
	return err
}

// fill brings a fresh worktree into a state: tracked files, then untracked ones, then the index.
func (t *Tree) fill(ctx context.Context, scratch string, s trees) error {
	if _, err := t.g.Out(ctx, "read-tree", "--reset", "-u", s.work); err != nil {
		return err
	}
	if s.untracked != "" {
		dir, err := os.MkdirTemp(scratch, ".index-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		g := t.g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "others"))
		if _, err := g.Out(ctx, "read-tree", s.untracked); err != nil {
			return err
		}
		if _, err := g.Out(ctx, "checkout-index", "--all"); err != nil {
			return err
		}
	}
	if _, err := t.g.Out(ctx, "read-tree", s.index); err != nil {
		return err
	}
	t.g.Code(ctx, "update-index", "-q", "--refresh") // 1 where files differ, which they may
	return nil
}

// DropRef lets go of a kept state.
func DropRef(ctx context.Context, r *Repo, ref, commit string) {
	r.g.Code(ctx, "update-ref", "-d", ref, commit)
}
