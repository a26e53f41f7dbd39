package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func repository(t *testing.T) *Git {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	g := In(t.TempDir(), os.Environ())
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "T"}, {"config", "user.email", "t@example.com"},
		{"commit", "-q", "--allow-empty", "-m", "first"},
	} {
		if _, err := g.Out(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func TestCallerCannotLeadGitAstray(t *testing.T) {
	g := repository(t)
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	g = In(g.Dir, os.Environ())
	if out, err := g.Out(t.Context(), "log", "--format=%s"); out != "first" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestHooksOfTheRepositoryDoNotRun(t *testing.T) {
	g := repository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	for _, hook := range []string{"pre-commit", "post-checkout", "reference-transaction"} {
		path := filepath.Join(g.Dir, ".git", "hooks", hook)
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Out(t.Context(), "config", "core.fsmonitor", "touch "+ran); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"commit", "-q", "--allow-empty", "-m", "second"}, {"checkout", "-q", "-b", "other"}, {"status"}} {
		if _, err := g.Out(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook of the repository ran")
	}
}

func TestFailureSaysWhatGitSaid(t *testing.T) {
	g := repository(t)
	var failed *Error
	if _, err := g.Out(t.Context(), "rev-parse", "--verify", "nothing"); !errors.As(err, &failed) || failed.Code != 128 ||
		failed.Text != "fatal: Needed a single revision" {
		t.Error(err)
	}
	if code, _, err := g.Code(t.Context(), "diff", "--quiet", "HEAD"); code != 0 || err != nil {
		t.Error(code, err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := In(g.Dir, os.Environ()).Out(t.Context(), "status"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

func TestFiltersOfTheRepositoryDoNotRun(t *testing.T) {
	g := repository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	for _, name := range []string{"filter.x.clean", "filter.a=b.c.process", "filter.x.required"} {
		if _, err := g.Out(t.Context(), "config", name, "touch '"+ran+"'; cat"); err != nil && name != "filter.x.required" {
			t.Fatal(err)
		}
	}
	if _, err := g.Out(t.Context(), "config", "filter.x.required", "true"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.js": "f()\n", "b.js": "g()\n", ".git/info/attributes": "a.js filter=x\nb.js filter=a=b.c\n"} {
		if err := os.WriteFile(filepath.Join(g.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calm, err := g.Unfiltered(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"add", "a.js", "b.js"}, {"commit", "-q", "-m", "second"}} {
		if _, err := calm.Out(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(g.Dir, "a.js"), []byte("h()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := calm.Out(t.Context(), "status", "--porcelain"); out != " M a.js" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a filter ran")
	}
	if _, _, err := g.Code(t.Context(), "status", "--porcelain"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err != nil {
		t.Error("the test shows nothing: without the protection no filter ran either")
	}
}

func TestUnfilteredWithoutFilters(t *testing.T) {
	g := repository(t)
	if calm, err := g.Unfiltered(t.Context()); calm != g || err != nil {
		t.Errorf("%+v, %v", calm, err)
	}
}
