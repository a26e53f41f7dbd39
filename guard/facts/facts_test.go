package facts

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"aburn/guard"
)

// TestNow asks a real repository, before and after what changes its answers.
func TestNow(t *testing.T) {
	home := t.TempDir()
	dir, origin := filepath.Join(home, "p"), filepath.Join(home, "origin")
	env := append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run("init", "-q", "-b", "work")
	run("config", "user.email", "u@example.com")
	run("config", "user.name", "u")
	write("a", "1")
	write(".gitignore", "out\n")
	run("add", ".")
	run("commit", "-qm", "a")
	now := func() *Now {
		return &Now{Ctx: context.Background(), Environ: env, Env: func(string) string { return "" }, Home: home}
	}
	n := now()
	if n.Dirty(dir) != guard.No || n.Pushed(dir) != guard.No || n.Branch(dir) != "work" || n.Cluster() != "" {
		t.Errorf("clean: dirty %v, pushed %v, branch %q, cluster %q", n.Dirty(dir), n.Pushed(dir), n.Branch(dir), n.Cluster())
	}
	for path, want := range map[string][2]guard.Truth{
		"a": {guard.Yes, guard.No}, "out": {guard.No, guard.Yes}, "b": {guard.No, guard.No}, "out/c/d": {guard.No, guard.Yes}, "../x": {guard.No, guard.No},
	} {
		path = filepath.Join(dir, path)
		if got := [2]guard.Truth{n.Tracked(path), n.Ignored(path)}; got != want {
			t.Errorf("%s: tracked, ignored %v, want %v", path, got, want)
		}
	}
	write("a", "2")
	run("init", "-q", "--bare", origin)
	run("remote", "add", "origin", origin)
	run("push", "-q", "origin", "work")
	if err := os.Mkdir(filepath.Join(home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".kube", "config"), []byte("current-context: prod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n = now()
	if n.Dirty(dir) != guard.Yes || n.Pushed(dir) != guard.Yes || n.Cluster() != "prod" {
		t.Errorf("changed: dirty %v, pushed %v, cluster %q", n.Dirty(dir), n.Pushed(dir), n.Cluster())
	}
	if n.Dirty(home) != guard.Unknown || n.Branch(home) != "" {
		t.Error("a folder without a repository has an answer")
	}
	if err := os.Symlink(home, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	real, _ := filepath.EvalSymlinks(home)
	if got := n.Resolve(filepath.Join(dir, "link", "new", "file")); got != filepath.Join(real, "new", "file") {
		t.Errorf("link: %s", got)
	}
}
