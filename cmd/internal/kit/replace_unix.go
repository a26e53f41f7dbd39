//go:build unix

package kit

import (
	"os"
	"syscall"
)

// Replace makes another executable of this process, so that signals and the
// exit code are its own. It returns only if that fails.
func Replace(exe string, args []string) error {
	return notStarted(exe, syscall.Exec(exe, args, os.Environ()))
}
