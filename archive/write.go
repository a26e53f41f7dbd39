package archive

import "aburn/trace"

// Reading is what was read from one store, or a part of it.
type Reading struct {
	// Cursor names the store, and where to continue after this reading.
	Cursor Cursor
	// Whole says that the store was read from its start: sessions that it did not give are gone.
	Whole   bool
	Traces  []*Packed
	Damaged []trace.Damage
	// More says that other parts follow (Next). Until the last part is written the next reading begins at the start.
	More bool

	// Write sets what it did with the traces. Outdone lists the sessions that another store has in a later state. Gone
	// counts the sessions that the store no longer has.
	New, Updated, Same, Gone int
	Outdone                  []string

	of    *whole
	later bool // not the first part
}

// whole is what the parts of a reading share. Only Write touches it.
type whole struct {
	store   int64
	fresh   bool           // the archive did not know the store
	kept    map[int64]bool // keys of the sessions that are kept from this store
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

// Write commits readings. If two stores have the same session, the trace that continues longer is kept.
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

// identify sets the number of r's store.
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

// finishStore marks the sessions that the store no longer has, counts the others, and writes the cursor.
func (a *Archive) finishStore(r *Reading) error {
	c := &r.Cursor
	if r.Whole {
		if err := a.lose(r); err != nil {
			return err
		}
		c.Outdone = 0
	}
	c.Sessions, c.Outdone = len(r.of.kept), c.Outdone+r.of.outdone
	if !r.Whole || r.later { // earlier parts have others, or another store has taken some
		n, err := a.number("SELECT count(*) FROM sessions WHERE store = ?", c.Store)
		if err != nil {
			return err
		}
		c.Sessions = int(n)
		if !r.Whole && c.Problem == "" { // sessions that it did not give are unchanged
			r.Same += max(c.Sessions-len(r.of.kept), 0)
		}
	}
	if c.Outdone > 0 {
		c.Whole = true // a reader cannot continue with another store's traces
	}
	return a.setCursor(c)
}

// lose marks the sessions that are no longer in the store.
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
	for _, d := range r.Damaged { // a reader that continues may repeat damage
		if err := a.run("INSERT OR REPLACE INTO damage (store, line, offset, tbl, row, reason) VALUES (?,?,?,?,?,?)",
			store, d.Ref.Line, d.Ref.Offset, d.Ref.Table, d.Ref.Key, d.Reason); err != nil {
			return err
		}
	}
	return nil
}

// Moved notes that the store at from is now at to, where none was.
func (a *Archive) Moved(reader, from, to string) error {
	return a.transaction(func() error {
		if err := a.unlist("SELECT store FROM cursors WHERE reader = ? AND path = ?", reader, from); err != nil {
			return err
		}
		return a.run("UPDATE cursors SET path = ?, whole = 1 WHERE reader = ? AND path = ?", to, reader, from)
	})
}

// Forget notes that stores no longer exist. Their sessions stay, marked Gone.
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
		// Another store may have the sessions that were kept from one of these.
		if err := a.unlist("SELECT store FROM cursors WHERE outdone > 0"); err != nil {
			return err
		}
		return a.run("UPDATE cursors SET whole = 1, hot = 1 WHERE outdone > 0")
	})
}
