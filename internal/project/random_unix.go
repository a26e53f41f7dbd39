//go:build unix

package project

import (
	"io"
	"os"
)

// random fills key from the kernel's generator. crypto/rand reads the same source, but would link
// math/big and more into aburn-hook, which makes no keys and runs on every tool call.
func random(key []byte) error {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(f, key)
	return err
}
