//go:build !linux

package jsonl

import (
	"io/fs"
	"os"
)

func openFolder(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	return os.Open(path)
}

// Stat looks at one of the entries, and not at what it links to.
func (d *Folder) Stat(e fs.DirEntry) (Stat, error) {
	info, err := e.Info()
	if err != nil {
		return Stat{}, err
	}
	return Stat{info.Size(), info.ModTime()}, nil
}
