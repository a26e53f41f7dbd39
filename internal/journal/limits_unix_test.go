//go:build unix

package journal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody makes a worker run as a user who may read the folder, not write it.
func asNobody(t *testing.T, dir string) func(*exec.Cmd) {
	t.Helper()
	os.Chmod(logPath(dir), 0o444)
	os.Chmod(dir, 0o555)
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	if os.Getuid() != 0 {
		return func(*exec.Cmd) {}
	}
	// The test's folders and its executable must be open to that user.
	for d := filepath.Dir(dir); d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		os.Chmod(d, 0o755)
	}
	exe := filepath.Join(filepath.Dir(dir), "worker")
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(exe, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return func(cmd *exec.Cmd) {
		cmd.Path = exe
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}
