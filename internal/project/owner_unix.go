//go:build unix

package project

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign says how somebody else could write to a file or directory, or "". Write permission for
// a group is fine if the group is only this user's: with a umask of 002, distributions give each
// user a group of the same number.
func foreign(st fs.FileInfo) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return "has no owner"
	case int(sys.Uid) != os.Geteuid():
		return "belongs to another user"
	case st.Mode()&0o002 != 0, st.Mode()&0o020 != 0 && sys.Gid != sys.Uid:
		return "is writable by others"
	}
	return ""
}

// secretFrom says how somebody else could read or write a file, or "".
func secretFrom(st fs.FileInfo) string {
	if st.Mode()&0o077 != 0 {
		return "is readable by others"
	}
	return foreign(st)
}

func inode(st fs.FileInfo) (uint64, bool) {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(sys.Ino), true
}
