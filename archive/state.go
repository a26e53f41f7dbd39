package archive

import (
	"os"
	"path/filepath"
	"time"
)

// State changes with every write to an archive: size and time of its file and of the write-ahead log. The zero State is of none.
type State [2]struct {
	size     int64
	modified time.Time
}

// StateOf is the state of the archive in dir now.
func StateOf(dir string) (state State) {
	for i, name := range []string{Name, Name + "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			state[i].size, state[i].modified = info.Size(), info.ModTime()
		}
	}
	return state
}
