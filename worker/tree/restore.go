package tree

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"aburn/internal/snapshot"
)

// Restore makes a worktree at path with the kept state: on the branch if that stands at the commit that the state began
// from, or is gone; else on none. It reports which.
func Restore(ctx context.Context, r *Repo, scratch, path, branch, commit string) (onBranch bool, err error) {
	s, err := snapshot.TreesOf(ctx, r.g, commit)
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
	if onBranch = branch != "" && (at == s.Head || at == ""); onBranch {
		onBranch = RemakeWorktree(ctx, r, path, branch, s.Head) == nil // it may be checked out elsewhere
	}
	if !onBranch {
		if err := addWorktree(ctx, r, path, "--detach", path, s.Head); err != nil {
			return false, err
		}
	}
	if err := r.Tree(path).snapshots().Fill(ctx, scratch, s); err != nil {
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

// DropRef lets go of a kept state.
func DropRef(ctx context.Context, r *Repo, ref, commit string) {
	r.g.Code(ctx, "update-ref", "-d", ref, commit)
}
