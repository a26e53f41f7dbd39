// Package digests provides the digests of an archive's sessions: the stored ones, and new ones where they are missing
// or were made by other rules. It knows no rule of a digest: package insight makes them.
package digests

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"aburn/archive"
	"aburn/insight"
)

// Session is the digest of a session, and the session's key in its archive.
type Session struct {
	*insight.Digest
	Key int64
}

// Unreadable is the error for sessions whose traces cannot be read. It does not affect the other digests.
type Unreadable struct {
	Keys []int64
	Err  error // of the first one
}

func (e *Unreadable) Error() string {
	if len(e.Keys) == 1 {
		return e.Err.Error()
	}
	return fmt.Sprintf("%d sessions could not be read, the first: %v", len(e.Keys), e.Err)
}

// Hint says what to do about it.
func (e *Unreadable) Hint() string { return "aburn ingest --check" }

func (e *Unreadable) Unwrap() error { return e.Err }

// row is a session on its way to its digest.
type row struct {
	archive.Digest
	digest *insight.Digest
}

// Load returns the sessions that f chooses, newest first, with their digests and with Live as of now. It stores new
// digests unless somebody else is writing to the archive, or nobody can. progress, if not nil, is called from one
// goroutine at a time while digests are made.
//
// With *Unreadable it returns the other sessions, too. When ctx ends it returns its error; the digests made until then
// are stored.
func Load(ctx context.Context, dir string, f archive.Filter, progress func(done, total int)) ([]Session, error) {
	return load(ctx, dir, progress, func(view *archive.Archive, each func(archive.Digest) error) error {
		return view.Digests(f, insight.Version, each)
	})
}

// Of is Load for the existing sessions with these keys.
func Of(ctx context.Context, dir string, keys []int64, progress func(done, total int)) ([]Session, error) {
	return load(ctx, dir, progress, func(view *archive.Archive, each func(archive.Digest) error) error {
		return view.DigestsOf(keys, insight.Version, each)
	})
}

// query calls each for the chosen sessions.
type query func(view *archive.Archive, each func(archive.Digest) error) error

func load(ctx context.Context, dir string, progress func(done, total int), chosen query) ([]Session, error) {
	view, rows, err := view(ctx, dir, chosen)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	slices.SortFunc(rows, newer)
	var missing []*row
	for _, r := range rows {
		if r.digest == nil {
			missing = append(missing, r)
		}
	}
	bad, err := makeAll(ctx, dir, view, missing, progress)
	if err != nil {
		return nil, err
	}
	list := make([]Session, 0, len(rows))
	for _, r := range rows {
		if r.digest == nil {
			continue
		}
		if r.Live {
			r.digest.SetLive(true)
		}
		list = append(list, Session{r.digest, r.Key})
	}
	if bad != nil {
		return list, bad
	}
	return list, nil
}

func newer(a, b *row) int {
	if c := b.End.Compare(a.End); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
}

// tries is how often an archive is read that changes under a reader who cannot lock it.
const tries = 3

// view opens the archive and reads the stored digests.
func view(ctx context.Context, dir string, chosen query) (*archive.Archive, []*row, error) {
	for try := 1; ; try++ {
		view, err := archive.View(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		rows, err := read(view, chosen)
		changed := view.Changed()
		if err == nil && !changed {
			return view, rows, nil
		}
		view.Close()
		if !changed || try == tries {
			return nil, nil, cmp.Or(err, fmt.Errorf("%s: it is being written, and cannot be locked against that here", dir))
		}
	}
}

// decodedAtOnce is how many digests are decoded at a time.
const decodedAtOnce = 256

// read returns the chosen sessions, with their stored digests. An unreadable digest counts as missing.
func read(view *archive.Archive, chosen query) ([]*row, error) {
	var all []*row
	chunks := make(chan []row)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			var d insight.Decoder
			for chunk := range chunks {
				for i := range chunk {
					chunk[i].decode(&d)
				}
			}
		})
	}
	chunk := make([]row, 0, decodedAtOnce)
	flush := func() {
		for i := range chunk {
			all = append(all, &chunk[i])
		}
		chunks <- chunk
		chunk = make([]row, 0, decodedAtOnce)
	}
	err := chosen(view, func(d archive.Digest) error {
		if chunk = append(chunk, row{Digest: d}); len(chunk) == decodedAtOnce {
			flush()
		}
		return nil
	})
	flush()
	close(chunks)
	wait.Wait()
	return all, err
}

func (r *row) decode(with *insight.Decoder) {
	if r.Body == "" {
		return
	}
	if d, err := with.Decode(r.Body); err == nil {
		r.digest = d
	}
	r.Body = ""
}
