package project

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheckout(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "") // somebody's dotfiles
	write("src/.git/HEAD", "ref: refs/heads/main\n")
	write("src/.git/worktrees/feature/HEAD", "ref: refs/heads/feature\n")
	write("src/.git/worktrees/feature/commondir", "../..\n")
	write("src/.git/worktrees/feature/gitdir", filepath.Join(home, "feature/.git")+"\n")
	write("feature/.git", "gitdir: "+filepath.Join(home, "src/.git/worktrees/feature")+"\n")
	write("feature/sub/x", "")
	write("src/sub/x", "")
	write("liar/.git", "gitdir: "+filepath.Join(home, "src/.git/worktrees/feature")+"\n")
	write("plain/x", "")
	write("sandbox/.git/.keep", "") // a folder that git takes no notice of
	write("sandbox/x", "")
	write("src/sandbox/.git/.keep", "")
	write("lost/.git", "gitdir: "+filepath.Join(home, "gone")+"\n")
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	for _, c := range []struct{ dir, worktree, main string }{
		{"src/sub", "src", "src"},
		{"feature/sub", "feature", "src"},
		{"liar", "liar", "liar"},
		{"plain", "", ""},
		{"sandbox", "", ""},
		{"src/sandbox", "src", "src"},
		{"lost", "", ""},
		{".", "", ""},
	} {
		at := func(name string) string {
			if name == "" {
				return ""
			}
			return filepath.Join(home, name)
		}
		worktree, main := Checkout(filepath.Join(home, c.dir), env)
		if worktree != at(c.worktree) || main != at(c.main) {
			t.Errorf("%s: %s, %s; want %s, %s", c.dir, worktree, main, at(c.worktree), at(c.main))
		}
	}
}
