//go:build unix

package ingest

import (
	"io/fs"
	"syscall"
)

// fileID identifies a file under any name, for as long as it exists.
func fileID(info fs.FileInfo) (device, inode int64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return int64(st.Dev), int64(st.Ino)
}
