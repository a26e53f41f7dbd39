package archive

import (
	"time"

	"zombiezen.com/go/sqlite"

	"aburn/trace"
)

// Cursor is what the archive knows of a store that was read: how to recognise it, and where to go on.
type Cursor struct {
	// Store is its number here, 0 if it is not yet known.
	Store        int64
	Reader, Path string
	Layout       string
	// Size and Modified are those of trace.Store, as the store was found before it was read.
	Size     int64
	Modified time.Time
	// Device, Inode and PathSize are of the file at Path, as it was when it was read; Head and Tail are hashes of what stands at
	// its start and before At.Offset.
	Device, Inode int64
	PathSize      int64
	Head, Tail    string
	// Parts is the size and time of its other files, as they were when it was read.
	Parts string
	// At is where to go on. Whole says that the next read has to begin at the start all the same.
	At    trace.Cursor
	Whole bool
	// Hot says that it was being written when it was read: its size and time do not yet tell whether it changed.
	Hot bool
	// Scrub is the version of the rules that were applied.
	Scrub int
	// Sessions is how many it gave, Outdone how many of them are kept from another store that has them too.
	Sessions, Outdone int
	// Problem is why nothing was read from it.
	Problem string
}

const cursorColumns = `store, reader, path, layout, size, modified, device, inode, path_size, head, tail, parts, offset, line, state,
	whole, hot, scrub, sessions, outdone, problem`

// Cursors is all stores that were read.
func (a *Archive) Cursors() ([]Cursor, error) {
	var list []Cursor
	err := a.each("SELECT "+cursorColumns+" FROM cursors", func(s *sqlite.Stmt) error {
		list = append(list, Cursor{
			Store: s.ColumnInt64(0), Reader: s.ColumnText(1), Path: s.ColumnText(2), Layout: s.ColumnText(3),
			Size: s.ColumnInt64(4), Modified: time.Unix(0, s.ColumnInt64(5)), Device: s.ColumnInt64(6), Inode: s.ColumnInt64(7),
			PathSize: s.ColumnInt64(8), Head: s.ColumnText(9), Tail: s.ColumnText(10), Parts: s.ColumnText(11),
			At:    trace.Cursor{Offset: s.ColumnInt64(12), Line: s.ColumnInt64(13), State: columnBytes(s, 14)},
			Whole: s.ColumnBool(15), Hot: s.ColumnBool(16), Scrub: s.ColumnInt(17), Sessions: s.ColumnInt(18), Outdone: s.ColumnInt(19),
			Problem: s.ColumnText(20),
		})
		return nil
	})
	return list, err
}

// columnBytes is a copy of a column, nil if it is empty.
func columnBytes(s *sqlite.Stmt, column int) []byte {
	n := s.ColumnLen(column)
	if n == 0 {
		return nil
	}
	buf := make([]byte, n)
	s.ColumnBytes(column, buf)
	return buf
}

// setCursor writes c.
func (a *Archive) setCursor(c *Cursor) error {
	state := c.At.State
	if state == nil {
		state = []byte{}
	}
	return a.run("INSERT OR REPLACE INTO cursors ("+cursorColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		c.Store, c.Reader, c.Path, c.Layout, c.Size, c.Modified.UnixNano(), c.Device, c.Inode, c.PathSize, c.Head, c.Tail, c.Parts,
		c.At.Offset, c.At.Line, state, c.Whole, c.Hot, c.Scrub, c.Sessions, c.Outdone, c.Problem)
}

// Damage is a place in a store that could not be read.
type Damage struct {
	Reader, Path string
	trace.Damage
}

// Damage is the first limit places that could not be read when their store last was, and how many there are of each reader.
func (a *Archive) Damage(limit int) (list []Damage, all map[string]int, err error) {
	all = map[string]int{}
	err = a.each("SELECT c.reader, count(*) FROM damage d JOIN cursors c ON c.store = d.store GROUP BY c.reader", func(s *sqlite.Stmt) error {
		all[s.ColumnText(0)] = s.ColumnInt(1)
		return nil
	})
	if err != nil || len(all) == 0 {
		return nil, all, err
	}
	err = a.each(`SELECT c.reader, c.path, d.line, d.offset, d.tbl, d.row, d.reason FROM damage d JOIN cursors c ON c.store = d.store
		ORDER BY c.reader, c.path, d.line, d.offset, d.tbl, d.row LIMIT ?`, func(s *sqlite.Stmt) error {
		list = append(list, Damage{s.ColumnText(0), s.ColumnText(1), trace.Damage{
			Ref:    trace.Ref{Line: s.ColumnInt64(2), Offset: s.ColumnInt64(3), Table: s.ColumnText(4), Key: s.ColumnText(5)},
			Reason: s.ColumnText(6),
		}})
		return nil
	}, limit)
	return list, all, err
}

// Projects is the key of each project's path that sessions worked in. A work tree that is gone can no longer be asked.
func (a *Archive) Projects() (map[string]string, error) {
	keys := map[string]string{}
	err := a.each("SELECT path, key FROM projects", func(s *sqlite.Stmt) error {
		keys[s.ColumnText(0)] = s.ColumnText(1)
		return nil
	})
	return keys, err
}
