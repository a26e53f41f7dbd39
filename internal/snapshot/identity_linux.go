package snapshot

import (
	"io/fs"
	"syscall"
	"time"
)

// identity is when a file or what is known of it changed last, and its number. A program can set neither.
func identity(info fs.FileInfo) (changed time.Time, inode uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return changed, 0, false
	}
	return time.Unix(st.Ctim.Unix()), st.Ino, true
}
