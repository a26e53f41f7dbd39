package journal

import (
	"io/fs"
	"os"
	"syscall"
)

// fileID identifies an open file for as long as it exists, under whichever name.
func fileID(f *os.File, _ fs.FileInfo) (dev, ino uint64) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, 0
	}
	var info syscall.ByHandleFileInformation
	if e := raw.Control(func(fd uintptr) { err = syscall.GetFileInformationByHandle(syscall.Handle(fd), &info) }); e != nil || err != nil {
		return 0, 0
	}
	return uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
}
