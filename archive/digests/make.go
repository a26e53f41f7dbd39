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

// keptAtOnce is how many digests are stored in one transaction.
const keptAtOnce = 64

// progressEvery is the interval between calls of progress.
const progressEvery = 100 * time.Millisecond

// maker makes digests, and stores them if it can.
type maker struct {
	view     *archive.Archive
	progress func(done, total int)
	total    int

	mu           sync.Mutex // guards the fields below
	left         []*row
	done         int
	lastProgress time.Time // when progress was called
	bad          *Unreadable
	// keeper is nil if the archive cannot be written. That is no error, because digests can be made again.
	keeper *archive.Keeper
}

// makeAll sets the digests of rows. bad lists unreadable sessions; an error is the archive's, or ctx has ended.
func makeAll(ctx context.Context, dir string, view *archive.Archive, rows []*row,
	progress func(done, total int)) (bad *Unreadable, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	m := &maker{view: view, progress: progress, total: len(rows), left: rows, lastProgress: time.Now()}
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

func (m *maker) work(ctx context.Context) error {
	view, err := m.view.Reader(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	var decoder insight.Decoder
	for ctx.Err() == nil {
		rows, mark := m.next()
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
			m.noteDone(r, err)
		}
		m.keep(mark, rows)
	}
	return nil
}

// set stores the coded form of d and the digest decoded from it. The texts of d itself would hold its whole trace in
// memory.
func (r *row) set(d *insight.Digest, with *insight.Decoder) {
	r.Body = string(insight.Append(nil, d))
	if stored, err := with.Decode(r.Body); err == nil {
		d = stored
	}
	r.digest = d
}

// next returns the next rows, and the archive's state before their traces are read.
func (m *maker) next() (rows []*row, mark archive.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := min(len(m.left), keptAtOnce)
	rows, m.left = m.left[:n], m.left[n:]
	if m.keeper != nil {
		var err error
		if mark, err = m.keeper.Mark(); err != nil {
			m.keeper = nil
		}
	}
	return rows, mark
}

// noteDone counts a row, or notes why it failed.
func (m *maker) noteDone(r *row, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if m.bad == nil {
			m.bad = &Unreadable{Err: err}
		}
		m.bad.Keys = append(m.bad.Keys, r.Key)
	}
	m.done++
	if m.progress != nil && (time.Since(m.lastProgress) >= progressEvery || m.done == m.total) {
		m.lastProgress = time.Now()
		m.progress(m.done, m.total)
	}
}

// keep stores the digests of rows that were made.
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
