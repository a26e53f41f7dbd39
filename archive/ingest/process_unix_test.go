//go:build unix

package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/archive"
)

// limitFileSize makes the system refuse what makes a file longer than this.
func limitFileSize(size uint64) {
	if size == 0 {
		return
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
		panic(err)
	}
}

// nobody is a user that owns nothing here.
const nobody = 65534

// Who may not write is told where, and what to do.
func TestReadOnlyFolder(t *testing.T) {
	w := newWorld(t)
	base, err := os.MkdirTemp("", "ingest-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	w.home, w.dir = base, filepath.Join(base, "archive")
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.ingest()
	w.write("b.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	lock := filepath.Join(w.dir, "ingest.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(base, "exe")
	if err := os.WriteFile(exe, data, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{base: 0o755, w.dir: 0o555, filepath.Join(w.dir, archive.Name): 0o444, lock: 0o444} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(w.dir, 0o755) })
	cmd, wait := w.prepare(order{})
	cmd.Path, cmd.Dir = exe, base
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if a := wait(); !strings.Contains(a.Error, w.dir) || !strings.Contains(a.Error, "permission denied") {
		t.Errorf("%+v", a)
	}
}
