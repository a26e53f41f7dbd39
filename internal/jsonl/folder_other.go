//go:build !linux

package jsonl

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
)

// handle is an open folder, with its entries as the system returned them.
type handle struct {
	file    *os.File
	entries []fs.DirEntry
}

// open opens path if it is a folder: opening a pipe would block.
func (d *Folder) open(path string) (err error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	d.handle.file, err = os.Open(path)
	return err
}

func (d *Folder) read(string) error {
	entries, err := d.handle.file.ReadDir(-1)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	d.handle.entries = entries
	for _, e := range entries {
		d.Entries = append(d.Entries, Entry{e.Name(), e.Type()})
	}
	return nil
}

// Stat looks at the i-th entry itself, not at what it links to.
func (d *Folder) Stat(i int) (Stat, error) {
	info, err := d.handle.entries[i].Info()
	if err != nil {
		return Stat{}, err
	}
	return Stat{info.Size(), info.ModTime()}, nil
}

// Close closes the folder.
func (d *Folder) Close() error { return d.handle.file.Close() }
