package archive

import (
	"errors"
	"time"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// Cursor is what the archive knows of a store: whether it has changed, and where to continue reading.
type Cursor struct {
	Known
	Place
}

// Known tells whether a store has changed.
type Known struct {
	// Store is the store's number in the archive, 0 for a new one.
	Store        int64
	Reader, Path string
	Layout       string
	// Size and Modified are those of trace.Store, from before the store was read.
	Size     int64
	Modified time.Time
	// Whole says that the next reading must begin at the start, whatever At says.
	Whole bool
	// Hot says that the store was being written when it was read: equal size and time do not prove that it is
	// unchanged.
	Hot bool
	// Scrub is the version of the scrubbing rules that were applied.
	Scrub int
	// Sessions counts the sessions kept from this store; Outdone counts those kept from another store that has them
	// too.
	Sessions, Outdone int
	// Problem is why nothing could be read; "" if something was.
	Problem string
}

// Place is where to continue in a store.
type Place struct {
	// Device, Inode and PathSize describe the file at the time of the reading. Head and Tail are hashes of its first
	// bytes and of those before At.Offset.
	Device, Inode int64
	PathSize      int64
	Head, Tail    string
	// Parts is the size and time of the store's other files at the time of the reading.
	Parts string
	At    trace.Cursor
}

const (
	cursorColumns = "reader, path, store, layout, size, modified, whole, hot, scrub, sessions, outdone, problem"
	placeColumns  = "store, device, inode, path_size, head, tail, parts, offset, line, state"
)

// Cursors returns all stores that were read, in no order. Their places are read one by one, because most stores have
// not changed.
func (a *Archive) Cursors() ([]Known, error) {
	all, err := a.listing()
	if errors.Is(err, errListing) {
		return a.rows()
	}
	return all, err
}

// rows returns all stores from their own rows, without the listing.
func (a *Archive) rows() (all []Known, err error) {
	err = a.each("SELECT "+cursorColumns+" FROM cursors", func(s *sqlite.Row) error {
		all = append(all, knownOf(s, 0))
		return nil
	})
	return all, err
}

// knownOf reads a row of cursors, whose columns begin at from.
func knownOf(s *sqlite.Row, from int) Known {
	return Known{
		Reader: s.Text(from), Path: s.Text(from + 1), Store: s.Int64(from + 2), Layout: s.Text(from + 3),
		Size: s.Int64(from + 4), Modified: time.Unix(0,
			s.Int64(from+5)), Whole: s.Bool(from + 6), Hot: s.Bool(from + 7),
		Scrub: s.Int(from + 8), Sessions: s.Int(from + 9), Outdone: s.Int(from + 10), Problem: s.Text(from + 11),
	}
}

// Place returns where to continue in a store.
func (a *Archive) Place(store int64) (p Place, err error) {
	err = a.each("SELECT "+placeColumns+" FROM places WHERE store = ?", func(s *sqlite.Row) error {
		p = Place{
			Device: s.Int64(1), Inode: s.Int64(2), PathSize: s.Int64(3), Head: s.Text(4), Tail: s.Text(5),
			Parts: s.Text(6), At: trace.Cursor{Offset: s.Int64(7), Line: s.Int64(8),
				State: columnBytes(s, 9)},
		}
		return nil
	}, store)
	return p, err
}

// columnBytes copies a column, nil if it is empty.
func columnBytes(s *sqlite.Row, column int) []byte {
	return append([]byte(nil), s.Bytes(column)...)
}

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

// Damage returns the first limit unreadable places as of each store's last reading, and the number of all per reader.
// There are few, so CROSS JOIN begins with them and not with all stores.
func (a *Archive) Damage(limit int) (list []Damage, all map[string]int, err error) {
	all = map[string]int{}
	err = a.each("SELECT c.reader, count(*) FROM damage d CROSS JOIN cursors c ON c.store = d.store GROUP BY c.reader", func(s *sqlite.Row) error {
		all[s.Text(0)] = s.Int(1)
		return nil
	})
	if err != nil || len(all) == 0 {
		return nil, all, err
	}
	err = a.each(`SELECT c.reader, c.path, d.line, d.offset, d.tbl, d.row, d.reason FROM damage d CROSS JOIN cursors c ON c.store = d.store
		ORDER BY c.reader, c.path, d.line, d.offset, d.tbl, d.row LIMIT ?`, func(s *sqlite.Row) error {
		list = append(list, Damage{s.Text(0), s.Text(1), trace.Damage{
			Ref: trace.Ref{Line: s.Int64(2), Offset: s.Int64(3), Table: s.Text(4),
				Key: s.Text(5)},
			Reason: s.Text(6),
		}})
		return nil
	}, limit)
	return list, all, err
}

// Versions returns the versions of the clients that wrote sessions, by source.
func (a *Archive) Versions() (map[string][]string, error) {
	all := map[string][]string{}
	err := a.each("SELECT DISTINCT source, version FROM sessions WHERE version <> '' ORDER BY source, version", func(s *sqlite.Row) error {
		all[s.Text(0)] = append(all[s.Text(0)], s.Text(1))
		return nil
	})
	return all, err
}

// Projects maps the paths that sessions worked in to their projects' keys. It answers for work trees that no longer
// exist.
func (a *Archive) Projects() (map[string]string, error) {
	keys := map[string]string{}
	err := a.each("SELECT path, key FROM projects", func(s *sqlite.Row) error {
		keys[s.Text(0)] = s.Text(1)
		return nil
	})
	return keys, err
}

// ProjectOf returns the folder and the project's key of one session that was read from a store; "" if there is none.
func (a *Archive) ProjectOf(store int64) (path, key string, err error) {
	err = a.each("SELECT project, project_key FROM sessions WHERE store = ? LIMIT 1", func(s *sqlite.Row) error {
		path, key = s.Text(0), s.Text(1)
		return nil
	}, store)
	return path, key, err
}
