package project

import (
	"io/fs"
	"syscall"
)

func sealText(st fs.FileInfo) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return sealOf(sys.Ino, int64(sys.Ctimespec.Sec), int64(sys.Ctimespec.Nsec))
}
