//go:build unix && !linux

package run

import "syscall"

// endWithParent cannot be had here: a program outlives a starter that is killed.
func endWithParent(*syscall.SysProcAttr) {}
