package tree

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
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
	head, err := small(filepath.Join(dir, "HEAD"), maxHead)
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
	link, err := small(filepath.Join(path, ".git"), maxLink)
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
		if back, err := small(filepath.Join(dir, one.Name(), "gitdir"), maxLink); err == nil && filepath.IsAbs(back) {
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
