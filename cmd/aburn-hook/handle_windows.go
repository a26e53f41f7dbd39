package main

import (
	"syscall"
)

// handle writes to a standard handle past os.File.
type handle syscall.Handle

func (h handle) Write(p []byte) (int, error) { return syscall.Write(syscall.Handle(h), p) }

// disableCoreDumps does nothing: Windows writes none by default.
func disableCoreDumps() {}

// The flags of CreateProcess (winbase.h): no console of its parent, its own process group, only idle time.
const (
	detachedProcess   = 0x00000008
	newProcessGroup   = 0x00000200
	idlePriorityClass = 0x00000040
)

// detached keeps a child alive when the agent's console closes.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | newProcessGroup | idlePriorityClass}
}

// lowerPriority does nothing: detached has set the priority.
func lowerPriority(int) {}
