//go:build unix

package main

import "syscall"

// detached keeps a child alive when the agent ends its hook's process group or closes its terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// lowerPriority gives a process the lowest priority.
func lowerPriority(pid int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, 19) }
