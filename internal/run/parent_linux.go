package run

import "syscall"

// endWithParent asks for the end of a program whose starter is killed: git then takes its locks and half a worktree away.
// The signal comes when the starting thread ends, so Do keeps it.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGTERM }
