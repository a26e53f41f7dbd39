package archive

import (
	"errors"

	"zombiezen.com/go/sqlite"

	"aburn/trace"
)

// Reading is what was read from one store, or a part of it.
type Reading struct {
	// Cursor is the store, and where to go on after this.
	Cursor Cursor
	// Whole says that the store was read from its start: what it no longer has is gone.
	Whole   bool
	Traces  []*Packed
	Damaged []trace.Damage
	// More says that other parts follow (Next). Until the last one is written the next read begins at the start.
	More bool

	// Write tells what became of the traces. Outdone are the sessions that another store has too, in a later state.
	// Gone is how many the store no longer has.
	New, Updated, Same, Gone int
	Outdone                  []string

	store *int64         // Cursor.Store, once it is known
	kept  map[int64]bool // keys of the sessions that were in the store, so far
	later bool           // there was a part before this one
}

// NewReading begins the reading of a store.
func NewReading(c Cursor, whole bool) *Reading {
	return &Reading{Cursor: c, Whole: whole, store: new(int64), kept: map[int64]bool{}}
}

// Next ends r as a part and begins the next one of the same store.
func (r *Reading) Next() *Reading {
	r.More = true
	return &Reading{Cursor: r.Cursor, Whole: r.Whole, store: r.store, kept: r.kept, later: true}
}

// Write commits what was read from some stores. Of a session that two stores have, the one that goes on longer is kept.
func (a *Archive) Write(readings []*Reading) error {
	return a.transaction(func() error {
		for _, r := range readings {
			if err := a.write(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *Archive) write(r *Reading) error {
	if *r.store != 0 {
		r.Cursor.Store = *r.store
	}
	c := r.Cursor
	if r.More {
		c.At, c.Whole = trace.Cursor{}, true
	}
	if err := a.setCursor(&c); err != nil {
		return err
	}
	r.Cursor.Store, *r.store = c.Store, c.Store
	for _, p := range r.Traces {
		became, err := a.put(p, c.Store)
		if err != nil {
			return err
		}
		r.count(p, became)
	}
	if err := a.addDamage(r); err != nil || r.More {
		return err
	}
	return a.finishStore(r)
}

// count notes what became of a trace.
func (r *Reading) count(p *Packed, became fate) {
	switch became {
	case isNew:
		r.New++
	case isUpdated:
		r.Updated++
	case isSame:
		r.Same++
	case isOutdone:
		r.Outdone = append(r.Outdone, p.session.ID)
		return
	}
	r.kept[p.session.Key] = true
}

// finishStore says which sessions the store no longer has, and how many it has.
func (a *Archive) finishStore(r *Reading) error {
	c := &r.Cursor
	if r.Whole {
		var lost []int64
		err := a.each("SELECT key FROM sessions WHERE store = ?", func(s *sqlite.Stmt) error {
			if key := s.ColumnInt64(0); !r.kept[key] {
				lost = append(lost, key)
			}
			return nil
		}, c.Store)
		r.Gone = len(lost)
		for _, key := range lost {
			err = errors.Join(err, a.run("UPDATE sessions SET store = 0 WHERE key = ?", key))
		}
		if err != nil {
			return err
		}
		c.Outdone = 0
	}
	n, err := a.number("SELECT count(*) FROM sessions WHERE store = ?", c.Store)
	if err != nil {
		return err
	}
	c.Sessions, c.Outdone = int(n), max(c.Outdone, len(r.Outdone))
	if c.Outdone > 0 {
		c.Whole = true // the traces that it would go on with are not its own
	}
	return a.setCursor(c)
}

func (a *Archive) addDamage(r *Reading) error {
	store := r.Cursor.Store
	if r.Whole && !r.later {
		if err := a.run("DELETE FROM damage WHERE store = ?", store); err != nil {
			return err
		}
	}
	if len(r.Damaged) == 0 {
		return nil
	}
	n, err := a.number("SELECT coalesce(max(number), 0) FROM damage WHERE store = ?", store)
	if err != nil {
		return err
	}
	for _, d := range r.Damaged {
		n++
		if err := a.run("INSERT INTO damage (store, number, line, offset, tbl, row, reason) VALUES (?,?,?,?,?,?,?)",
			store, n, d.Ref.Line, d.Ref.Offset, d.Ref.Table, d.Ref.Key, d.Reason); err != nil {
			return err
		}
	}
	return nil
}

// Moved notes that the store that was at from is now at to.
func (a *Archive) Moved(reader, from, to string) error {
	return a.transaction(func() error {
		if err := a.run("DELETE FROM damage WHERE store IN (SELECT store FROM cursors WHERE reader = ? AND path = ?)", reader, to); err != nil {
			return err
		}
		return a.run("UPDATE OR REPLACE cursors SET path = ?, whole = 1 WHERE reader = ? AND path = ?", to, reader, from)
	})
}

// Forget notes that stores are no more. Their sessions stay, marked Gone.
func (a *Archive) Forget(stores []int64) error {
	return a.transaction(func() error {
		for _, store := range stores {
			for _, query := range [...]string{
				"UPDATE sessions SET store = 0 WHERE store = ?", "DELETE FROM damage WHERE store = ?", "DELETE FROM cursors WHERE store = ?",
			} {
				if err := a.run(query, store); err != nil {
					return err
				}
			}
		}
		// Another store may have what was kept from one of these.
		return a.run("UPDATE cursors SET whole = 1, hot = 1 WHERE outdone > 0")
	})
}
