package archive

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

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

// each calls row for every row of a query.
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

func (a *Archive) run(query string, args ...any) error {
	return a.each(query, func(*sqlite.Stmt) error { return nil }, args...)
}

// number returns the first column of the first row, 0 if there is none.
func (a *Archive) number(query string, args ...any) (n int64, err error) {
	err = a.each(query, func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}, args...)
	return n, err
}

// script runs statements without parameters.
func (a *Archive) script(text string) error {
	if err := sqlitex.ExecScript(a.conn, text); err != nil {
		return a.fail(err)
	}
	return nil
}

// transaction runs do in one transaction and rolls it back if do fails.
func (a *Archive) transaction(do func() error) error {
	if err := a.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = a.run("COMMIT")
	}
	if err != nil && !a.conn.AutocommitEnabled() { // some failures roll back by themselves
		err = errors.Join(err, a.run("ROLLBACK"))
	}
	return err
}

// The hints where nothing can be written.
const (
	fullHint     = "the disk may be full: make room, then run it again; what was committed is kept"
	writableHint = "the archive's folder has to be writable by you; ABURN_HOME sets another one"
)

// failure is an error of SQLite, with the archive's path.
type failure struct {
	path string
	err  error
}

func (e *failure) Error() string { return e.path + ": " + e.err.Error() }
func (e *failure) Unwrap() error { return e.err }

// Hint says what to do about it.
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

// irregular returns which of SQLite's files is not a regular file; "" if all are.
func irregular(path string) string {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if st, err := os.Lstat(name); err == nil && !st.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// fail adds the path to an error of SQLite.
func (a *Archive) fail(err error) error { return &failure{a.path, err} }

// millis returns t as the tables have it: milliseconds since 1970, 0 if unknown.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// instant undoes millis.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// texts is shared memory for the texts of many rows: an allocation for each text takes as long as reading it.
type texts struct {
	text  strings.Builder
	one   []byte
	words map[string]string
}

// The memory is taken in parts, of which each is twice as large as the one before, from the first size to the last.
const firstTexts, lastTexts = 4 << 10, 256 << 10

// column returns a column as a text.
func (t *texts) column(s *sqlite.Stmt, column int) string {
	one := t.read(s, column)
	if len(one) > t.text.Cap()-t.text.Len() {
		size := min(max(2*t.text.Cap(), firstTexts), lastTexts)
		t.text = strings.Builder{}
		t.text.Grow(max(len(one), size))
	}
	at := t.text.Len()
	t.text.Write(one)
	return t.text.String()[at:]
}

// word is column for one with few values: equal values share one text.
func (t *texts) word(s *sqlite.Stmt, column int) string {
	one := t.read(s, column)
	word, known := t.words[string(one)]
	if !known {
		if t.words == nil {
			t.words = map[string]string{}
		}
		word = string(one)
		t.words[word] = word
	}
	return word
}

func (t *texts) read(s *sqlite.Stmt, column int) []byte {
	n := s.ColumnLen(column)
	if n == 0 {
		return nil
	}
	t.one = slices.Grow(t.one[:0], n)[:n]
	return t.one[:s.ColumnBytes(column, t.one)]
}
