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

	"aburn/internal/fault"
	"aburn/internal/lab/world"
)

// nobody is a user that owns nothing here.
const nobody = 65534

// closedHome is a home with a few sessions, and two folders beside them that may not be read, and an aburn that the user nobody can start.
func closedHome(t *testing.T) (home, exe string, closed []string) {
	t.Helper()
	home, err := os.MkdirTemp("", "aburn-closed-") // whoever is nobody can get there, which t.TempDir does not promise
	if err != nil {
		t.Fatal(err)
	}
	closed = []string{filepath.Join(home, ".claude/projects/-home-closed"), filepath.Join(home, ".codex/sessions/2025/11/21")}
	t.Cleanup(func() {
		for _, dir := range closed {
			os.Chmod(dir, 0o700)
		}
		os.RemoveAll(home)
	})
	exe = filepath.Join(home, "aburn")
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
	return home, exe, closed
}

// Where a person names a folder, all readers look, and a folder below it that may not be read is told once, whoever it is of.
func TestIngestNamedAboveClosedFolders(t *testing.T) {
	world.Unshared(t)
	t.Parallel()
	home, exe, closed := closedHome(t)
	for _, dir := range []string{".gemini/tmp/p/chats", ".openclaw/agents/a/sessions"} {
		dir = filepath.Join(home, dir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			if err := os.Chown(dir, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
		closed = append(closed, dir)
	}
	for name, args := range map[string][]string{"named": {"ingest", home}, "usual": {"ingest"}} {
		cmd := aburnIn(home, args...)
		cmd.Path, cmd.Env = exe, append(cmd.Env, "HOME="+home, "ABURN_HOME="+filepath.Join(home, "archive", name))
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != fault.ExitFailed || !strings.Contains(string(out), "4 things could not be archived") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, dir := range closed {
			if n := strings.Count(string(out), strings.TrimPrefix(dir, home)+": permission denied"); n != 1 {
				t.Errorf("%s: %s is told %d times\n%s", name, dir, n, out)
			}
		}
	}
}

// Folders that may not be read are told, each once and as bad news, and everything beside them is archived: by the usual places
// and by a name.
func TestIngestBesideClosedFolders(t *testing.T) {
	world.Unshared(t)
	t.Parallel()
	home, exe, closed := closedHome(t)
	prepare := func(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
		cmd := aburnIn(home, args...)
		cmd.Path, cmd.Env = exe, append(cmd.Env, "HOME="+home, "ABURN_HOME="+filepath.Join(home, "archive", filepath.Base(args[len(args)-1])))
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, errs := new(bytes.Buffer), new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = out, errs
		return cmd, out, errs
	}
	cmd, out, errs := prepare("ingest", "claude", closed[0])
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != fault.ExitFailed ||
		out.String() != "claude skipped  open ~/.claude/projects/-home-closed: permission denied\n" {
		t.Errorf("named: %v\n%s%s", err, out, errs)
	}
	for _, args := range [][]string{{"ingest", "claude", "codex"}, {"ingest", "claude", home}} {
		cmd, out, errs := prepare(args...)
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != fault.ExitFailed || !strings.Contains(errs.String(), "2 things could not be archived") {
			t.Errorf("%q: %v\n%s", args, err, errs.String())
		}
		if claude, codex := regexp.MustCompile(`(?m)^  claude +3 +0 `), regexp.MustCompile(`(?m)^  codex +1 +0 `); !claude.MatchString(out.String()) ||
			args[2] == "codex" && !codex.MatchString(out.String()) {
			t.Errorf("%q: what lies beside is not archived\n%s", args, out.String())
		}
		for _, dir := range closed {
			if n := strings.Count(out.String(), strings.TrimPrefix(dir, home)+": permission denied"); n != 1 {
				t.Errorf("%q: %s is told %d times\n%s", args, dir, n, out.String())
			}
		}
	}
}
