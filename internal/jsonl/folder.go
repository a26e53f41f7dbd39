package jsonl

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"time"
)

// Folder is a folder whose files are looked at, by its handle: a home has thousands of transcripts, and for each the system
// would go the way from the root again.
type Folder struct {
	// Entries is what is in it, in the order of the names.
	Entries []fs.DirEntry
	handle  *os.File
}

// Stat is what tells whether a file has changed.
type Stat struct {
	Size    int64
	ModTime time.Time
}

// OpenFolder reads what is in the folder at path, which can be a link to one. Close it.
func OpenFolder(path string) (*Folder, error) {
	f, err := openFolder(path)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	if err != nil {
		f.Close()
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return &Folder{entries, f}, nil
}

// Close lets go of the folder.
func (d *Folder) Close() error { return d.handle.Close() }
