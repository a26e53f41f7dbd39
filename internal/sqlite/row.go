package sqlite

import (
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// Row is a row that a statement gave. Columns count from 0.
type Row struct{ s *sqlite3.Stmt }

// Text returns a column as text.
func (r *Row) Text(i int) string { return r.s.ColumnText(i) }

// Int64 returns a column as a number.
func (r *Row) Int64(i int) int64 { return r.s.ColumnInt64(i) }

// Int returns a column as a number.
func (r *Row) Int(i int) int { return r.s.ColumnInt(i) }

// Bool reports whether a column is another number than 0.
func (r *Row) Bool(i int) bool { return r.s.ColumnInt64(i) != 0 }

// Float returns a column as a floating-point number.
func (r *Row) Float(i int) float64 { return r.s.ColumnFloat(i) }

// Bytes returns a column's bytes. They are SQLite's own, and valid until the next call of any method.
func (r *Row) Bytes(i int) []byte { return r.s.ColumnRawBlob(i) }

// Null reports whether a column is NULL.
func (r *Row) Null(i int) bool { return r.s.ColumnType(i) == sqlite3.NULL }

// bind sets a parameter, which count from 1.
func bind(s *sqlite3.Stmt, i int, arg any) error {
	switch v := arg.(type) {
	case nil:
		return s.BindNull(i)
	case int:
		return s.BindInt64(i, int64(v))
	case int64:
		return s.BindInt64(i, v)
	case bool:
		return s.BindBool(i, v)
	case float64:
		return s.BindFloat(i, v)
	case string:
		return s.BindText(i, v)
	case []byte:
		if len(v) == 0 { // nil would be NULL
			return s.BindZeroBlob(i, 0)
		}
		return s.BindBlob(i, v)
	}
	return fmt.Errorf("sqlite3: parameter %d is a %T", i, arg)
}

// Code says what kind of error SQLite reports.
type Code uint8

// The codes that callers act on.
const (
	CodeOK        = Code(0) // no error of SQLite's
	CodePerm      = Code(sqlite3.PERM)
	CodeBusy      = Code(sqlite3.BUSY)
	CodeLocked    = Code(sqlite3.LOCKED)
	CodeReadOnly  = Code(sqlite3.READONLY)
	CodeInterrupt = Code(sqlite3.INTERRUPT)
	CodeIOErr     = Code(sqlite3.IOERR)
	CodeCorrupt   = Code(sqlite3.CORRUPT)
	CodeFull      = Code(sqlite3.FULL)
	CodeCantOpen  = Code(sqlite3.CANTOPEN)
	CodeNotADB    = Code(sqlite3.NOTADB)
)

// CodeOf returns the code of an error, or of what it wraps.
func CodeOf(err error) Code {
	var code sqlite3.ErrorCode
	if errors.As(err, &code) {
		return Code(code)
	}
	return CodeOK
}
