package archive

import (
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"aburn/trace"
)

// Digest is what is kept of a session beside its trace: the form in which package digests stores what it worked out.
type Digest struct {
	Key int64
	End time.Time
	// Live is as in Session.
	Live bool
	// Body is empty if none is kept, or one by other rules.
	Body string
}

// Digests calls each for every session that f chooses (its Limit aside), in no order, with the digest by the given rules
// if there is one.
func (a *Archive) Digests(f Filter, rules int, each func(Digest) error) error {
	live := millis(a.now().Add(-LiveFor))
	where, args := f.where()
	args = append([]any{live, live, rules}, args...)
	var bodies texts
	return a.each("SELECT s.key, s.ended, s.live, d.body FROM "+surveyed+" s LEFT JOIN digests d ON d.key = s.key AND d.rules = ? WHERE "+where, func(s *sqlite.Stmt) error {
		return each(Digest{Key: s.ColumnInt64(0), End: instant(s.ColumnInt64(1)), Live: s.ColumnBool(2), Body: bodies.column(s, 3)})
	}, args...)
}

// stale drops the digests that what is stored under key goes into: its own, that of the session it is the hooks' record of, and
// that of the session it is a sub-agent of.
func (a *Archive) stale(key int64) error {
	kept, err := a.number("SELECT EXISTS (SELECT 1 FROM digests)")
	if err != nil || kept == 0 {
		return err
	}
	return a.run(`DELETE FROM digests WHERE key IN (SELECT key FROM sessions WHERE id IN (
		SELECT id FROM sessions WHERE key = ?1
		UNION ALL SELECT related FROM relations WHERE session = ?1 AND kind = 'subagent' AND related <> ''))`, key)
}

// Parts is what else a session's digest is made from: the key of what hooks recorded of it, 0 if that is nothing, and if it
// is something, the keys of the session's sub-agents.
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

// Keeper keeps digests. It needs no lock of package ingest: it touches nothing that an ingest remembers between two
// transactions, and it writes only if nobody else has committed anything since the traces were read (Mark).
type Keeper struct {
	a     *Archive
	wrote bool
}

// keeping is how long a Keeper waits for who writes right now. What it does not keep can be made again.
const keeping = 100 * time.Millisecond

// OpenKeeper opens the archive in dir, which is there, for keeping digests.
func OpenKeeper(ctx context.Context, dir string) (*Keeper, error) {
	a, err := open(ctx, dir, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	a.conn.SetBusyTimeout(keeping)
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

// Close closes it. What was kept stays, and is brought out of SQLite's log, if nobody reads there right now: who only reads is
// often the last to close and cannot do that, and with a log of some megabytes everyone who opens the archive has to read it.
func (k *Keeper) Close() error {
	var err error
	if k.wrote {
		err = k.a.run("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return errors.Join(err, k.a.Close())
}

// Mark is taken before traces are read whose digests are to be kept.
type Mark int64

// Mark is the state that the archive is in, as far as others change it.
func (k *Keeper) Mark() (Mark, error) {
	n, err := k.a.number("PRAGMA data_version")
	return Mark(n), err
}

// Keep keeps the digests of sessions, made by these rules, and says whether it did: not if anybody has changed the
// archive since, or is writing right now.
func (k *Keeper) Keep(since Mark, rules int, list []Digest) (kept bool, err error) {
	err = k.a.transaction(func() error {
		now, err := k.Mark()
		if err != nil || now != since {
			return err
		}
		for i := range list {
			if err := k.a.run("INSERT OR REPLACE INTO digests (key, rules, body) VALUES (?,?,?)", list[i].Key, rules, []byte(list[i].Body)); err != nil {
				return err
			}
		}
		kept, k.wrote = true, true
		return nil
	})
	if code := sqlite.ErrCode(err).ToPrimary(); code == sqlite.ResultBusy {
		return false, nil
	}
	return kept && err == nil, err
}
