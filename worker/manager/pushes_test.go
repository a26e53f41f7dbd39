//go:build unix

package manager

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNoticersAreTheRealPrograms: arguments, streams, exit codes, signals and the environment are those of the real program.
func TestNoticersAreTheRealPrograms(t *testing.T) {
	real, dir, cwd := t.TempDir(), filepath.Join(t.TempDir(), "it's a $dir `x`"), t.TempDir()
	os.MkdirAll(dir, 0o700)
	os.WriteFile(filepath.Join(cwd, "file"), nil, 0o600)
	git := `#!/bin/sh
for a; do printf '<%s>' "$a"; done
env | grep -v '^_=\|^PATH=\|^PWD=\|^OLDPWD=\|^SHLVL=' | sort
printf '[%s]' "$IFS" | od -c
cat
echo err >&2
[ "$1" = signal ] && kill -TERM $$
exit ${2:-0}
`
	if err := os.WriteFile(filepath.Join(real, "git"), []byte(git), 0o700); err != nil {
		t.Fatal(err)
	}
	os.Mkdir(filepath.Join(real, "gh"), 0o700) // a folder of that name is no program
	env := []string{"PATH=" + t.TempDir() + "::" + real + ":/usr/bin:/bin", "A=b c", "IFS=x"}
	with := noticePushes(dir, env)
	call := func(env []string, args ...string) (string, string, syscall.WaitStatus) {
		shell := exec.Command("/bin/sh", append([]string{"-c", `exec git "$@"`, "sh"}, args...)...)
		shell.Env, shell.Dir, shell.Stdin = env, cwd, strings.NewReader("input\x00\xff")
		var out, errs bytes.Buffer
		shell.Stdout, shell.Stderr = &out, &errs
		shell.Run()
		return out.String(), errs.String(), shell.ProcessState.Sys().(syscall.WaitStatus)
	}
	for _, args := range [][]string{
		{}, {"status", "0"}, {"push", "0"}, {"push", "1", "origin", "a b", "*", "", "-n", "$HOME", "'", "x\ny"}, {"commit", "128", "-m", "push it"}, {"signal"},
		{"pr", "0", "create"}, {"--", "3", "\\"},
	} {
		o1, e1, s1 := call(env, args...)
		o2, e2, s2 := call(with, args...)
		if o1 != o2 || e1 != e2 || s1 != s2 {
			t.Errorf("%q:\n%q %q %v\n%q %q %v", args, o1, e1, s1, o2, e2, s2)
		}
	}
	if noticed(dir).IsZero() {
		t.Error("a push was not noted")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, pushedFile+".*")); len(left) > 0 {
		t.Error(left)
	}
	// Nothing is noted of what does not push.
	os.Remove(filepath.Join(dir, pushedFile))
	call(with, "status")
	if !noticed(dir).IsZero() {
		t.Error("a status was noted as a push")
	}
	// What cannot be noted is not mentioned. A program that is not there is not found.
	os.Chmod(dir, 0o500)
	defer os.Chmod(dir, 0o700)
	if _, errs, s := call(with, "push", "7"); errs != "err\n" || s.ExitStatus() != 7 {
		t.Errorf("%q %v", errs, s)
	}
	cmd := exec.Command(filepath.Join(dir, pushersDir, "gh"), "pr", "create")
	cmd.Env = []string{"PATH=" + filepath.Join(dir, pushersDir) + ":" + real}
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 127 {
		t.Errorf("%s %v", out, err)
	}
}

// TestNoticersAreOnThePath: only a PATH that is there gets them, and a folder whose name a PATH cannot hold is left out.
func TestNoticersAreOnThePath(t *testing.T) {
	dir := t.TempDir()
	if got := noticePushes(dir, []string{"A=1", "PATH=/bin"}); got[1] != "PATH="+filepath.Join(dir, pushersDir)+":/bin" || len(got) != 2 {
		t.Error(got)
	}
	odd := filepath.Join(dir, "a:b")
	if got := noticePushes(odd, []string{"PATH=/bin"}); got[0] != "PATH=/bin" {
		t.Error(got)
	}
	if !noticed(dir).Equal(time.Time{}) {
		t.Error("nothing was called")
	}
}
