package archive

import (
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"aburn/trace"
)

// Cursor is what the archive knows of a store that was read: whether it has changed, and where to go on.
type Cursor struct {
	Known
	Place
}

// Known is what tells whether a store has changed.
type Known struct {
	// Store is its number here, 0 if it is not yet known.
	Store        int64
	Reader, Path string
	Layout       string
	// Size and Modified are those of trace.Store, as the store was found before it was read.
	Size     int64
	Modified time.Time
	// Whole says that the next read has to begin at the start, whatever At says.
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

// Place is where to go on in a store.
type Place struct {
	// Device, Inode and PathSize are of the file at the cursor's path, as it was when it was read; Head and Tail are hashes of
	// what stands at its start and before At.Offset.
	Device, Inode int64
	PathSize      int64
	Head, Tail    string
	// Parts is the size and time of the store's other files, as they were when it was read.
	Parts string
	At    trace.Cursor
}

const (
	cursorColumns = "reader, path, store, layout, size, modified, whole, hot, scrub, sessions, outdone, problem"
	placeColumns  = "store, device, inode, path_size, head, tail, parts, offset, line, state"
)

// Cursors is all stores that were read, in no order. Their places are told one by one: most stores have not changed.
func (a *Archive) Cursors() ([]Known, error) {
	all, err := a.listing()
	if errors.Is(err, errListing) {
		return a.rows()
	}
	return all, err
}

// rows is all stores that were read, without the help of the listing.
func (a *Archive) rows() (all []Known, err error) {
	err = a.each("SELECT "+cursorColumns+" FROM cursors", func(s *sqlite.Stmt) error {
		all = append(all, knownOf(s, 0))
		return nil
	})
	return all, err
}

// knownOf is what a row of cursors says, whose columns begin with this one.
func knownOf(s *sqlite.Stmt, from int) Known {
	return Known{
		Reader: s.ColumnText(from), Path: s.ColumnText(from + 1), Store: s.ColumnInt64(from + 2), Layout: s.ColumnText(from + 3),
		Size: s.ColumnInt64(from + 4), Modified: time.Unix(0, s.ColumnInt64(from+5)), Whole: s.ColumnBool(from + 6), Hot: s.ColumnBool(from + 7),
		Scrub: s.ColumnInt(from + 8), Sessions: s.ColumnInt(from + 9), Outdone: s.ColumnInt(from + 10), Problem: s.ColumnText(from + 11),
	}
}

// Place is where to go on in a store.
func (a *Archive) Place(store int64) (p Place, err error) {
	err = a.each("SELECT "+placeColumns+" FROM places WHERE store = ?", func(s *sqlite.Stmt) error {
		p = Place{
			Device: s.ColumnInt64(1), Inode: s.ColumnInt64(2), PathSize: s.ColumnInt64(3), Head: s.ColumnText(4), Tail: s.ColumnText(5),
			Parts: s.ColumnText(6), At: trace.Cursor{Offset: s.ColumnInt64(7), Line: s.ColumnInt64(8), State: columnBytes(s, 9)},
		}
		return nil
	}, store)
	return p, err
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
	err := a.run("INSERT OR REPLACE INTO cursors ("+cursorColumns+") VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
		c.Reader, c.Path, c.Store, c.Layout, c.Size, c.Modified.UnixNano(), c.Whole, c.Hot, c.Scrub, c.Sessions, c.Outdone, c.Problem)
	if err == nil {
		err = a.unlist("VALUES (?)", c.Store)
	}
	if err != nil {
		return err
	}
	return a.run("INSERT OR REPLACE INTO places ("+placeColumns+") VALUES (?,?,?,?,?,?,?,?,?,?)",
		c.Store, c.Device, c.Inode, c.PathSize, c.Head, c.Tail, c.Parts, c.At.Offset, c.At.Line, state)
}

// Damage is a place in a store that could not be read.
type Damage struct {
	Reader, Path string
	trace.Damage
}

// Damage is the first limit places that could not be read when their store last was, and how many there are of each reader.
// There are few or none: a join by CROSS looks for their stores, and not through all stores for damage.
func (a *Archive) Damage(limit int) (list []Damage, all map[string]int, err error) {
	all = map[string]int{}
	err = a.each("SELECT c.reader, count(*) FROM damage d CROSS JOIN cursors c ON c.store = d.store GROUP BY c.reader", func(s *sqlite.Stmt) error {
		all[s.ColumnText(0)] = s.ColumnInt(1)
		return nil
	})
	if err != nil || len(all) == 0 {
		return nil, all, err
	}
	err = a.each(`SELECT c.reader, c.path, d.line, d.offset, d.tbl, d.row, d.reason FROM damage d CROSS JOIN cursors c ON c.store = d.store
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
