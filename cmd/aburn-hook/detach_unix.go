//go:build unix

package main

import "syscall"

// detached lets a child live on when the agent ends its hook's process group or closes its terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// humble lets a process run only where nobody else wants the processor.
func humble(pid int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, 19) }
