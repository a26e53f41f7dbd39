package tree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// ErrGone says that a worktree is not there, or that git does not take what lies there for one.
var ErrGone = errors.New("its tree is gone")

// place is where a tree stands, as git says it at one moment. An agent may change all of it at any time, so each operation asks
// anew, and nothing of it outlives one.
type place struct {
	dir, index string // git's bookkeeping of this tree, and its index
	head, tree string // the commit that is checked out, and that one's tree
	branch     string // "" on none
	fork       string // where the history of head leaves that of onto; "" if it never met it
}

// here asks where the tree stands, and whether git knows it, in one call. onto is a commit or branch, or "".
func (t *Tree) here(ctx context.Context, onto string) (p place, err error) {
	if st, err := os.Lstat(filepath.Join(t.Path, ".git")); err != nil || !st.Mode().IsRegular() {
		return p, ErrGone
	}
	args := []string{"rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-path", "index", "HEAD^{commit}", "HEAD^{tree}",
		"--symbolic-full-name", "HEAD"}
	if onto != "" && onto != "HEAD" {
		args = append(args, onto+"...HEAD") // last, as it may be no commit any more: git then ends there
	}
	_, out, err := t.g.Code(ctx, args...)
	if err != nil {
		return p, err
	}
	says := strings.Split(out, "\n")
	if len(says) < 3 || !sameFile(says[0], t.Path) {
		return p, ErrGone
	}
	p.dir, p.index = says[1], says[2]
	if len(says) < 6 {
		return p, t.noCommit()
	}
	p.head, p.tree, p.branch = says[3], says[4], named(says[5])
	for _, line := range says[6:] {
		if base, ok := strings.CutPrefix(line, "^"); ok {
			p.fork = base
			break // of several the best comes first
		}
	}
	return p, nil
}

func sameFile(a, b string) bool {
	stA, errA := os.Stat(a)
	stB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(stA, stB)
}

// Exists reports whether the tree is there, and git knows it.
func (t *Tree) Exists(ctx context.Context) bool {
	p, _ := t.here(ctx, "")
	return p.dir != ""
}
