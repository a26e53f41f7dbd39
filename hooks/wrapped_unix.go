//go:build unix

package hooks

import "syscall"

// ownGroup makes a wrapped command the first of a group of processes, so that what it started can be ended with it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (w *wrappedLine) end() { _ = syscall.Kill(-w.process.Pid, syscall.SIGKILL) }
