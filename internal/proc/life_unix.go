//go:build unix && !linux && !darwin

package proc

import (
	"errors"
	"syscall"
)

// life can only prove that no process has the number.
func life(p Process) Life {
	if errors.Is(syscall.Kill(p.PID, 0), syscall.ESRCH) {
		return Gone
	}
	return Unknown
}
