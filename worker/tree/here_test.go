//go:build unix

package tree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What git says of a tree in one call is what it says when it is asked for each, also where it ends early.
func TestHere(t *testing.T) {
	w := newWorld(t)
	made := w.create("w")
	w.git(made.Path, "commit", "-q", "--allow-empty", "-m", "work")
	w.git(w.repo.Root, "commit", "-q", "--allow-empty", "-m", "more")
	w.git(w.repo.Root, "branch", "unrelated", w.git(w.repo.Root, "commit-tree", "-m", "alone", "HEAD^{tree}"))
	same := func(when, onto, branch, fork string) {
		t.Helper()
		p, err := made.here(t.Context(), onto)
		ask := func(what ...string) string {
			return w.git(made.Path, append([]string{"rev-parse", "--path-format=absolute"}, what...)...)
		}
		want := place{ask("--git-dir"), ask("--git-path", "index"), ask("HEAD"), ask("HEAD^{tree}"), branch, fork}
		if err != nil || p != want {
			t.Errorf("%s: %+v, %v, want %+v", when, p, err, want)
		}
	}
	same("beside main", "main", "aburn/w", w.head)
	same("without another branch", "", "aburn/w", "")
	same("beside a branch that is gone", "gone", "aburn/w", "")
	same("beside a branch without a common history", "unrelated", "aburn/w", "")
	w.git(w.repo.Root, "tag", "aburn/w")
	same("beside a tag of its branch's name", "main", "aburn/w", w.head)
	w.git(made.Path, "checkout", "-q", "--detach")
	same("on no branch", "main", "", w.head)

	w.git(made.Path, "checkout", "-q", "--orphan", "new")
	var problem *Problem
	if _, err := made.State(t.Context()); !errors.As(err, &problem) || !made.Exists(t.Context()) {
		t.Errorf("without a commit: %v", err)
	}
	gone := func(when string, tree *Tree) {
		t.Helper()
		if _, err := tree.State(t.Context()); !errors.Is(err, ErrGone) || tree.Exists(t.Context()) {
			t.Errorf("%s: %v", when, err)
		}
	}
	gone("the main checkout", w.repo.Tree(w.repo.Root))
	w.must(os.WriteFile(filepath.Join(made.Path, ".git"), []byte("gitdir: /nowhere\n"), 0o600))
	gone("with a broken .git", made)
	inner := filepath.Join(w.dir, "main", "d0")
	w.must(os.WriteFile(filepath.Join(inner, ".git"), nil, 0o600))
	gone("a folder of another checkout", w.repo.Tree(inner))
	w.must(os.RemoveAll(made.Path))
	gone("removed", made)
}
