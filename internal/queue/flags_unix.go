//go:build unix

package queue

import (
	"os"
	"syscall"
)

// Neither follows a link nor hangs on a pipe that takes the file's place.
const (
	readFlags   = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	appendFlags = os.O_RDWR | os.O_APPEND | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
)
