//go:build !unix

package project

import "io/fs"

// foreign has nothing to say where files have no owner and mode in the sense of Unix (Windows is experimental).
func foreign(fs.FileInfo) string { return "" }

// secretFrom has nothing to say for the same reason.
func secretFrom(fs.FileInfo) string { return "" }
