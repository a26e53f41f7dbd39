//go:build !linux && !darwin

package snapshot

import (
	"io/fs"
	"time"
)

// identity is not known here: each look then reads the files again.
func identity(fs.FileInfo) (changed time.Time, inode uint64, ok bool) { return changed, 0, false }
