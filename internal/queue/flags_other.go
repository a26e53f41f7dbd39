//go:build !unix

package queue

import "os"

const (
	readFlags   = os.O_RDONLY
	appendFlags = os.O_RDWR | os.O_APPEND
)
