//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/world"
)

func TestNotAFile(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"folder", func(path string) error { return os.Mkdir(path, 0o700) }, "is not a regular file (d---------)"},
		{"FIFO", world.Mkfifo, "is not a regular file (p---------)"},
		{"loop of links", func(path string) error { return os.Symlink(path, path) }, "too many links"},
		{"link into a missing folder", func(path string) error { return os.Symlink("gone/x.json", path) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Claude, nil)
			if err := c.make(b.path); err != nil {
				t.Fatal(err)
			}
			plan, err := Plan(b.options)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if _, err = plan.Apply(); err != nil || !exists(filepath.Join(filepath.Dir(b.path), "gone/x.json")) {
					t.Errorf("error %v", err)
				}
				b.uninstall()
				if exists(filepath.Join(filepath.Dir(b.path), "gone")) {
					t.Error("the folder that the install made is still there")
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want %s", err, c.want)
			}
		})
	}
}

// A settings file of somebody else's, which only root can be about to change, stays theirs.
func TestOwnerStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	b := newBench(t, Claude, []byte(someSettings))
	if err := os.Chown(b.path, 1234, 2345); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() *Change{b.install, b.uninstall} {
		step()
		st, err := os.Stat(b.path)
		if err != nil {
			t.Fatal(err)
		}
		if sys := st.Sys().(*syscall.Stat_t); sys.Uid != 1234 || sys.Gid != 2345 {
			t.Errorf("owner %d:%d", sys.Uid, sys.Gid)
		}
	}
}
