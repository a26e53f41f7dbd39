//go:build unix

package world

import "syscall"

// Mkfifo makes a named pipe.
func Mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
