//go:build !unix

package world

import "errors"

// Mkfifo makes a named pipe, where the system has such.
func Mkfifo(string) error { return errors.ErrUnsupported }
