//go:build !linux

package journal

import "os"

// syncData makes f's written bytes survive a power cut.
func syncData(f *os.File) error { return f.Sync() }
