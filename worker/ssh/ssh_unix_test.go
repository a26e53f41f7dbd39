//go:build unix

package ssh

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A line that is lost is said to be, with what ssh says of it, if anything.
func TestLostLine(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for says, want := range map[string]string{"": "no answer from box", "closed": "no answer from box: closed"} {
		if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte("#!/bin/sh\necho '"+says+"' >&2\nexit 255\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := (Host{Name: "box", Env: os.Environ()}).Do(t.Context(), nil, "true"); !errors.Is(err, ErrLost) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Workers that are spawned at once prepare their repository at once. A person's own repository around it stays as it is, and what
// a killed process left half made is finished.
func TestPrepareTogether(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "aburn"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(home, "state")
	host := Host{Env: []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "XDG_STATE_HOME=" + state, "GIT_CONFIG_NOSYSTEM=1"}}
	git := func(dir string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, host.Env
		out, _ := cmd.Output()
		return strings.TrimSpace(string(out))
	}
	git(home, "init", "-q", "-b", "dots")
	half := filepath.Join(state, "aburn", "far", "half", ".git")
	if err := os.MkdirAll(filepath.Join(half, "objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"new", "half"} {
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				dir, err := host.Prepare(t.Context(), key, "Ann Example", "ann@example.com")
				if err != nil {
					t.Errorf("%s: %v", key, err)
				} else if got := git(dir, "config", "--local", "user.email") + " " + git(dir, "symbolic-ref", "HEAD"); got != "ann@example.com refs/heads/aburn-far" {
					t.Errorf("%s: %q", dir, got)
				}
			})
		}
		wg.Wait()
	}
	if got := git(home, "config", "--local", "user.email") + git(home, "symbolic-ref", "HEAD"); got != "refs/heads/dots" {
		t.Errorf("the repository around it: %q", got)
	}
}

// A git that began while there was no repository writes its HEAD when others have made one already. That is the HEAD of all, so
// nobody sees another; what a killed process left, the next one finishes.
func TestPrepareNeverHasAnotherHead(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	killed := filepath.Join(home, "killed")
	for name, text := range map[string]string{
		"aburn": "exit 0\n",
		"git": "case \"$*\" in \"symbolic-ref HEAD \"*) [ -e " + killed + " ] || { touch " + killed + "; kill -9 $PPID; exit 1; } ;; esac\nexec " + real +
			" \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	host := Host{Env: []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}}
	head := func() string {
		data, err := os.ReadFile(filepath.Join(home, ".local", "state", "aburn", "far", "one", ".git", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(data))
	}
	if dir, err := host.Prepare(t.Context(), "one", "Ann Example", "ann@example.com"); err == nil {
		t.Fatalf("nothing was killed, and %s is made", dir)
	}
	if got := head(); got != "ref: refs/heads/aburn-far" {
		t.Errorf("behind git init: %s", got)
	}
	if _, err := host.Prepare(t.Context(), "one", "Ann Example", "ann@example.com"); err != nil || head() != "ref: refs/heads/aburn-far" {
		t.Errorf("%v, %s", err, head())
	}
}
