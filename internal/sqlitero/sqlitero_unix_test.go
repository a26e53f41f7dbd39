//go:build unix

package sqlitero

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.db")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Error(err)
	}
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		path := filepath.Join(t.TempDir(), "x.db")
		writer, stdin, _ := role(t, os.Args[0], "writer", path, nil)
		stdin.Close()
		writer.Wait()
		if err := syscall.Mkfifo(path+end, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("with a pipe called %s: %v", end, err)
		}
	}
}

// nobody is a user that owns nothing here.
const nobody = 65534

// unprivileged is this executable where another user can start it, and a folder that the user can read and not write.
func unprivileged(t *testing.T) (exe, dir string, as func(*exec.Cmd)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user; and root's own reads are never refused")
	}
	base, err := os.MkdirTemp("", "sqlitero-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	exe, dir = filepath.Join(base, "exe"), filepath.Join(base, "data")
	temp := filepath.Join(base, "temp")
	for _, d := range []string{base, dir} {
		os.Mkdir(d, 0o755)
		os.Chmod(d, 0o755)
	}
	os.Mkdir(temp, 0o700)
	os.Chown(temp, nobody, nobody)
	if err := os.WriteFile(exe, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return exe, dir, func(cmd *exec.Cmd) {
		cmd.Env = append(cmd.Env, "TMPDIR="+temp)
		cmd.Dir = base
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

func TestUnprivilegedInAReadOnlyFolder(t *testing.T) {
	exe, dir, as := unprivileged(t)
	path := filepath.Join(dir, "x.db")
	writer, _, _ := role(t, os.Args[0], "writer", path, nil)
	chmod := func() {
		for _, end := range []string{"", "-wal", "-shm"} {
			os.Chmod(path+end, 0o644)
		}
	}
	chmod()
	before := hashes(t, path)
	check := func(when, want string) {
		t.Helper()
		if _, _, got := role(t, exe, "reader", path, as); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	check("beside the writer", ModeRO+" rows=1")
	writer.Process.Kill()
	writer.Wait()
	os.Remove(path + "-shm")
	check("with a log and no -shm", Copied+" rows=1")
	if after := hashes(t, path); after != before {
		t.Error("the files changed")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "temp", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}

	os.Remove(path) // and one that its writer closed properly
	os.Remove(path + "-wal")
	writer, stdin, _ := role(t, os.Args[0], "writer", path, nil)
	stdin.Close()
	writer.Wait()
	chmod()
	check("without a log", Immutable+" rows=1")
	os.WriteFile(path+"-wal", nil, 0o644)
	check("with an empty log", Immutable+" rows=1")
	os.Chmod(path, 0o600)
	_, _, got := role(t, exe, "reader", path, as)
	if !strings.HasPrefix(got, "error permission=true") {
		t.Errorf("of a file that may not be read: %s", got)
	}
}

func TestImmutableSaysThatItChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	writer, stdin, _ := role(t, os.Args[0], "writer", path, nil)
	stdin.Close()
	writer.Wait()
	seen, err := stateOf(path)
	if err != nil {
		t.Fatal(err)
	}
	db := &DB{path: path, how: Immutable, stateAtOpen: seen}
	if db.Changed() {
		t.Error("changed, though nobody wrote")
	}
	if err := os.WriteFile(path+"-wal", []byte("a log"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !db.Changed() {
		t.Error("a log appeared, and it says nothing")
	}
	os.Remove(path + "-wal")
	os.Chtimes(path, time.Now(), time.Now().Add(time.Second))
	if !db.Changed() {
		t.Error("the database was written, and it says nothing")
	}
}
