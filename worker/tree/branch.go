package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/snapshot"
)

// maxHead bounds the file HEAD, in bytes: it names one branch.
const maxHead = 4 << 10

// OnBranch is the branch that a worktree is on, by its files: "" where HEAD is detached. It starts no process. ok is false where the
// files do not say it in git's usual way, as in a repository with reftables; an agent may have written them.
func OnBranch(path string) (branch string, ok bool) {
	dir, ok := linkOf(path)
	if !ok {
		return "", false
	}
	head, err := snapshot.ReadSmall(filepath.Join(dir, "HEAD"), maxHead)
	if err != nil {
		return "", false
	}
	head = strings.TrimSuffix(head, "\n")
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		return "", len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == ""
	}
	branch, ok = strings.CutPrefix(ref, "refs/heads/")
	return branch, ok && branch != ".invalid"
}

// linkOf is the folder that a linked worktree's .git names.
func linkOf(path string) (dir string, ok bool) {
	link, err := snapshot.ReadSmall(filepath.Join(path, ".git"), maxLink)
	dir, linked := strings.CutPrefix(strings.TrimSuffix(link, "\n"), "gitdir: ")
	if err != nil || !linked {
		return "", false
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(path, dir)
	}
	return dir, true
}

// HeadChanged is when a worktree's HEAD was last written; zero where its files do not say.
func HeadChanged(path string) time.Time {
	if dir, ok := linkOf(path); ok {
		if st, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
			return st.ModTime()
		}
	}
	return time.Time{}
}

// Standing is the branch that the tree is on and its commit, as git says: "" on none.
func (t *Tree) Standing(ctx context.Context) (branch, head string, err error) {
	p, err := t.here(ctx, "")
	return p.branch, p.head, err
}

// BranchMade says when a branch was made and of what, as the oldest entry of its reflog has it. ok is false where that says nothing.
func BranchMade(ctx context.Context, r *Repo, branch string) (at time.Time, from string, ok bool) {
	out, err := r.g.Out(ctx, "log", "--walk-reflogs", "--date=unix", "--format=%gd%x09%gs", "refs/heads/"+branch, "--")
	if err != nil || out == "" {
		return at, "", false
	}
	oldest := out[strings.LastIndexByte(out, '\n')+1:]
	selector, says, _ := strings.Cut(oldest, "\t")
	_, second, _ := strings.Cut(selector, "@{")
	n, err := strconv.ParseInt(strings.TrimSuffix(second, "}"), 10, 64)
	from, made := strings.CutPrefix(says, "branch: Created from ")
	return time.Unix(n, 0), from, err == nil && made
}

// Linked are the paths of the linked worktrees that a main checkout knows of. No process is started; a worktree may be gone.
func Linked(main string) (paths []string) {
	dir := filepath.Join(main, ".git", "worktrees")
	all, _ := os.ReadDir(dir)
	for _, one := range all {
		if back, err := snapshot.ReadSmall(filepath.Join(dir, one.Name(), "gitdir"), maxLink); err == nil && filepath.IsAbs(back) {
			paths = append(paths, filepath.Dir(strings.TrimSuffix(back, "\n")))
		}
	}
	return paths
}

// RepairWorktrees brings the repository and worktrees of it together again, after one or the other moved.
func RepairWorktrees(ctx context.Context, r *Repo, paths []string) error {
	_, err := r.g.Out(ctx, append([]string{"worktree", "repair", "--"}, paths...)...)
	return err
}

// FreeBranch is want, or want with a number behind it where that branch exists.
func (r *Repo) FreeBranch(ctx context.Context, want string) (string, error) {
	if !plainName(want) {
		if code, _, err := r.g.Code(ctx, "check-ref-format", "--branch", want); err != nil || code != 0 {
			return "", errors.Join(err, &Problem{fmt.Sprintf("%q cannot be the name of a branch", want), "--branch NAME"})
		}
	}
	for n := 1; ; n++ {
		name := want
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if has, err := r.hasBranch(ctx, name); err != nil || !has {
			return name, err
		}
	}
}

// hasBranch reports whether a branch is there. Where refs are files it looks at them, which costs no process: at the branch's own file
// first, because git packs a ref before it removes that file. Git refuses to make a branch that is there all the same.
func (r *Repo) hasBranch(ctx context.Context, name string) (bool, error) {
	ref := "refs/heads/" + name
	st, missing := os.Lstat(filepath.Join(r.common, filepath.FromSlash(ref)))
	packed, err := snapshot.ReadSmall(filepath.Join(r.common, "packed-refs"), maxPacked)
	if errors.Is(err, fs.ErrNotExist) && !isDir(filepath.Join(r.common, "reftable")) {
		err = nil
	}
	switch {
	case err != nil || missing != nil && !errors.Is(missing, fs.ErrNotExist) || missing == nil && !st.Mode().IsRegular():
		code, _, err := r.g.Code(ctx, "show-ref", "--verify", "--quiet", ref)
		return err == nil && code == 0, err
	case missing == nil:
		return true, nil
	}
	return strings.Contains(packed, " "+ref+"\n"), nil
}

// branch makes a branch, and refuses one that is there. worktree add -b would do so too, and leave the branch if it fails: then the
// same call cannot be made again.
func (r *Repo) branch(ctx context.Context, name, base string) error {
	_, err := r.g.Out(ctx, "branch", "--quiet", "--no-track", name, base)
	return err
}

// DropBranch removes a branch that still stands at base; one with commits stays. It reports whether the branch is gone.
func DropBranch(ctx context.Context, r *Repo, branch, base string) bool {
	code, _, err := r.g.Code(ctx, "update-ref", "-d", "refs/heads/"+branch, base)
	return err == nil && code == 0
}

// DropMerged deletes a branch if it is at head still, which came into the commit into. If its commits are not in the history of into,
// as after a squash, ref holds them from now on.
func DropMerged(ctx context.Context, r *Repo, branch, head, into, ref string) (bool, error) {
	_, lacks, err := CountApart(ctx, r, into, head)
	if err == nil && lacks > 0 {
		_, err = r.g.Out(ctx, "update-ref", ref, head)
	}
	if err != nil {
		return false, err
	}
	return DropBranch(ctx, r, branch, head), nil
}
