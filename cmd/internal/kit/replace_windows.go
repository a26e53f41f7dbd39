package kit

import (
	"errors"
	"os"
	"os/exec"

	"aburn/internal/fault"
)

// Replace runs another executable and ends with its exit code: Windows cannot
// replace a process. Ctrl-C reaches both.
func Replace(exe string, args []string) error {
	cmd := exec.Command(exe, args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return fault.Exit(ended.ExitCode())
	}
	return notStarted(exe, err)
}
