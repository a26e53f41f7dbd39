package archive

import (
	"errors"
	"fmt"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// bind sets the parameters of a statement, in their order.
func bind(s *sqlite.Stmt, args ...any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case nil:
			s.BindNull(i + 1)
		case int:
			s.BindInt64(i+1, int64(v))
		case int64:
			s.BindInt64(i+1, v)
		case bool:
			s.BindBool(i+1, v)
		case float64:
			s.BindFloat(i+1, v)
		case []byte:
			s.BindBytes(i+1, v)
		case string:
			s.BindText(i+1, v)
		case time.Time:
			s.BindInt64(i+1, millis(v))
		default:
			panic(fmt.Sprintf("bind %T", arg))
		}
	}
}

// each runs query and calls row for every row of its result.
func (a *Archive) each(query string, row func(*sqlite.Stmt) error, args ...any) error {
	s, err := a.conn.Prepare(query)
	if err != nil {
		return a.fail(err)
	}
	defer s.Reset()
	bind(s, args...)
	for {
		more, err := s.Step()
		if err != nil {
			return a.fail(err)
		}
		if !more {
			return nil
		}
		if err := row(s); err != nil {
			return err
		}
	}
}

// run runs a statement that has no result.
func (a *Archive) run(query string, args ...any) error {
	return a.each(query, func(*sqlite.Stmt) error { return nil }, args...)
}

// number is the first column of the first row, 0 if there is none.
func (a *Archive) number(query string, args ...any) (n int64, err error) {
	err = a.each(query, func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}, args...)
	return n, err
}

// script runs statements that take no parameters.
func (a *Archive) script(text string) error {
	if err := sqlitex.ExecScript(a.conn, text); err != nil {
		return a.fail(err)
	}
	return nil
}

// transaction runs do in one transaction, which is undone if do fails.
func (a *Archive) transaction(do func() error) error {
	if err := a.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = a.run("COMMIT")
	}
	if err != nil && !a.conn.AutocommitEnabled() { // some failures have undone it already
		err = errors.Join(err, a.run("ROLLBACK"))
	}
	return err
}

// What helps where nothing can be written.
const (
	fullHint     = "the disk may be full: make room, then run it again; what was committed is kept"
	writableHint = "the archive's folder has to be writable by you; ABURN_HOME sets another one"
)

// failure is an error of SQLite with the place of the archive.
type failure struct {
	path string
	err  error
}

func (e *failure) Error() string { return e.path + ": " + e.err.Error() }
func (e *failure) Unwrap() error { return e.err }

// Hint is what to do about it.
func (e *failure) Hint() string {
	code := sqlite.ErrCode(e.err).ToPrimary()
	if odd := irregular(e.path); odd != "" && (code == sqlite.ResultIOErr || code == sqlite.ResultCantOpen) {
		return odd + " is no regular file: move it away, and run it again"
	}
	switch code {
	case sqlite.ResultFull, sqlite.ResultIOErr:
		return fullHint
	case sqlite.ResultReadOnly, sqlite.ResultCantOpen, sqlite.ResultPerm:
		return writableHint
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return "move it away and run aburn ingest: sources that still exist are read again"
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return "another program holds it: close that, or wait"
	}
	return ""
}

// irregular is which of SQLite's files is something else than a file, a pipe or a folder; "" if none is.
func irregular(path string) string {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if st, err := os.Lstat(name); err == nil && !st.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// fail puts the place before an error of SQLite.
func (a *Archive) fail(err error) error { return &failure{a.path, err} }

// millis is t as the tables have it: milliseconds since 1970, 0 if it is unknown.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// instant is the time of millis.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
