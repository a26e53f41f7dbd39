// Package sqlitero opens a SQLite database that another program is writing, and reads its present state, write-ahead
// log included, without changing either file. It knows no table in it.
//
// Why it is not one line: a plain open checkpoints the program's log when it is the last to close; immutable=1, and a
// copy of the .db alone, silently lose what stands in the log; mode=ro needs to make a -shm file, which an unwritable
// folder refuses. So Open tries, in this order, and How says which way it took:
//
// 1. mode=ro. It sees the log and leaves both files byte-identical. Where there is no -shm or no log it makes them,
// the
//
//	log empty, and leaves them: removing them could take them from a program that has just opened them.
//
// 2. Where SQLite cannot do that in a read-only folder, and there is a log: a private copy of database and log
// together,
//
//	repeated until nothing was checkpointed meanwhile, checked, and removed by Close.
//
// 3. There and without a log: immutable=1. Nobody should be able to write then; Changed says whether somebody did.
//
// Transactions must be short: while one is open, the other program's log cannot be emptied.
package sqlitero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"aburn/internal/sqlite"
)

// The results of How.
const (
	ModeRO    = "mode=ro"
	Copied    = "copy of db and wal"
	Immutable = "immutable, no wal"
)

// busyTimeout is how long a read waits for the other program, which holds its locks only for a moment.
const busyTimeout = 200 * time.Millisecond

// maxRow bounds the memory of one value, in bytes.
const maxRow = 64 << 20

// DB is an open database.
type DB struct {
	conn        *sqlite.Conn
	path        string // of the original, links resolved
	how         string
	stateAtOpen state // of an original opened as immutable
	temp        *tempDir
}

// Open opens the database at path. ctx ends all use of it. Errors name the path and wrap SQLite's error; a missing
// file is fs.ErrNotExist.
func Open(ctx context.Context, path string) (*DB, error) {
	real, err := regular(path)
	if err != nil {
		return nil, err
	}
	db := &DB{path: real, how: ModeRO}
	if db.conn, err = connect(ctx, real, sqlite.ReadOnly); err == nil {
		return db, nil
	}
	if !needsWriting(err) {
		return nil, fmt.Errorf("open %s read-only: %w", path, err)
	}
	if err := readable(real); err != nil {
		return nil, err
	}
	if size(real+"-wal") == 0 && size(real+"-journal") == 0 {
		if db.stateAtOpen, err = stateOf(real); err != nil {
			return nil, err
		}
		db.how = Immutable
		if db.conn, err = connect(ctx, real, sqlite.Immutable); err != nil {
			return nil, fmt.Errorf("open %s as immutable: %w", path, err)
		}
		if !db.Changed() {
			return db, nil
		}
		db.conn.Close() // it was written in between: there is a log now
	}
	db.how = Copied
	if db.temp, db.conn, err = openCopy(ctx, real); err != nil {
		return nil, fmt.Errorf("open a copy of %s and its log: %w", path, err)
	}
	return db, nil
}

// Conn returns the connection, for one goroutine at a time.
func (db *DB) Conn() *sqlite.Conn { return db.conn }

// How says how the database was opened: ModeRO, Copied or Immutable.
func (db *DB) How() string { return db.how }

// Changed reports whether somebody wrote to a database that was opened as immutable: what was read can then be wrong.
func (db *DB) Changed() bool {
	if db.how != Immutable {
		return false
	}
	now, err := stateOf(db.path)
	return err != nil || now != db.stateAtOpen
}

// Close closes the database and removes its copy.
func (db *DB) Close() error {
	err := db.conn.Close()
	if db.temp != nil {
		err = errors.Join(err, db.temp.remove())
	}
	return err
}

// connect opens path. It reads the schema, because only then does SQLite find out whether
// it can read.
func connect(ctx context.Context, path string, mode sqlite.Mode) (*sqlite.Conn, error) {
	conn, err := sqlite.Open(path, mode)
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(ctx)
	// The schema is somebody else's: it may call nothing with effects.
	if err = errors.Join(conn.SetBusyTimeout(busyTimeout), conn.Distrust(maxRow)); err == nil {
		err = conn.Exec("PRAGMA query_only=1; SELECT count(*) FROM sqlite_schema")
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// needsWriting reports whether SQLite failed because it may not write beside the database.
func needsWriting(err error) bool {
	code := sqlite.CodeOf(err)
	return code == sqlite.CodeCantOpen || code == sqlite.CodeReadOnly
}

// readable says why a file cannot be read. SQLite does not.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// regular resolves links in path. It fails unless path and SQLite's files beside it are regular files: opening a pipe
// would block for ever.
func regular(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("open %s: it is no regular file (%s)", path, info.Mode().Type())
	}
	for _, end := range [...]string{"-wal", "-shm", "-journal"} { // SQLite opens those too
		if info, err := os.Stat(real + end); err == nil && !info.Mode().IsRegular() {
			return "", fmt.Errorf("open %s: %s beside it is no regular file (%s)", path, filepath.Base(real+end),
				info.Mode().Type())
		}
	}
	return real, nil
}

// state changes whenever the database or its log does.
type state struct {
	size, wal int64
	modified  time.Time
}

func stateOf(path string) (state, error) {
	info, err := os.Stat(path)
	if err != nil {
		return state{}, err
	}
	return state{info.Size(), size(path + "-wal"), info.ModTime()}, nil
}

// size returns the size of the file at path, 0 if there is none. A file whose size is unknown counts as not empty.
func size(path string) int64 {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0
	case err != nil:
		return 1
	}
	return info.Size()
}
