//go:build unix

package main

import (
	"os"
	"syscall"
)

// replaceProcess makes another executable of this process, so that signals and the
// exit code are its own. It returns only if that fails.
func replaceProcess(exe string, args []string) error {
	return notStarted(exe, syscall.Exec(exe, args, os.Environ()))
}
