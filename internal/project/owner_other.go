//go:build !unix

package project

import "io/fs"

// foreign knows nothing here: files have no owner and mode as on Unix (Windows is experimental).
func foreign(fs.FileInfo) string { return "" }

// secretFrom knows nothing here, for the same reason.
func secretFrom(fs.FileInfo) string { return "" }

func inode(fs.FileInfo) (uint64, bool) { return 0, false }
