package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// patient is a git that waits for others as long as a slow machine may take.
func patient(g *Git) *Git {
	long := *g
	long.wait.most = 5 * time.Minute
	return &long
}

// What another git holds is waited for. The test holds it, and lets go when the call asks for a pause.
func TestCallsWaitForOtherGits(t *testing.T) {
	for _, c := range []struct {
		name, file string
		args       []string
	}{
		{"an index", "index.lock", []string{"add", "new"}},
		{"a configuration", "config.lock", []string{"config", "a.b", "c"}},
		{"a worktree that is being made", "worktrees/half/commondir", []string{"worktree", "list"}},
		{"a worktree whose HEAD is written", "worktrees/half/HEAD", []string{"rev-list", "--all"}},
		{"a push to where a worktree is made", "worktrees/half/HEAD", []string{"push", "--quiet", ".", "HEAD:refs/aburn/new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := patient(repository(t))
			t.Chdir(g.Dir)
			file := filepath.Join(".git", c.file)
			os.MkdirAll(filepath.Join(g.Dir, ".git", "worktrees", "half"), 0o700)
			text := ""
			if filepath.Base(file) == "HEAD" {
				text = strings.Repeat("0", 40) + "\n"
				os.WriteFile(".git/worktrees/half/commondir", []byte("../..\n"), 0o600)
			}
			for path, text := range map[string]string{file: text, "new": "new\n", ".git/worktrees/half/gitdir": filepath.Join(g.Dir, "half", ".git") + "\n"} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			pauses := 0
			g.wait.pause = func(context.Context, time.Duration) error {
				if pauses++; pauses == 2 {
					os.Remove(file)
				}
				return nil
			}
			if _, err := g.Out(t.Context(), c.args...); err != nil || pauses != 2 {
				t.Errorf("%d pauses, %v", pauses, err)
			}
		})
	}
}

// An entry of a worktree that a crash left half written is refused at once, with what mends it. Nobody works at it.
func TestBrokenWorktreeIsNotWaitedFor(t *testing.T) {
	g := patient(repository(t))
	real, err := filepath.EvalSymlinks(g.Dir)
	if err != nil {
		t.Fatal(err)
	}
	entry := filepath.Join(real, ".git", "worktrees", "half")
	os.MkdirAll(entry, 0o700)
	long := time.Now().Add(-time.Hour)
	for name, text := range map[string]string{"commondir": "", "gitdir": filepath.Join(g.Dir, "half", ".git") + "\n"} {
		path := filepath.Join(entry, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(entry, long, long); err != nil {
		t.Fatal(err)
	}
	g.wait.pause = func(context.Context, time.Duration) error { t.Error("the call waits"); return context.Canceled }
	if _, err := g.Out(t.Context(), "worktree", "list"); err == nil || !strings.Contains(err.Error(), "nobody works at "+entry) {
		t.Error(err)
	}
	if entry := g.brokenEntry(t.Context(), "remote: fatal: bad object worktrees/half/HEAD\n"); entry != "" {
		t.Error("what another repository says is taken for", entry)
	}
	if _, err := g.Out(t.Context(), "worktree", "prune"); err != nil {
		t.Error(err)
	}
	if _, err := g.Out(t.Context(), "worktree", "list"); err != nil {
		t.Error("what the error says does not mend it:", err)
	}
}

// Git itself waits for refs, and as long as every other call.
func TestCallsWaitForRefs(t *testing.T) {
	g := patient(repository(t))
	for _, ref := range []string{"refs/heads/a", "refs/heads/b"} {
		if _, err := g.Out(t.Context(), "update-ref", ref, "HEAD"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Out(t.Context(), "pack-refs", "--all"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"refs/heads/a.lock", "packed-refs.lock"} {
		lock := filepath.Join(g.Dir, ".git", name)
		os.MkdirAll(filepath.Dir(lock), 0o700)
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(1500*time.Millisecond, func() { os.Remove(lock) }) // git's own patience is 100 ms, and 1 s
		ref := map[bool]string{true: "refs/heads/b", false: "refs/heads/a"}[name == "packed-refs.lock"]
		if _, err := g.Out(t.Context(), "update-ref", "-d", ref); err != nil {
			t.Error(name, err)
		}
	}
}

func TestWaitingEnds(t *testing.T) {
	g := repository(t)
	lock := filepath.Join(g.Dir, ".git", "index.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g.wait.most = -time.Second // as if each call took longer
	pauses := 0
	g.wait.pause = func(context.Context, time.Duration) error { pauses++; return nil }
	if _, err := g.Out(t.Context(), "read-tree", "HEAD"); err == nil || pauses != triesAtLeast-1 {
		t.Errorf("a lock that nobody gives back: %d pauses, %v", pauses, err)
	}
	g = patient(g)
	ctx, stop := context.WithCancel(t.Context())
	g.wait.pause = func(ctx context.Context, d time.Duration) error { stop(); return pause(ctx, d) }
	if _, err := g.Out(ctx, "read-tree", "HEAD"); err != context.Canceled {
		t.Error(err)
	}
}

// What only looks takes no lock: the agent's or the person's own git would be refused at that moment.
func TestLookingTakesNoLock(t *testing.T) {
	g := repository(t)
	file := filepath.Join(g.Dir, "new")
	if err := os.WriteFile(file, []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"add", "new"}, {"commit", "-q", "-m", "second"}} {
		if _, err := g.Out(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(file, long, long); err != nil { // git status would write down what it found out about it
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(g.Dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := g.Out(t.Context(), "status", "--porcelain"); out != "" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if after, err := os.Stat(filepath.Join(g.Dir, ".git", "index")); err != nil || !os.SameFile(before, after) {
		t.Error("status wrote the index", err)
	}
}

// A hook that fails over a lock is not started again.
func TestHooksRunOnce(t *testing.T) {
	g := repository(t).Hooked()
	g.wait.pause = func(context.Context, time.Duration) error { t.Error("the call was made again"); return nil }
	hook := filepath.Join(g.Dir, ".git", "hooks", "pre-commit")
	os.MkdirAll(filepath.Dir(hook), 0o700)
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho checking >&2\necho \"Unable to create 'x.lock': File exists.\" >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Out(t.Context(), "commit", "-q", "--allow-empty", "-m", "second"); err == nil {
		t.Error("the hook did not refuse")
	}
}

// Processes that collide on purpose: each writes the configuration and refs, and makes and removes worktrees.
func TestGitsTogether(t *testing.T) {
	world.Slow(t)
	g := patient(repository(t))
	trees := t.TempDir()
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			for i := range 4 {
				name := fmt.Sprintf("w%d-%d", n, i)
				for _, args := range [][]string{
					{"config", "aburn." + name, "x"},
					{"branch", "aburn/" + name},
					{"worktree", "add", "--quiet", filepath.Join(trees, name), "aburn/" + name},
					{"worktree", "list", "--porcelain"},
					{"worktree", "remove", "--force", filepath.Join(trees, name)},
					{"update-ref", "-d", "refs/heads/aburn/" + name},
				} {
					if _, err := g.Out(t.Context(), args...); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
}

// TestLastWorktreeGoes: git removes the folder of all worktrees with the last one, while another git reads it. As seen with git 2.39.
func TestLastWorktreeGoes(t *testing.T) {
	if !busyLine("fatal: Invalid path '/src/main/.git/worktrees': No such file or directory") {
		t.Error("the call is not made again")
	}
	if busyLine("fatal: Invalid path '/src/main': No such file or directory") {
		t.Error("a path that is not there is no other git at work")
	}
}
