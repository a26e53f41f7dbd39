package archive

import (
	"context"
	"errors"
	"time"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// Digest is a stored digest of a session, in the form of package digests.
type Digest struct {
	Key        int64
	Source, ID string
	End        time.Time
	// Live is as in Session.
	Live bool
	// Body is empty if there is no digest by the asked rules.
	Body string
}

// Digests calls each for every session that f chooses, with its digest by these rules if there is one. The order is
// newest first if f has a Limit, else none.
func (a *Archive) Digests(f Filter, rules int, each func(Digest) error) error {
	where, args := a.where(f)
	if f.Limit > 0 {
		return a.digests(listed, where+newestFirst+" LIMIT ?", append(args, f.Limit), rules, each)
	}
	return a.digests(listedAll, where, args, rules, each)
}

// DigestsOf is Digests for the existing sessions with these keys. For many keys Digests is quicker.
func (a *Archive) DigestsOf(keys []int64, rules int, each func(Digest) error) error {
	for _, key := range keys {
		if err := a.digests(listed, "s.key = ?", []any{key}, rules, each); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) digests(from, where string, args []any, rules int, each func(Digest) error) error {
	live := millis(a.now().Add(-LiveFor))
	args = append([]any{live, live, rules}, args...)
	var bodies, names texts
	return a.each("SELECT s.key, s.ended, s.live, d.body, s.source, s.id FROM "+from+" s LEFT JOIN digests d ON d.key = s.key AND d.rules = ? WHERE "+where,
		func(s *sqlite.Row) error {
			d := Digest{Key: s.Int64(0), End: instant(s.Int64(1)), Live: s.Bool(2), Body: bodies.column(s, 3),
				Source: names.word(s, 4), ID: names.column(s, 5)}
			if d.Live {
				var err error
				if d.Live, err = a.goesOn(d.Key); err != nil {
					return err
				}
			}
			return each(d)
		}, args...)
}

// dropDigests drops the digests that the trace under key is part of: its own, that of the session whose hooks' record
// it is, that of the session whose sub-agent it is, and those of all sessions in the same worker's tree: which part of the
// ledger is about which of them depends on when each began.
func (a *Archive) dropDigests(key int64) error {
	kept, err := a.number("SELECT EXISTS (SELECT 1 FROM digests)")
	if err != nil || kept == 0 {
		return err
	}
	return a.run(`DELETE FROM digests WHERE key IN (SELECT key FROM sessions WHERE id IN (
		SELECT id FROM sessions WHERE key = ?1
		UNION ALL SELECT related FROM relations WHERE session = ?1 AND kind = 'subagent' AND related <> '')
		UNION ALL SELECT t.key FROM sessions s CROSS JOIN sessions t ON t.project = s.project
			WHERE s.key = ?1 AND s.project <> '' AND s.project IN (SELECT project FROM sessions WHERE source = 'worker'))`, key)
}

// Workers are the ids of the ledgers of workers, by the folder in which each worked.
func (a *Archive) Workers(ctx context.Context) (map[string]string, error) {
	list := map[string]string{}
	err := a.each("SELECT project, id FROM sessions WHERE source = 'worker' AND project <> ''", func(s *sqlite.Row) error {
		list[s.Text(0)] = s.Text(1)
		return nil
	})
	return list, err
}

// LedgerPart is what of a worker's ledger is about one session: the entries from From until Until. A zero time is no bound.
type LedgerPart struct {
	Key         int64 // of the ledger; 0 if the session was no worker's
	From, Until time.Time
}

// LedgerOf returns the part of a ledger that a session's digest is made from. Of several sessions in one tree each has what
// was written since it began, and the first one also what came before. A sub-agent's session has none. Of a worker in a clone there are
// two ledgers: the clone's begins later, and says how the agent ended.
func (a *Archive) LedgerOf(key int64) (p LedgerPart, err error) {
	err = a.each(`SELECT w.key,
		CASE WHEN EXISTS (SELECT 1 FROM sessions e WHERE e.project = s.project AND e.source NOT IN ('own', 'worker') AND e.relation <> 'subagent'
			AND e.id <> s.id AND (e.start < s.start OR e.start = s.start AND e.key < s.key)) THEN s.start ELSE 0 END,
		coalesce((SELECT min(l.start) FROM sessions l WHERE l.project = s.project AND l.source NOT IN ('own', 'worker') AND l.relation <> 'subagent'
			AND l.id <> s.id AND (l.start > s.start OR l.start = s.start AND l.key > s.key)), 0)
		FROM sessions s CROSS JOIN sessions w ON w.source = 'worker' AND w.project = s.project
		WHERE s.key = ? AND s.project <> '' AND s.source <> 'worker' AND s.relation <> 'subagent' ORDER BY w.start DESC LIMIT 1`, func(s *sqlite.Row) error {
		p = LedgerPart{s.Int64(0), instant(s.Int64(1)), instant(s.Int64(2))}
		return nil
	}, key)
	return p, err
}

// Parts returns what else a session's digest is made from: the key of the hooks' record, 0 if it has none, and if it
// has one the keys of the session's sub-agents.
func (a *Archive) Parts(key int64) (own int64, subs []int64, err error) {
	own, err = a.number(`SELECT o.key FROM sessions s JOIN sessions o ON o.source = 'own' AND o.id = s.id WHERE s.key = ? AND s.source <> 'own'`, key)
	if err != nil || own == 0 {
		return 0, nil, err
	}
	subs, err = a.keys(`SELECT r.session FROM sessions s CROSS JOIN relations r INDEXED BY relations_related ON r.related = s.id
		CROSS JOIN sessions c ON c.key = r.session AND c.source = s.source
		WHERE s.key = ? AND r.related <> '' AND r.kind = ? ORDER BY 1`, key, string(trace.Subagent))
	return own, subs, err
}

// Keeper stores digests. It needs no lock of package ingest: it touches nothing that an ingest remembers between two
// transactions, and it writes only if nobody has committed since the traces were read (Mark).
type Keeper struct {
	a     *Archive
	wrote bool
}

// keeperWait is how long a Keeper waits for another writer. A digest that it does not store can be made again.
const keeperWait = 100 * time.Millisecond

// OpenKeeper opens the existing archive in dir for storing digests.
func OpenKeeper(ctx context.Context, dir string) (*Keeper, error) {
	a, err := open(ctx, dir, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	if err := a.conn.SetBusyTimeout(keeperWait); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	have, err := a.number("PRAGMA user_version")
	if err == nil && have != schema {
		err = &WrongSchema{a.path, int(have), schema}
	}
	if err == nil {
		err = a.tune()
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return &Keeper{a: a}, nil
}

// Close closes the archive. If nobody reads, it first checkpoints SQLite's log: a reader is often the last to close
// and cannot do that, and with a log of some megabytes every opening is slow.
func (k *Keeper) Close() error {
	var err error
	if k.wrote {
		err = k.a.run("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return errors.Join(err, k.a.Close())
}

// Mark is taken before the traces are read whose digests are to be stored.
type Mark int64

// Mark returns the archive's present state, as far as others change it.
func (k *Keeper) Mark() (Mark, error) {
	n, err := k.a.number("PRAGMA data_version")
	return Mark(n), err
}

// Keep stores digests that were made by these rules. kept is false if anybody has changed the archive since the mark
// or is writing right now.
func (k *Keeper) Keep(since Mark, rules int, list []Digest) (kept bool, err error) {
	err = k.a.transaction(func() error {
		now, err := k.Mark()
		if err != nil || now != since {
			return err
		}
		for i := range list {
			if err := k.a.run("INSERT OR REPLACE INTO digests (key, rules, body) VALUES (?,?,?)", list[i].Key,
				rules, []byte(list[i].Body)); err != nil {
				return err
			}
		}
		kept, k.wrote = true, true
		return nil
	})
	if code := sqlite.CodeOf(err); code == sqlite.CodeBusy {
		return false, nil
	}
	return kept && err == nil, err
}
