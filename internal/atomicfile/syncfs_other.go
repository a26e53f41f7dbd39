//go:build !linux

package atomicfile

import "os"

// SyncsAll reports whether SyncAll works here. Where it doesn't, each file has to be synced alone.
const SyncsAll = false

// SyncAll does nothing here.
func SyncAll(*os.Root) error { return nil }
