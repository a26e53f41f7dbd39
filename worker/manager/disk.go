//go:build linux || darwin

package manager

import "syscall"

// freeBytes is how much this user may still write where dir lies.
func freeBytes(dir string) (free int64, ok bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
