//go:build unix

package chain

import "syscall"

const nonblock = syscall.O_NONBLOCK
