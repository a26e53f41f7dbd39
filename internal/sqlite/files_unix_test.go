//go:build unix

package sqlite

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A log holds what its database holds, so nobody else may read it; and who may write the database must be able to write
// what root's reading leaves beside it.
func TestFilesBesideAreLikeTheDatabase(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for _, mode := range []os.FileMode{0o600, 0o660} {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		user := os.Geteuid()
		if user == 0 {
			user = 65534
			if err := os.Chown(path, user, user); err != nil {
				t.Fatal(err)
			}
		}
		c := open(t, path, ReadWrite)
		exec(t, c, "PRAGMA journal_mode = DELETE; BEGIN; CREATE TABLE t (i)")
		like(t, path+"-journal", mode, user)
		exec(t, c, "COMMIT; PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
		like(t, path+"-wal", mode, user)
		like(t, path+"-shm", mode, user)
	}
}

func like(t *testing.T, path string, mode os.FileMode, user int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if have := int(info.Sys().(*syscall.Stat_t).Uid); info.Mode() != mode || have != user {
		t.Errorf("%s is %v of %d, its database %v of %d", filepath.Base(path), info.Mode(), have, mode, user)
	}
}
