package archive

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// A run that finds nothing new needs all of cursors, and to read a row for each file takes longer than the file does. So
// they are kept once more, many in a row: the table listing. The cursors that were written or deleted since are in
// unlisted: whatever changes cursors puts them there. Triggers would do it too, but make a first ingest 2 % longer.

// listingRow is how large a row of listing may get, in bytes: it fits into a page, with what SQLite puts there.
const listingRow = 8000

// relistFrom is how many unlisted cursors take as long to read as a new listing to write.
const relistFrom = 200

// errListing is the error for a listing that is not what was written.
var errListing = errors.New("the listing of the cursors is not what was written")

// The flags of a listed cursor.
const (
	listedWhole = 1 << iota
	listedHot
)

// appendKnown appends k to a part of a listing, in which last comes before it.
func appendKnown(b []byte, k, last *Known) []byte {
	shared := 0
	for shared < min(len(k.Path), len(last.Path)) && k.Path[shared] == last.Path[shared] {
		shared++
	}
	var flags byte
	if k.Whole {
		flags |= listedWhole
	}
	if k.Hot {
		flags |= listedHot
	}
	for _, n := range [...]uint64{uint64(k.Store), uint64(shared), uint64(k.Scrub), uint64(k.Sessions), uint64(k.Outdone)} {
		b = binary.AppendUvarint(b, n)
	}
	b = binary.AppendVarint(b, k.Size)
	b = binary.AppendVarint(b, k.Modified.UnixNano())
	for _, s := range [...]string{k.Path[shared:], k.Reader, k.Layout, k.Problem} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return append(b, flags)
}

// listParts is the rows of the listing of these cursors. Each begins with how many there are from it on, and the length of
// the paths in it.
func listParts(all []Known) (parts [][]byte) {
	for len(all) > 0 {
		var body []byte
		n, paths := 0, 0
		for last := new(Known); n < len(all); n++ {
			more := appendKnown(body, &all[n], last)
			if n > 0 && len(more) > listingRow {
				break
			}
			body, last = more, &all[n]
			paths += len(last.Path)
		}
		head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(all))), uint64(paths))
		parts = append(parts, append(head, body...))
		all = all[n:]
	}
	return parts
}

// readPart appends the cursors of a row of the listing to all.
func readPart(part string, all []Known) ([]Known, error) {
	f := fields{rest: part}
	n, length := f.unsigned(), f.unsigned()
	if n > 1<<32 || length > uint64(len(part))<<16 {
		return all, errListing
	}
	if len(all) == 0 {
		all = slices.Grow(all, int(min(n, 1<<16)))
	}
	var paths strings.Builder
	paths.Grow(int(length))
	last := new(Known)
	for f.rest != "" {
		k := Known{Store: int64(f.unsigned())}
		shared := f.unsigned()
		k.Scrub, k.Sessions, k.Outdone = int(f.unsigned()), int(f.unsigned()), int(f.unsigned())
		k.Size, k.Modified = f.number(), time.Unix(0, f.number())
		end := f.text()
		if f.bad || shared > uint64(len(last.Path)) {
			return all, errListing
		}
		from := paths.Len()
		paths.WriteString(last.Path[:shared])
		paths.WriteString(end)
		k.Path = paths.String()[from:]
		k.Reader, k.Layout, k.Problem = f.text(), f.text(), f.text()
		flags := f.bytes(1)
		if f.bad {
			return all, errListing
		}
		k.Whole, k.Hot = flags[0]&listedWhole != 0, flags[0]&listedHot != 0
		all = append(all, k)
		last = &all[len(all)-1]
	}
	return all, nil
}

// unlist notes that the cursors of some stores are no longer as they were listed. stores selects their numbers.
func (a *Archive) unlist(stores string, args ...any) error {
	return a.run("INSERT OR IGNORE INTO unlisted (store) "+stores, args...)
}

// Relist makes the listing of the cursors anew if many are missing in it.
func (a *Archive) Relist() error {
	if n, err := a.number("SELECT count(*) FROM unlisted"); err != nil || n < relistFrom {
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

// listing is all cursors, by the listing and what is not in it. It is one statement: another process could make the listing
// anew between two.
func (a *Archive) listing() (all []Known, err error) {
	late := map[int64]bool{}
	var fresh []Known
	part := make([]byte, 0, 2*listingRow)
	err = a.each("SELECT NULL, u.store, c.store IS NOT NULL, "+cursorColumns+" FROM unlisted u LEFT JOIN cursors c USING (store)"+
		" UNION ALL SELECT body, 0, 0"+strings.Repeat(", NULL", strings.Count(cursorColumns, ",")+1)+" FROM listing", func(s *sqlite.Stmt) (err error) {
		if n := s.ColumnLen(0); n > 0 {
			part = slices.Grow(part[:0], n)[:n]
			s.ColumnBytes(0, part)
			all, err = readPart(string(part), all)
			return err
		}
		late[s.ColumnInt64(1)] = true
		if s.ColumnBool(2) {
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

// checkListing says what is wrong with the listing.
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
