package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"
)

// filesName is the name of files among SQLite's file systems.
const filesName = "aburn"

var registerFiles = sync.OnceFunc(func() { vfs.Register(filesName, files{vfs.Find("os").(vfs.VFSFilename)}) })

// files is the driver's file system, with two habits of SQLite's own that it lacks:
//
//   - What SQLite makes beside a database gets the database's mode and owner. Otherwise a log could be read by more
//     users than its database, and root's reading could lock an agent out of its own database.
//   - A log that may only be read is opened for reading.
type files struct{ vfs.VFSFilename }

// OpenFilename opens one of a database's files.
func (f files) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) == 0 || flags&vfs.OPEN_CREATE == 0 {
		return f.VFSFilename.OpenFilename(name, flags)
	}
	makeLike(name.Database(), name.String())
	if flags&vfs.OPEN_WAL != 0 { // SQLite opens the log before it maps the index of it
		makeLike(name.Database(), name.Database()+"-shm")
	}
	file, got, err := f.VFSFilename.OpenFilename(name, flags)
	if flags&vfs.OPEN_WAL != 0 && errors.Is(err, fs.ErrPermission) {
		return f.VFSFilename.OpenFilename(name, flags&^(vfs.OPEN_READWRITE|vfs.OPEN_CREATE)|vfs.OPEN_READONLY)
	}
	return file, got, err
}

// makeLike makes an empty file with the mode and owner of another, if nothing has its name. If it cannot, SQLite meets
// the same error.
func makeLike(model, path string) {
	info, err := os.Stat(model)
	if err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Chmod(info.Mode().Perm()) // the umask took bits
	_ = own(f, info)
}
