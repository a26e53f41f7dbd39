package archive

import "aburn/trace"

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

	of    *whole
	later bool // there was a part before this one
}

// whole is what the parts of a reading share. Only Write touches it.
type whole struct {
	store   int64
	fresh   bool           // the archive did not know it
	kept    map[int64]bool // keys of the sessions that are in it and are kept from it
	outdone int
}

// NewReading begins the reading of a store.
func NewReading(c Cursor, fromStart bool) *Reading {
	return &Reading{Cursor: c, Whole: fromStart, of: &whole{kept: map[int64]bool{}}}
}

// Next ends r as a part and begins the next one of the same store.
func (r *Reading) Next() *Reading {
	r.More = true
	return &Reading{Cursor: r.Cursor, Whole: r.Whole, of: r.of, later: true}
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
	if err := a.identify(r); err != nil {
		return err
	}
	if r.More {
		c := r.Cursor
		c.At, c.Whole = trace.Cursor{}, true
		if err := a.setCursor(&c); err != nil {
			return err
		}
	}
	for _, p := range r.Traces {
		became, err := a.put(p, r.Cursor.Store)
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

// identify sets the number of the store that r was read from.
func (a *Archive) identify(r *Reading) (err error) {
	c, o := &r.Cursor, r.of
	if o.store == 0 {
		o.store = c.Store
	}
	if o.store == 0 {
		o.store, err = a.number("SELECT store FROM cursors WHERE reader = ? AND path = ?", c.Reader, c.Path)
	}
	if o.store == 0 && err == nil {
		o.fresh = true
		o.store, err = a.number("SELECT coalesce((SELECT max(store) FROM cursors), 0) + 1")
	}
	c.Store = o.store
	return err
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
		r.of.outdone++
		return
	}
	r.of.kept[p.session.Key] = true
}

// finishStore says which sessions the store no longer has, how many it has, and where to go on in it.
func (a *Archive) finishStore(r *Reading) error {
	c := &r.Cursor
	if r.Whole {
		if err := a.lose(r); err != nil {
			return err
		}
		c.Outdone = 0
	}
	c.Sessions, c.Outdone = len(r.of.kept), c.Outdone+r.of.outdone
	if !r.Whole || r.later { // it has others, or some were kept from another store since
		n, err := a.number("SELECT count(*) FROM sessions WHERE store = ?", c.Store)
		if err != nil {
			return err
		}
		c.Sessions = int(n)
		if !r.Whole && c.Problem == "" { // what it did not speak of is as it was
			r.Same += max(c.Sessions-len(r.of.kept), 0)
		}
	}
	if c.Outdone > 0 {
		c.Whole = true // the traces that it would go on with are not its own
	}
	return a.setCursor(c)
}

// lose marks the sessions that were in the store, and are not any more.
func (a *Archive) lose(r *Reading) error {
	if r.of.fresh {
		return nil
	}
	keys, err := a.keys("SELECT key FROM sessions WHERE store = ?", r.Cursor.Store)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if r.of.kept[key] {
			continue
		}
		r.Gone++
		if err := a.run("UPDATE sessions SET store = 0 WHERE key = ?", key); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) addDamage(r *Reading) error {
	store := r.Cursor.Store
	if r.Whole && !r.later && !r.of.fresh {
		if err := a.run("DELETE FROM damage WHERE store = ?", store); err != nil {
			return err
		}
	}
	for _, d := range r.Damaged { // a reader that goes on may tell again what it told before
		if err := a.run("INSERT OR REPLACE INTO damage (store, line, offset, tbl, row, reason) VALUES (?,?,?,?,?,?)",
			store, d.Ref.Line, d.Ref.Offset, d.Ref.Table, d.Ref.Key, d.Reason); err != nil {
			return err
		}
	}
	return nil
}

// Moved notes that the store that was at from is now at to, where none was.
func (a *Archive) Moved(reader, from, to string) error {
	return a.transaction(func() error {
		if err := a.unlist("SELECT store FROM cursors WHERE reader = ? AND path = ?", reader, from); err != nil {
			return err
		}
		return a.run("UPDATE cursors SET path = ?, whole = 1 WHERE reader = ? AND path = ?", to, reader, from)
	})
}

// Forget notes that stores are no more. Their sessions stay, marked Gone.
func (a *Archive) Forget(stores []int64) error {
	return a.transaction(func() error {
		for _, store := range stores {
			for _, query := range [...]string{
				"UPDATE sessions SET store = 0 WHERE store = ?", "DELETE FROM damage WHERE store = ?",
				"INSERT OR IGNORE INTO unlisted (store) VALUES (?)", "DELETE FROM cursors WHERE store = ?", "DELETE FROM places WHERE store = ?",
			} {
				if err := a.run(query, store); err != nil {
					return err
				}
			}
		}
		// Another store may have what was kept from one of these.
		if err := a.unlist("SELECT store FROM cursors WHERE outdone > 0"); err != nil {
			return err
		}
		return a.run("UPDATE cursors SET whole = 1, hot = 1 WHERE outdone > 0")
	})
}
