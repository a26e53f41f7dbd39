//go:build unix

package daemon

import (
	"os"
	"syscall"
)

// ownSession lets a process go on when the terminal closes.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func endGently(p *os.Process) { p.Signal(syscall.SIGTERM) }
