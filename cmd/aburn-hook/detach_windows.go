package main

import "syscall"

// The flags of CreateProcess (winbase.h): no console of its parent, its own process group, only idle time.
const (
	detachedProcess   = 0x00000008
	newProcessGroup   = 0x00000200
	idlePriorityClass = 0x00000040
)

// detached lets a child live on when the agent's console goes.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | newProcessGroup | idlePriorityClass}
}

// humble has nothing to add to detached.
func humble(int) {}
