package project

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestBranch(t *testing.T) {
	sha := strings.Repeat("0123456789abcdef", 4)
	for _, c := range []struct{ head, want string }{
		{"ref: refs/heads/main", "main"},
		{"ref: refs/heads/feature/a-b_c", "feature/a-b_c"},
		{"ref: refs/heads/größe", "größe"},
		{sha[:40], "0123456789ab"},
		{sha, "0123456789ab"},
		{"ref: refs/heads/.invalid", ""}, // the refs are in a table
		{"ref: refs/remotes/origin/x", ""},
		{"ref: refs/heads/a\x1b[31m", ""},
		{"0123456", ""},
		{"", ""},
	} {
		w := newWorld(t, "home/a/.oss/\nhome/a/.git/HEAD="+c.head)
		p, err := Find(w.path("home/a"), w.env)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Branch(); got != c.want {
			t.Errorf("HEAD %q: %q, want %q", c.head, got, c.want)
		}
	}
}

func TestBranchOfWorktreesAndFolders(t *testing.T) {
	w := newWorld(t, "home/main/.oss/\nhome/main/pkg/.oss/\nhome/wt/src/\nhome/none/.oss/\n.git/HEAD=ref: refs/heads/beyond")
	w.repo("home/main", "home/wt")
	for _, c := range []struct{ start, want string }{
		{"home/main", "main"},
		{"home/main/pkg", "main"},
		{"home/wt/src", "topic"},
		{"home/none", ""},
	} {
		p, err := Find(w.path(c.start), w.env)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Branch(); got != c.want {
			t.Errorf("%s: %q, want %q", c.start, got, c.want)
		}
	}
}

// An empty .git is no work tree: a sandbox makes one where none is. What lies above it counts as if it were not there.
func TestEmptyGitFolder(t *testing.T) {
	w := newWorld(t, "home/main/.oss/\nhome/wt/src/.git/\nhome/main/sub/.git/\nhome/all/.git/\nhome/all/p/.oss/\nhome/all/state/")
	w.repo("home/main", "home/wt")
	for _, c := range []struct{ start, want, branch string }{
		{"home/wt/src", "home/main from home/wt as ../wt", "topic"},
		{"home/main/sub", "home/main", "main"},
	} {
		if got := w.found(c.start); got != c.want {
			t.Errorf("Find(%s) = %s, want %s", c.start, got, c.want)
		}
		p, err := Find(w.path(c.start), w.env)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Branch(); got != c.branch {
			t.Errorf("Branch(%s) = %q, want %q", c.start, got, c.branch)
		}
	}
	w.vars["XDG_STATE_HOME"] = w.path("home/all/state")
	w.setenv()
	if err := Mark(w.path("home/all/p")); err != nil {
		t.Errorf("a state folder beside the project: %v", err)
	}
	if got := w.found("home/all/p"); got != "home/all/p marked" {
		t.Errorf("a state folder beside the project: %s", got)
	}
	w.draw("home/all/.git/HEAD=ref: refs/heads/main")
	if err := os.Remove(markPath(w.path("home/all/p"), w.env) + sealSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if got := w.found("home/all/p"); got != "home/all/p" {
		t.Errorf("a state folder in the project's checkout: %s", got)
	}
}

// The layout that the other tests draw is git's own, also with relative paths, moved worktrees and bare repositories.
func TestWorktreesOfRealGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorld(t, "home/main/.oss/\nhome/main/f=1")
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Dir = w.path(dir)
		cmd.Env = []string{"HOME=" + w.path("home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("home/main", "init", "-q", "-b", "trunk")
	git("home/main", "add", "f")
	git("home/main", "commit", "-q", "-m", "x")
	git("home/main", "worktree", "add", "-q", "-b", "topic", w.path("home/wt"))
	git("home/main", "worktree", "add", "-q", "--detach", w.path("home/main/.claude/worktrees/y"))
	git("home", "clone", "-q", "--bare", w.path("home/main"), w.path("home/store/.bare"))
	git("home/store/.bare", "worktree", "add", "-q", w.path("home/store/one"), "trunk")
	w.draw("home/store/.oss/")
	git("home/main", "worktree", "move", w.path("home/wt"), w.path("home/moved"))
	for _, c := range []struct{ start, want, branch string }{
		{"home/main", "home/main", "trunk"},
		{"home/moved", "home/main from home/moved as ../moved", "topic"},
		{"home/main/.claude/worktrees/y", "home/main from home/main/.claude/worktrees/y as .claude/worktrees/y", "(sha)"},
		{"home/store/one", "home/store", ""}, // a bare repository has no main checkout
	} {
		if got := w.found(c.start); got != c.want {
			t.Errorf("Find(%s) = %s, want %s", c.start, got, c.want)
		}
		p, err := Find(w.path(c.start), w.env)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Branch(); got != c.branch && !(c.branch == "(sha)" && len(got) == 12) {
			t.Errorf("Branch(%s) = %q, want %q", c.start, got, c.branch)
		}
	}
	if err := os.Rename(w.path("home/moved"), w.path("home/copied")); err != nil {
		t.Fatal(err)
	}
	if got := w.found("home/copied"); got != "none" {
		t.Errorf("a worktree that git does not know at this place: %s", got)
	}
}
