package jsonl

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Folder is a folder whose files are looked at, by its handle: a home has thousands of transcripts, and for each the system
// would go the way from the root again.
type Folder struct {
	// Entries is what is in it, in the order of the names.
	Entries []Entry
	dir     string // what their paths begin with
	handle  handle
}

// Entry is something in a folder. Type has the type bits of its mode: a link is a link, whatever it leads to. What is
// neither file, folder nor link can be fs.ModeIrregular, whatever else it is.
type Entry struct {
	Name string
	Type fs.FileMode
}

// IsDir says whether it is a folder.
func (e Entry) IsDir() bool { return e.Type.IsDir() }

// IsRegular says whether it is a file.
func (e Entry) IsRegular() bool { return e.Type.IsRegular() }

// Stat is what tells whether a file has changed.
type Stat struct {
	Size    int64
	ModTime time.Time
}

// OpenFolder reads what is in the folder at path, which can be a link to one. Close it.
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

// Path is the path of the entry with this index, as filepath.Join gives it.
func (d *Folder) Path(i int) string { return d.dir + separator + d.Entries[i].Name }
