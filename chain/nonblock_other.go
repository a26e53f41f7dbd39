//go:build !unix

package chain

const nonblock = 0
