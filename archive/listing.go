package archive

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"aburn/internal/sqlite"
	"aburn/internal/wire"
)

// A run that finds nothing new needs all of cursors, and reading a row per file takes longer than looking at the file. So
// they are kept once more, many in a row: the table listing. The cursors that were written or deleted since are in
// unlisted: whatever changes cursors puts them there. Triggers would do it too, but make a first ingest 2 % longer.

// listingRow bounds a row of listing, in bytes: it fits into a page with SQLite's overhead.
const listingRow = 8000

// leastListed is the fewest bytes that a cursor takes in a row of the listing: one for each field, and one for its flags.
const leastListed = 12

// relistAfter is the number of unlisted cursors that take as long to read as a new listing takes to write.
const relistAfter = 200

// errListing is the error for a damaged listing.
var errListing = errors.New("the listing of the cursors is not what was written")

// listingCoder codes a row of the listing. A change of it changes the schema.
type listingCoder struct {
	wire.Coder
	last  string          // the path of the cursor before
	paths strings.Builder // backs the paths that are read, with room for all of them
}

func (w *listingCoder) known(k *Known) {
	shared, modified := 0, k.Modified.UnixNano()
	for path, last := k.Path, w.last; shared < min(len(path), len(last)) && path[shared] == last[shared]; {
		shared++
	}
	w.Amount64(&k.Store)
	w.Amount(&shared)
	w.Amount(&k.Scrub)
	w.Amount(&k.Sessions)
	w.Amount(&k.Outdone)
	w.Int64(&k.Size)
	w.Int64(&modified)
	w.path(k, shared)
	w.Text(&k.Reader)
	w.Text(&k.Layout)
	w.Text(&k.Problem)
	w.Flags(&k.Whole, &k.Hot)
	if w.Reading() {
		k.Modified = time.Unix(0, modified)
	}
	w.last = k.Path
}

// path codes the part of a path that it does not share with the one before.
func (w *listingCoder) path(k *Known, shared int) {
	if !w.Reading() {
		end := k.Path[shared:]
		w.Text(&end)
		return
	}
	var end string
	if w.Text(&end); shared > len(w.last) {
		w.Fail("%d of a path of %d bytes", shared, len(w.last))
		return
	}
	from := w.paths.Len()
	w.paths.WriteString(w.last[:shared])
	w.paths.WriteString(end)
	k.Path = w.paths.String()[from:]
}

// listParts returns the rows of a listing. Each begins with the number of cursors from it on, and the length of its
// paths.
func listParts(all []Known) (parts [][]byte) {
	var body []byte
	for len(all) > 0 {
		w := listingCoder{Coder: wire.Writer(body[:0])}
		n, paths, size := 0, 0, 0
		for ; n < len(all); n++ {
			w.known(&all[n])
			if n > 0 && len(w.Written()) > listingRow {
				break
			}
			size = len(w.Written())
			paths += len(all[n].Path)
		}
		head := wire.Writer(nil)
		head.Put(uint64(len(all)))
		head.Put(uint64(paths))
		body = w.Written()
		parts = append(parts, append(head.Written(), body[:size]...))
		all = all[n:]
	}
	return parts
}

// readPart appends the cursors of a row to all.
func readPart(part string, all []Known) ([]Known, error) {
	w := listingCoder{Coder: wire.Reader(part)}
	n, length := w.Take(), w.Take()
	if w.Err() != nil || n > 1<<32 || length > mostPaths(w.Left()) {
		return all, errListing
	}
	if len(all) == 0 {
		all = slices.Grow(all, int(min(n, 1<<16)))
	}
	w.paths.Grow(int(length))
	for w.Left() > 0 {
		var k Known
		if w.known(&k); w.Err() != nil || uint64(w.paths.Len()) > length {
			return all, errListing
		}
		all = append(all, k)
	}
	if uint64(w.paths.Len()) != length {
		return all, errListing
	}
	return all, nil
}

// mostPaths bounds the length of all paths in so many bytes of a row. Each cursor can repeat all path bytes that the row
// holds before it, and takes leastListed itself: the sum is largest where cursors take half of the row. A row that is
// longer than listingRow has one cursor.
func mostPaths(left int) uint64 {
	if left > listingRow {
		return uint64(left)
	}
	return uint64(left) * uint64(left) / (4 * leastListed)
}

// unlist notes that some stores' cursors differ from their listing. stores is a query for their numbers.
func (a *Archive) unlist(stores string, args ...any) error {
	return a.run("INSERT OR IGNORE INTO unlisted (store) "+stores, args...)
}

// Relist renews the listing if many cursors are missing in it.
func (a *Archive) Relist() error {
	if n, err := a.number("SELECT count(*) FROM unlisted"); err != nil || n < relistAfter {
		return err
	}
	return a.relist()
}

func (a *Archive) relist() error {
	return a.transaction(func() error {
		all, err := a.rows()
		if err != nil {
			return err
		}
		if err := a.script("DELETE FROM listing; DELETE FROM unlisted"); err != nil {
			return err
		}
		for _, part := range listParts(all) {
			if err := a.run("INSERT INTO listing (body) VALUES (?)", part); err != nil {
				return err
			}
		}
		return nil
	})
}

// listing returns all cursors, from the listing and from what it lacks. It is one statement, because another process
// could renew the listing between two.
func (a *Archive) listing() (all []Known, err error) {
	late := map[int64]bool{}
	var fresh []Known
	err = a.each("SELECT NULL, u.store, c.store IS NOT NULL, "+cursorColumns+" FROM unlisted u LEFT JOIN cursors c USING (store)"+
		" UNION ALL SELECT body, 0, 0"+strings.Repeat(", NULL",
		strings.Count(cursorColumns, ",")+1)+" FROM listing", func(s *sqlite.Row) (err error) {
		if part := s.Bytes(0); len(part) > 0 {
			all, err = readPart(string(part), all)
			return err
		}
		late[s.Int64(1)] = true
		if s.Bool(2) {
			fresh = append(fresh, knownOf(s, 3))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(late) > 0 {
		all = slices.DeleteFunc(all, func(k Known) bool { return late[k.Store] })
	}
	return append(all, fresh...), nil
}

func (a *Archive) checkListing() (fault string, err error) {
	want, err := a.rows()
	if err != nil {
		return "", err
	}
	have, err := a.listing()
	if errors.Is(err, errListing) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	byStore := func(x, y Known) int { return cmp.Compare(x.Store, y.Store) }
	slices.SortFunc(want, byStore)
	slices.SortFunc(have, byStore)
	if !slices.Equal(want, have) {
		return "the listing of the cursors, with what is unlisted, is not what they are", nil
	}
	return "", nil
}
