//go:build unix

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user that owns nothing here.
const nobody = 65534

// Folders that may not be read are told, each once and as bad news, and everything beside them is archived: by the usual places
// and by a name.
func TestIngestBesideClosedFolders(t *testing.T) {
	home, err := os.MkdirTemp("", "aburn-closed-") // whoever is nobody can get there, which t.TempDir does not promise
	if err != nil {
		t.Fatal(err)
	}
	closed := []string{filepath.Join(home, ".claude/projects/-home-closed"), filepath.Join(home, ".codex/sessions/2025/11/21")}
	t.Cleanup(func() {
		for _, dir := range closed {
			os.Chmod(dir, 0o700)
		}
		os.RemoveAll(home)
	})
	exe := filepath.Join(home, "aburn")
	program, err := exec.LookPath("aburn")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err := errors.Join(err, os.WriteFile(exe, data, 0o755), os.CopyFS(home, os.DirFS("testdata/store/home"))); err != nil {
		t.Fatal(err)
	}
	for _, dir := range closed {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		if err := filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, nobody, nobody))
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range closed {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"ingest", "claude", "codex"}, {"ingest", "claude", home}} {
		cmd := aburnIn(home, args...)
		cmd.Path, cmd.Env = exe, append(cmd.Env, "HOME="+home, "ABURN_HOME="+filepath.Join(home, "archive", filepath.Base(args[len(args)-1])))
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != exitBadNews || !strings.Contains(errs.String(), "2 things could not be archived") {
			t.Errorf("%q: %v\n%s", args, err, errs.String())
		}
		if claude, codex := regexp.MustCompile(`(?m)^  claude +3 +0 `), regexp.MustCompile(`(?m)^  codex +1 +0 `); !claude.MatchString(out.String()) || args[2] == "codex" && !codex.MatchString(out.String()) {
			t.Errorf("%q: what lies beside is not archived\n%s", args, out.String())
		}
		for _, dir := range closed {
			if n := strings.Count(out.String(), strings.TrimPrefix(dir, home)+": permission denied"); n != 1 {
				t.Errorf("%q: %s is told %d times\n%s", args, dir, n, out.String())
			}
		}
	}
}
