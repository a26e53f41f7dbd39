// Package sqlite is the only package that knows which SQLite aburn uses: a build of it for WebAssembly that was
// translated to Go. Each connection has memory of its own, outside of Go's heap. Nothing is set up before the first Open.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// Mode says what Open may do with a database.
type Mode string

// The modes of Open.
const (
	ReadOnly  Mode = "mode=ro"
	ReadWrite Mode = "mode=rw" // the file must exist
	Create    Mode = "mode=rwc"
	// Immutable reads without locks, and ignores the write-ahead log: nobody may be writing.
	Immutable Mode = "mode=ro&immutable=1"
)

// DefaultBusyTimeout is how long a statement waits for locks of others until SetBusyTimeout says otherwise.
const DefaultBusyTimeout = 10 * time.Second

// Conn is a connection to a database. It is for one goroutine at a time.
type Conn struct {
	lite *sqlite3.Conn
	idle map[string]*sqlite3.Stmt // prepared statements that nobody is using, by their text
}

// Open opens the database at path. Whether it is one shows at the first statement.
func Open(path string, mode Mode) (c *Conn, err error) {
	defer caught(&err)
	registerFiles()
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// Without an authority the name of a drive stays as it is.
	uri := "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?vfs=" + filesName + "&" + string(mode)
	lite, err := sqlite3.OpenFlags(uri, sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE|sqlite3.OPEN_URI)
	if err != nil {
		return nil, err
	}
	c = &Conn{lite: lite, idle: map[string]*sqlite3.Stmt{}}
	if err := c.SetBusyTimeout(DefaultBusyTimeout); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// caught makes an error of the driver's panic, which says that there is no memory.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("sqlite3: %v", p)
	}
}

// Close closes the connection and rolls back what was not committed.
func (c *Conn) Close() error {
	for _, s := range c.idle {
		s.Close()
	}
	c.idle = nil
	return c.lite.Close()
}

// SetInterrupt ends statements, with CodeInterrupt, when ctx ends.
func (c *Conn) SetInterrupt(ctx context.Context) { c.lite.SetInterrupt(ctx) }

// SetBusyTimeout sets how long a statement waits for locks of others.
func (c *Conn) SetBusyTimeout(d time.Duration) error { return c.lite.BusyTimeout(d) }

// Distrust prepares for a schema and rows that somebody else wrote: the schema may call no function with effects, no
// statement may damage the file's structure, and no value may exceed so many bytes.
func (c *Conn) Distrust(longest int) error {
	c.lite.Limit(sqlite3.LIMIT_LENGTH, longest)
	for op, on := range map[sqlite3.DBConfig]bool{sqlite3.DBCONFIG_DEFENSIVE: true, sqlite3.DBCONFIG_TRUSTED_SCHEMA: false} {
		if is, err := c.lite.Config(op, on); err != nil || is != on {
			return errors.Join(fmt.Errorf("sqlite3: option %d is not %t", op, on), err)
		}
	}
	return c.Exec("PRAGMA cell_size_check = 1")
}

// FullText makes FTS5 known to the connection.
func (c *Conn) FullText() error { return fts5.Register(c.lite) }

// Exec runs statements without parameters, and ignores the rows that they give.
func (c *Conn) Exec(script string) (err error) {
	defer caught(&err)
	return c.lite.Exec(script)
}

// Each runs one statement and calls row for every row that it gives; row may be nil. An error of row ends it.
func (c *Conn) Each(query string, row func(*Row) error, args ...any) (err error) {
	defer caught(&err)
	s, err := c.take(query)
	if err != nil {
		return err
	}
	defer c.give(query, s)
	for i, arg := range args {
		if err := bind(s, i+1, arg); err != nil {
			return err
		}
	}
	for r := (Row{s}); s.Step(); {
		if row == nil {
			continue
		}
		if err := row(&r); err != nil {
			return err
		}
		if err := s.Err(); err != nil { // of a column that could not be read
			return err
		}
	}
	return s.Err()
}

// take returns the statement of a text. It is taken out of idle, so that row can run the same query.
func (c *Conn) take(query string) (*sqlite3.Stmt, error) {
	if s := c.idle[query]; s != nil {
		delete(c.idle, query)
		return s, nil
	}
	s, tail, err := c.lite.PrepareFlags(query, sqlite3.PREPARE_PERSISTENT)
	switch {
	case err != nil:
		return nil, err
	case s == nil, strings.TrimSpace(tail) != "":
		return nil, errors.Join(fmt.Errorf("sqlite3: %q is not one statement", query), s.Close())
	}
	return s, nil
}

func (c *Conn) give(query string, s *sqlite3.Stmt) {
	_ = s.Reset()         // repeats the error of the last step
	_ = s.ClearBindings() // they can be large
	if c.idle[query] != nil || c.idle == nil {
		s.Close()
		return
	}
	c.idle[query] = s
}

// Number returns the first column of the first row, 0 if there is none.
func (c *Conn) Number(query string, args ...any) (n int64, err error) {
	first := true
	err = c.Each(query, func(r *Row) error {
		if first {
			n, first = r.Int64(0), false
		}
		return nil
	}, args...)
	return n, err
}

// Transaction runs do in one transaction and rolls it back if do fails.
func (c *Conn) Transaction(do func() error) error {
	if err := c.Each("BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = c.Each("COMMIT", nil)
	}
	if err != nil && !c.lite.GetAutocommit() { // some failures roll back by themselves
		err = errors.Join(err, c.Each("ROLLBACK", nil))
	}
	return err
}

// LastInsertRowID returns the rowid of the last row that was inserted.
func (c *Conn) LastInsertRowID() int64 { return c.lite.LastInsertRowID() }
