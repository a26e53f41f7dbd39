//go:build !windows

package project

import "os"

// Env is os.Getenv.
func Env(name string) string { return os.Getenv(name) }
