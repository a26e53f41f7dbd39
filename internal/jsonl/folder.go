package jsonl

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Folder is an open folder, for looking at its files by its handle. A home has thousands of transcripts, and by path
// the system would walk from the root for each.
type Folder struct {
	// Entries are in the order of their names.
	Entries []Entry
	dir     string // prefix of the entries' paths
	handle  handle
}

// Entry is something in a folder. Type has the type bits of its mode: a link is a link, whatever it leads to. What is
// neither file, folder nor link may be fs.ModeIrregular.
type Entry struct {
	Name string
	Type fs.FileMode
}

// IsDir reports whether the entry is a folder.
func (e Entry) IsDir() bool { return e.Type.IsDir() }

// IsRegular reports whether the entry is a regular file.
func (e Entry) IsRegular() bool { return e.Type.IsRegular() }

// Stat tells whether a file has changed.
type Stat struct {
	Size    int64
	ModTime time.Time
}

// OpenFolder reads the folder at path, which may be a link to one. The caller must Close it.
func OpenFolder(path string) (*Folder, error) {
	d := &Folder{dir: strings.TrimSuffix(filepath.Clean(path), separator)}
	if err := d.open(path); err != nil {
		return nil, err
	}
	if err := d.read(path); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

const separator = string(filepath.Separator)

// Path is the path of the i-th entry, as filepath.Join gives it.
func (d *Folder) Path(i int) string { return d.dir + separator + d.Entries[i].Name }
