//go:build unix

package tree

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTreesWithinTheCheckout: a folder of worktrees in the person's checkout is no change there, and nothing that git has.
func TestTreesWithinTheCheckout(t *testing.T) {
	w := newWorld(t)
	main := w.repo.Main
	exclude := filepath.Join(main, ".git", "info", "exclude")
	w.must(os.WriteFile(exclude, []byte("# mine"), 0o644)) // without an end of line
	for _, dir := range []string{".trees", "a b/[x]*", ".trees"} {
		path := filepath.Join(main, dir, "w")
		w.must(w.repo.Exclude(t.Context(), path))
		if _, err := os.Stat(path); err != nil {
			_, err := CreateWorktree(t.Context(), w.repo, path, "aburn/"+strconv.Itoa(len(dir)), w.head)
			w.must(err)
		}
	}
	if got := w.git(main, "status", "--porcelain", "-uall"); strings.Contains(got, "tree") || strings.Contains(got, "a b") {
		t.Error(got)
	}
	text, err := os.ReadFile(exclude)
	w.must(err)
	if string(text) != "# mine\n/.trees/\n/a b/\\[x]\\*/\n" {
		t.Errorf("%q", text)
	}
	w.write(main, "x]/seen", "") // the pattern means its own folder only
	if got := w.git(main, "status", "--porcelain", "-uall"); !strings.Contains(got, "x]/seen") {
		t.Error(got)
	}
	for _, dir := range []string{"", ".git/trees", "d0"} {
		var problem *Problem
		if err := w.repo.Exclude(t.Context(), filepath.Join(main, dir, "w")); !errors.As(err, &problem) {
			t.Errorf("%q: %v", dir, err)
		}
	}
	w.must(w.repo.Exclude(t.Context(), filepath.Join(t.TempDir(), "w")))
}

// TestAddedLines: what aburn writes into a file of the tree is nothing to lose, is behind what stands there, and is never
// written where a commit would take it or through a link.
func TestAddedLines(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "w")
	tree, err := CreateWorktree(t.Context(), w.repo, path, "aburn/w", w.head)
	w.must(err)
	outside := filepath.Join(t.TempDir(), "outside")
	w.must(os.Symlink(outside, filepath.Join(path, "l.ign")))
	w.must(os.Symlink(filepath.Dir(outside), filepath.Join(path, "dir.ign")))
	w.write(path, "had.ign", "A=1")
	var known []Copied
	for _, c := range []struct{ file, want, why string }{
		{"new.ign", "PORT=1\n", ""}, {"deep/er/new.ign", "PORT=1\n", ""}, {"had.ign", "A=1\nPORT=1\n", ""},
		{"plain", "", "does not ignore"}, {"d0/f0", "", "does not ignore"}, {"l.ign", "", "is a link"},
	} {
		why, one, err := tree.AddLines(t.Context(), c.file, "PORT=1\n")
		w.must(err)
		if (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q", c.file, why)
		}
		if got, _ := os.ReadFile(filepath.Join(path, c.file)); why == "" && string(got) != c.want {
			t.Errorf("%s: %q", c.file, got)
		}
		if why == "" {
			known = append(known, one)
		}
	}
	if _, _, err := tree.AddLines(t.Context(), "dir.ign/x", "PORT=1\n"); err == nil {
		t.Error("a link led out of the tree")
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("written through a link")
	}
	tree.Knows(known)
	if rest := tree.unknown([]string{"new.ign", "had.ign", "other.ign"}); len(rest) != 1 || rest[0] != "other.ign" {
		t.Errorf("%q", rest)
	}
	w.write(path, "new.ign", "PORT=1\nmine\n")
	if rest := tree.unknown([]string{"new.ign"}); len(rest) != 1 {
		t.Error("a change of the worker's would be lost")
	}
}
