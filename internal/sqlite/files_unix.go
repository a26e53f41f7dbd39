//go:build unix

package sqlite

import (
	"io/fs"
	"os"
	"syscall"
)

// own gives f the owner of another file. Only root can.
func own(f *os.File, like fs.FileInfo) error {
	st, ok := like.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}
