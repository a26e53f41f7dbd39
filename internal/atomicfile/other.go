//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

func keepOwner(*os.File, fs.FileInfo) error { return nil }

// SyncDir does nothing, because folders cannot be synced here.
func SyncDir(*os.Root) error { return nil }
