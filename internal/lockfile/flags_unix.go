//go:build unix

package lockfile

import "syscall"

// openFlags neither follow a link nor hang on a pipe.
const openFlags = syscall.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
