//go:build unix

package doctor

import "syscall"

// mayWrite returns why this user cannot make files in dir.
func mayWrite(dir string) error { return syscall.Access(dir, 2) }
