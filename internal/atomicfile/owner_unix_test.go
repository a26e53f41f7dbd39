//go:build unix

package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOwnerStays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 4711, 4712); err != nil {
		t.Skipf("this file system knows no owners: %v", err)
	}
	if err := Write(path, []byte("new"), 0o600, Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 4711 || s.Gid != 4712 || info.Mode().Perm() != 0o640 {
		t.Errorf("owner %d:%d mode %v; want 4711:4712 0640", s.Uid, s.Gid, info.Mode().Perm())
	}
}
