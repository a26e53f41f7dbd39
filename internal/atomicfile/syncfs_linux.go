package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncsAll reports whether SyncAll works here. Where it doesn't, each file has to be synced alone.
const SyncsAll = true

// SyncAll brings everything that was written to the file system of root to the disk.
func SyncAll(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
