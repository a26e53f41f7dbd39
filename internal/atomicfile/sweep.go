package atomicfile

import (
	"io/fs"
	"os"
	"strings"
	"time"
)

// Abandoned is the age at which a temporary file has no writer any more.
const Abandoned = time.Minute

// Sweep removes temporary files of these names in root that killed writers left, if they are as
// old as Abandoned. Files that it cannot remove stay.
func Sweep(root *os.Root, now time.Time, names ...string) {
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(-1)
	for _, e := range entries {
		if !e.Type().IsRegular() || !isTempOf(e.Name(), names) {
			continue
		}
		if info, err := e.Info(); err == nil && old(info, now) {
			root.Remove(e.Name())
		}
	}
}

func isTempOf(file string, names []string) bool {
	rest, temp := strings.CutSuffix(file, ".tmp")
	dot := strings.LastIndexByte(rest, '.')
	if !temp || dot < 1 || rest[0] != '.' {
		return false
	}
	for _, name := range names {
		if rest[1:dot] == name {
			return true
		}
	}
	return false
}

func old(info fs.FileInfo, now time.Time) bool { return now.Sub(info.ModTime()) >= Abandoned }
