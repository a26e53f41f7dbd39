//go:build unix

package doctor

import "syscall"

// mayWrite says what keeps this user from making files in dir.
func mayWrite(dir string) error { return syscall.Access(dir, 2) }
