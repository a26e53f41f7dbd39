//go:build unix

package project

import (
	"os"
	"path/filepath"
	"syscall"
)

// realCwd is the real path of dir if dir is this process's own folder, as usual in a hook, and
// otherwise "". The kernel knows that path. Following the links of a path costs a system call for
// each element.
func realCwd(dir string) string {
	real, err := syscall.Getwd()
	if err != nil || !filepath.IsAbs(real) { // the folder is gone, or cannot be reached from the root
		return ""
	}
	if dir == real {
		return real
	}
	here, err := os.Stat(".")
	if err != nil {
		return ""
	}
	if there, err := os.Stat(dir); err != nil || !os.SameFile(here, there) {
		return ""
	}
	return real
}
