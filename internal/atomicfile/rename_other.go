//go:build !windows

package atomicfile

import "os"

// rename replaces to by from, in root.
func rename(root *os.Root, from, to string) error { return root.Rename(from, to) }
