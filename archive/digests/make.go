package digests

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"aburn/archive"
	"aburn/insight"
)

// workers is how many digests are made at once, each from the traces of one session.
const workers = 2

// together is how many digests are kept in one transaction.
const together = 64

// often is how often progress is told.
const often = 100 * time.Millisecond

// maker makes digests, and keeps them if it can.
type maker struct {
	view     *archive.Archive
	progress func(done, total int)
	total    int

	mu   sync.Mutex // of what follows
	left []*row
	done int
	told time.Time // when progress was
	bad  *Unreadable
	// keeper is nil if an archive cannot be written. That is nothing to complain about: the digests can be made again.
	keeper *archive.Keeper
}

// makeAll sets the digests of rows. What it could not read is in bad; an error is the archive's, or ctx has ended.
func makeAll(ctx context.Context, dir string, view *archive.Archive, rows []*row, progress func(done, total int)) (bad *Unreadable, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	m := &maker{view: view, progress: progress, total: len(rows), left: rows, told: time.Now()}
	if keeper, err := archive.OpenKeeper(ctx, dir); err == nil {
		m.keeper = keeper
		defer keeper.Close()
	}
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = m.work(ctx) })
	}
	wait.Wait()
	return m.bad, cmp.Or(ctx.Err(), errors.Join(errs...))
}

// work makes digests until none are left or ctx ends.
func (m *maker) work(ctx context.Context) error {
	view, err := m.view.Reader(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	var decoder insight.Decoder
	for ctx.Err() == nil {
		rows, mark := m.take()
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			d, err := digest(ctx, view, r.Key)
			if ctx.Err() != nil {
				break
			}
			if err == nil {
				r.set(d, &decoder)
			}
			m.made(r, err)
		}
		m.keep(mark, rows)
	}
	return nil
}

// set takes the stored form of d, and what that says: the texts of d itself would hold all of its trace in memory.
func (r *row) set(d *insight.Digest, with *insight.Decoder) {
	r.Body = string(insight.Append(nil, d))
	if stored, err := with.Decode(r.Body); err == nil {
		d = stored
	}
	r.digest = d
}

// take is the next digests to make, and the state of the archive before their traces are read.
func (m *maker) take() (rows []*row, mark archive.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := min(len(m.left), together)
	rows, m.left = m.left[:n], m.left[n:]
	if m.keeper != nil {
		var err error
		if mark, err = m.keeper.Mark(); err != nil {
			m.keeper = nil
		}
	}
	return rows, mark
}

// made notes that a row is done, or why it could not be.
func (m *maker) made(r *row, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if m.bad == nil {
			m.bad = &Unreadable{Err: err}
		}
		m.bad.Keys = append(m.bad.Keys, r.Key)
	}
	m.done++
	if m.progress != nil && (time.Since(m.told) >= often || m.done == m.total) {
		m.told = time.Now()
		m.progress(m.done, m.total)
	}
}

// keep keeps the digests of rows that were made.
func (m *maker) keep(mark archive.Mark, rows []*row) {
	list := make([]archive.Digest, 0, len(rows))
	for _, r := range rows {
		if r.digest != nil {
			list = append(list, r.Digest)
			r.Body = ""
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keeper == nil {
		return
	}
	if _, err := m.keeper.Keep(mark, insight.Version, list); err != nil {
		m.keeper = nil
	}
}
