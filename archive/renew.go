package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"aburn/internal/scrub"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// An archive of an older schema is renewed: its traces, which alone hold the truth, go into a new file. Its steps, each
// of which a killed process may leave behind:
//
//  1. building/archive.db is filled in one transaction. Nobody reads it; the next attempt begins anew.
//  2. building becomes built: it is whole. The next attempt goes on here.
//  3. The older file's log, then the older file itself get a name that says its schema. It is never changed or deleted.
//  4. built/archive.db takes its place, in one step.
const (
	buildingDir = "building"
	builtDir    = "built"
)

// Renewed says what Renew did.
type Renewed struct {
	Schema   int    // of the older file
	Sessions int    // that the new archive has
	Unread   int    // traces in a form that this executable cannot read; the new archive keeps their bytes
	Kept     string // the older file's path now
}

// Renew makes an archive of an older schema one of this executable's; it returns nil if there is none. Every session is
// then one whose store is gone, until the store is read again. The caller holds the lock of package ingest.
func Renew(ctx context.Context, dir string, progress func(done, total int)) (*Renewed, error) {
	path := filepath.Join(dir, Name)
	built := filepath.Join(dir, builtDir, Name)
	var older *WrongSchema
	var none *NotFound
	a, err := View(ctx, dir)
	switch {
	case err == nil:
		return nil, a.Close()
	case errors.As(err, &none) && none.Dir != "": // killed within step 4, on a file system without links
		if err := os.Rename(built, path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, &NoPlace{err}
		}
		return nil, os.RemoveAll(filepath.Dir(built))
	case !errors.As(err, &older) || !older.Older():
		return nil, nil // Open meets the same error
	}
	r := &Renewed{Schema: older.Have}
	if _, err := os.Stat(built); err != nil {
		if err := build(ctx, dir, progress); err != nil {
			return nil, err
		}
	}
	if err := count(ctx, filepath.Join(dir, builtDir), r); err != nil {
		return nil, err
	}
	if r.Kept, err = setAside(path, older.Have); err != nil {
		return nil, &NoPlace{err}
	}
	if err := os.Rename(built, path); err != nil {
		return nil, &NoPlace{err}
	}
	return r, os.RemoveAll(filepath.Join(dir, builtDir))
}

// OpenRenewed is Open, after Renew.
func OpenRenewed(ctx context.Context, dir string, progress func(done, total int)) (*Archive, *Renewed, error) {
	r, err := Renew(ctx, dir, progress)
	if err != nil {
		return nil, r, err
	}
	a, err := Open(ctx, dir)
	return a, r, err
}

// build makes the new archive beside the older one.
func build(ctx context.Context, dir string, progress func(done, total int)) error {
	building := filepath.Join(dir, buildingDir)
	if err := errors.Join(os.RemoveAll(building), os.RemoveAll(filepath.Join(dir, builtDir))); err != nil {
		return &NoPlace{err}
	}
	old, err := viewOlder(ctx, dir)
	if err != nil {
		return err
	}
	defer old.Close()
	a, err := Open(ctx, building)
	if err != nil {
		return err
	}
	err = errors.Join(a.transaction(func() error { return a.takeOver(ctx, old, progress) }), a.run("PRAGMA wal_checkpoint(TRUNCATE)"), a.Close())
	if err == nil && old.Changed() {
		err = fmt.Errorf("%s: another program wrote to it meanwhile", old.path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(building))
	}
	return os.Rename(building, filepath.Join(dir, builtDir))
}

// viewOlder opens an archive of another schema for reading.
func viewOlder(ctx context.Context, dir string) (*Archive, error) {
	a, err := open(ctx, dir, sqlite.ReadOnly)
	if err != nil {
		return nil, err
	}
	if err = a.refuseForeign(); closedFolder(err) {
		a.Close()
		if a, err = openAsIs(ctx, dir); err == nil {
			err = a.refuseForeign()
		}
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// takeOver copies all traces of an older archive. Every schema has had them in the table traces.
func (a *Archive) takeOver(ctx context.Context, old *Archive, progress func(done, total int)) error {
	query := "SELECT body FROM traces"
	if n, err := old.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'unread'"); err != nil {
		return err
	} else if n > 0 {
		query += " UNION ALL SELECT body FROM unread"
	}
	total, err := old.number("SELECT count(*) FROM (" + query + ")")
	if err != nil {
		return err
	}
	done := 0
	return old.each(query, func(s *sqlite.Row) error {
		if done++; progress != nil {
			progress(done, int(total))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return a.takeBody(columnBytes(s, 0))
	})
}

// takeBody writes one trace, of no store. What cannot be read is put aside as it is.
func (a *Archive) takeBody(body []byte) error {
	p, err := repack(body)
	if err != nil {
		return a.run("INSERT INTO unread (body, why) VALUES (?,?)", body, scrub.Head(err.Error(), trace.UserHead))
	}
	if k, err := a.stored(p.session.Source, p.session.ID); err != nil || k.key != 0 {
		return err
	}
	p.sum = 0 // the next reading counts as another one, and is linked again
	_, err = a.put(p, 0)
	return err
}

func count(ctx context.Context, dir string, r *Renewed) error {
	a, err := View(ctx, dir)
	if err != nil {
		return err
	}
	defer a.Close()
	sessions, err := a.number("SELECT count(*) FROM sessions")
	if err != nil {
		return err
	}
	unread, err := a.number("SELECT count(*) FROM unread")
	r.Sessions, r.Unread = int(sessions), int(unread)
	return err
}

// setAside gives the older archive another name, and leaves its own to what is renamed over it. Its log goes first: the
// new file must not find it.
func setAside(path string, schema int) (kept string, err error) {
	for i := 0; ; i++ {
		kept = filepath.Join(filepath.Dir(path), fmt.Sprintf("archive-schema-%d.db", schema))
		if i > 0 {
			kept = filepath.Join(filepath.Dir(path), fmt.Sprintf("archive-schema-%d-%d.db", schema, i))
		}
		if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		if err := os.Rename(path+"-wal", kept+"-wal"); err != nil {
			return "", err
		}
	}
	for _, rest := range [...]string{"-wal", "-shm"} { // SQLite makes them anew
		if err := os.Remove(path + rest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if os.Link(path, kept) == nil {
		return kept, nil
	}
	return kept, os.Rename(path, kept) // a file system without links
}
