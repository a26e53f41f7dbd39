//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// maxResident is a process's peak memory, in bytes.
func maxResident(usage any) int64 {
	u, ok := usage.(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
