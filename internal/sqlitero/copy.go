package sqlitero

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/internal/sqlite"
)

// maxCopies is how often a copy is tried: if all fail, the other program checkpoints all the time.
const maxCopies = 5

// walHeader is the length of a log's header, which changes each time the log begins anew.
const walHeader = 32

// errUnsettled says that the original changed during each copy.
var errUnsettled = errors.New("it is being written too often to be copied in one state")

// openCopy opens a private copy. Only a checkpoint writes to the database file, and SQLite ends the log at an
// incomplete frame. So a copy is one consistent state if the database and the log's header are the same before and
// after it.
func openCopy(ctx context.Context, path string) (*tempDir, *sqlite.Conn, error) {
	temp, err := newTempDir()
	if err != nil {
		return nil, nil, err
	}
	err = errUnsettled
	for range maxCopies {
		var conn *sqlite.Conn
		if conn, err = tryCopy(ctx, path, temp); err == nil {
			return temp, conn, nil
		}
		if ctx.Err() != nil || errors.Is(err, fs.ErrPermission) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, nil, errors.Join(err, temp.remove())
}

func tryCopy(ctx context.Context, path string, temp *tempDir) (*sqlite.Conn, error) {
	before, err := stateOf(path)
	if err != nil {
		return nil, err
	}
	header, err := logHeader(path + "-wal")
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	for _, end := range []string{"", "-wal", "-journal"} {
		if err := temp.copyIn(ctx, path+end, name+end); err != nil {
			return nil, err
		}
	}
	os.Remove(filepath.Join(temp.path, name+"-shm")) // of an earlier try
	after, err := stateOf(path)
	if err != nil {
		return nil, err
	}
	now, err := logHeader(path + "-wal")
	if err != nil {
		return nil, err
	}
	if before.modified != after.modified || before.size != after.size || !bytes.Equal(header, now) {
		return nil, errUnsettled
	}
	return openChecked(ctx, filepath.Join(temp.path, name))
}

// openChecked opens a copy and reads its whole schema. It opens it for writing, because a transaction that a killed
// program left behind must be rolled back first.
func openChecked(ctx context.Context, path string) (*sqlite.Conn, error) {
	conn, err := connect(ctx, path, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	verdict := ""
	err = conn.Each("PRAGMA quick_check(1)", func(r *sqlite.Row) error {
		verdict = r.Text(0)
		return nil
	})
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("the copy is damaged: %s", verdict)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// logHeader returns the header of the log at path, nil if there is none.
func logHeader(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	header := make([]byte, walHeader)
	n, err := io.ReadFull(f, header)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return header[:n], nil
}

// tempPrefix begins the names of the folders of copies.
const tempPrefix = "aburn-sqlite-"

// tempDir is a folder private to this user. Its user holds its lock, which shows whether anybody still needs it.
type tempDir struct {
	path string
	root *os.Root
	lock *lockfile.Lock
}

func newTempDir() (*tempDir, error) {
	sweep(os.TempDir(), time.Now())
	path, err := os.MkdirTemp("", tempPrefix) // mode 0700
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		os.Remove(path)
		return nil, err
	}
	d := &tempDir{path: path, root: root}
	if d.lock, err = lockfile.Acquire(root, "lock", 0); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	return d, nil
}

// copyIn copies a file into the folder. If the file is missing, the copy is removed too.
func (d *tempDir) copyIn(ctx context.Context, from, name string) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.root.Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := d.root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, reader{ctx, src})
	return errors.Join(err, dst.Close())
}

// remove removes the folder, its lock last, so that no sweep comes in between.
func (d *tempDir) remove() error {
	err := os.RemoveAll(d.path)
	if d.lock != nil {
		err = errors.Join(err, d.lock.Release())
	}
	return errors.Join(err, d.root.Close())
}

// reader is an io.Reader that ends when ctx does.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// sweep removes the folders of killed processes. A new folder has no lock for a moment; abandoned ones are older than
// that.
func sweep(in string, now time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(in, tempPrefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < atomicfile.Abandoned {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		if lock, err := lockfile.Acquire(root, "lock", 0); err == nil {
			os.RemoveAll(dir)
			lock.Release()
		}
		root.Close()
	}
}
