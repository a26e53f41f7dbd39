package archive

import (
	"os"
	"strings"
	"time"

	"aburn/internal/sqlite"
)

// each calls row for every row of a query. A time is bound as the tables have it.
func (a *Archive) each(query string, row func(*sqlite.Row) error, args ...any) error {
	for i, arg := range args {
		if t, ok := arg.(time.Time); ok {
			args[i] = millis(t)
		}
	}
	var own error // row's
	err := a.conn.Each(query, func(r *sqlite.Row) error {
		if row != nil {
			own = row(r)
		}
		return own
	}, args...)
	if own != nil || err == nil {
		return own
	}
	return a.fail(err)
}

func (a *Archive) run(query string, args ...any) error { return a.each(query, nil, args...) }

// number returns the first column of the first row, 0 if there is none.
func (a *Archive) number(query string, args ...any) (int64, error) {
	n, err := a.conn.Number(query, args...)
	if err != nil {
		err = a.fail(err)
	}
	return n, err
}

// script runs statements without parameters.
func (a *Archive) script(text string) error {
	if err := a.conn.Exec(text); err != nil {
		return a.fail(err)
	}
	return nil
}

// transaction runs do in one transaction and rolls it back if do fails.
func (a *Archive) transaction(do func() error) error {
	var own error // do's
	err := a.conn.Transaction(func() error {
		own = do()
		return own
	})
	if own != nil || err == nil {
		return err
	}
	return a.fail(err)
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
	code := sqlite.CodeOf(e.err)
	if odd := irregular(e.path); odd != "" && (code == sqlite.CodeIOErr || code == sqlite.CodeCantOpen) {
		return odd + " is no regular file: move it away, and run it again"
	}
	switch code {
	case sqlite.CodeFull, sqlite.CodeIOErr:
		return fullHint
	case sqlite.CodeReadOnly, sqlite.CodeCantOpen, sqlite.CodePerm:
		return writableHint
	case sqlite.CodeCorrupt, sqlite.CodeNotADB:
		return "move it away and run aburn ingest: sources that still exist are read again"
	case sqlite.CodeBusy, sqlite.CodeLocked:
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
	words map[string]string
}

// The memory is taken in parts, of which each is twice as large as the one before, from the first size to the last.
const firstTexts, lastTexts = 4 << 10, 256 << 10

// column returns a column as a text.
func (t *texts) column(s *sqlite.Row, column int) string {
	one := s.Bytes(column)
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
func (t *texts) word(s *sqlite.Row, column int) string {
	one := s.Bytes(column)
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
