//go:build !linux

package run

// Resizable calls start. What this process holds back, the program holds back too.
func Resizable(start func() error) error { return start() }
