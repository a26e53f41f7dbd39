// Package sqlitero opens a SQLite database that another program is writing, reads it as it is at this moment, write-ahead
// log included, and changes neither of the two.
//
// Why it is not one line: a plain open checkpoints the log of the program when it is the last to close; immutable=1 and a
// copy of the .db alone silently lose what stands in the log; mode=ro needs to make a -shm file, which a folder that we
// may not write refuses. So, in this order, and How says which it was:
//
//  1. mode=ro. It sees the log and leaves both files byte-identical. Where there is no -shm or no log it makes them, the
//     log empty, and leaves them: who removes them could take them from a program that has just opened them.
//  2. Where SQLite cannot do that in a read-only folder, and there is a log: a private copy of database and log together,
//     taken again until nothing was checkpointed meanwhile, checked, and removed by Close.
//  3. There and without a log: immutable=1. Nobody may write then, and Changed says whether somebody did.
//
// Transactions have to be short: while one is open, the log of the other program cannot be emptied.
package sqlitero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The ways in which a database was opened, as How returns them.
const (
	ModeRO    = "mode=ro"
	Copied    = "copy of db and wal"
	Immutable = "immutable, no wal"
)

// busy is how long a read waits for the other program: it holds its locks for a moment only.
const busy = 200 * time.Millisecond

// maxRow bounds what one value can take in memory, in bytes.
const maxRow = 64 << 20

// DB is an open database.
type DB struct {
	conn *sqlite.Conn
	path string // of the original, without links
	how  string
	seen state // of the original, when it was opened as immutable
	temp *tempDir
}

// Open opens the database at path. Everything done with it ends when ctx does. An error names the path; that of SQLite is in
// its chain, fs.ErrNotExist if there is nothing.
func Open(ctx context.Context, path string) (*DB, error) {
	real, err := regular(path)
	if err != nil {
		return nil, err
	}
	db := &DB{path: real, how: ModeRO}
	if db.conn, err = connect(ctx, real, "mode=ro", sqlite.OpenReadOnly); err == nil {
		return db, nil
	}
	if !needsWriting(err) {
		return nil, fmt.Errorf("open %s read-only: %w", path, err)
	}
	if err := readable(real); err != nil {
		return nil, err
	}
	if size(real+"-wal") == 0 && size(real+"-journal") == 0 {
		if db.seen, err = look(real); err != nil {
			return nil, err
		}
		db.how = Immutable
		if db.conn, err = connect(ctx, real, "immutable=1", sqlite.OpenReadOnly); err != nil {
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

// Conn is the connection, for one goroutine at a time.
func (db *DB) Conn() *sqlite.Conn { return db.conn }

// How says how the database was opened: ModeRO, Copied or Immutable.
func (db *DB) How() string { return db.how }

// Changed says whether somebody wrote to a database that was opened as immutable: what was read from it can be wrong.
func (db *DB) Changed() bool {
	if db.how != Immutable {
		return false
	}
	now, err := look(db.path)
	return err != nil || now != db.seen
}

// Close closes the database and removes the copy, if one was made.
func (db *DB) Close() error {
	err := db.conn.Close()
	if db.temp != nil {
		err = errors.Join(err, db.temp.remove())
	}
	return err
}

// connect opens path with a parameter of its URI and reads the schema, as SQLite finds out only then whether it can read.
func connect(ctx context.Context, path, parameter string, flag sqlite.OpenFlags) (*sqlite.Conn, error) {
	uri := url.URL{Scheme: "file", Path: path, RawQuery: parameter}
	conn, err := sqlite.OpenConn(uri.String(), flag|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(busy)
	conn.Limit(sqlite.LimitLength, maxRow)
	// The schema is somebody else's: it may call nothing with effects.
	err = conn.SetDefensive(true)
	for _, pragma := range []string{"PRAGMA query_only=1", "PRAGMA trusted_schema=0", "PRAGMA cell_size_check=1", "SELECT count(*) FROM sqlite_schema"} {
		if err == nil {
			err = sqlitex.ExecuteTransient(conn, pragma, nil)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// needsWriting says whether SQLite failed because it may not write beside the database.
func needsWriting(err error) bool {
	code := sqlite.ErrCode(err)
	return code.ToPrimary() == sqlite.ResultCantOpen || code.ToPrimary() == sqlite.ResultReadOnly
}

// readable says why a file cannot be read, which SQLite does not.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// regular is path without links, if it names a regular file, and what lies beside it for SQLite are such: opening a pipe
// would wait for ever.
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
			return "", fmt.Errorf("open %s: %s beside it is no regular file (%s)", path, filepath.Base(real+end), info.Mode().Type())
		}
	}
	return real, nil
}

// state is what a change of a database and its log changes.
type state struct {
	size, wal int64
	modified  time.Time
}

func look(path string) (state, error) {
	info, err := os.Stat(path)
	if err != nil {
		return state{}, err
	}
	return state{info.Size(), size(path + "-wal"), info.ModTime()}, nil
}

// size is that of the file at path, 0 if there is none. One whose size cannot be asked counts as not empty.
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
