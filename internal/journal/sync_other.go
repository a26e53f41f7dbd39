//go:build !linux

package journal

import "os"

// syncData makes what was written to f survive a power cut.
func syncData(f *os.File) error { return f.Sync() }
