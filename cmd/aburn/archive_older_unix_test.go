//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/archive"
	"aburn/internal/fault"
	"aburn/internal/lab/world"
)

// In a folder that this user may not write an older archive stays as it is, and the command says both: whose it is, and why it was
// not renewed.
func TestOlderArchiveReadOnly(t *testing.T) {
	world.Unshared(t)
	t.Parallel()
	home, exe, _ := closedHome(t)
	as := func(args ...string) *exec.Cmd {
		cmd := aburnIn(home, args...)
		cmd.Path, cmd.Env = exe, append(cmd.Env, "HOME="+home, "ABURN_HOME="+filepath.Join(home, "archive"))
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		return cmd
	}
	as("ingest").Run() // the closed folders are bad news
	dir := filepath.Join(home, "archive")
	path := filepath.Join(dir, archive.Name)
	if err := olderSchema(path); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	out, err := as("sessions").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "an older aburn wrote the archive, and it can't be renewed: ") ||
		!strings.Contains(string(out), "permission denied") ||
		!strings.Contains(string(out), "\naburn: error: "+path+": an older aburn wrote it") || strings.Contains(string(out), "77d1a0e4") {
		t.Errorf("%v\n%s", err, out)
	}
	if code := fault.ExitFailed; err != nil && err.(*exec.ExitError).ExitCode() != code {
		t.Errorf("%v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("it is not as it was: %v", err)
	}
	for _, mode := range []os.FileMode{0o700, 0o500} { // renewed, then read where nothing can be written
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if out, err := as("sessions").CombinedOutput(); err != nil || !strings.Contains(string(out), "77d1a0e4") {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
