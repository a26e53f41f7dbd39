//go:build !unix

package project

import "crypto/rand"

func random(key []byte) error {
	_, err := rand.Read(key)
	return err
}
