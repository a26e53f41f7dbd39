package ingest

import (
	"strings"
	"time"

	"aburn/archive"
)

// The bounds of one commit.
const (
	batchSize   = 8 << 20 // bytes
	batchStores = 500
	batchTime   = 200 * time.Millisecond
	longestTime = time.Second
)

// commitDelay is how long results may wait for their commit: a tenth of the run so far, because every commit writes
// the index pages again. A killed run loses no more than that.
func (r *run) commitDelay() time.Duration {
	return min(max(batchTime, time.Since(r.report.Started)/10), longestTime)
}

// write commits results in batches until there are no more, and adds them to the report. After an error of the archive
// it writes nothing more, and returns the error.
func (r *run) write() (failed error) {
	var batch []*result
	size, begun := 0, time.Now()
	flush := func() {
		if failed == nil {
			if failed = r.commit(batch); failed != nil {
				r.stop()
			}
		}
		batch, size, begun = batch[:0], 0, time.Now()
	}
	for res := range r.results {
		batch = append(batch, res)
		if res.reading != nil {
			for _, p := range res.reading.Traces {
				size += p.Size()
			}
		}
		if size > batchSize || len(batch) >= batchStores || time.Since(begun) > r.commitDelay() {
			flush()
		}
	}
	flush()
	return failed
}

func (r *run) commit(batch []*result) error {
	var readings []*archive.Reading
	for _, res := range batch {
		if res.reading != nil {
			readings = append(readings, res.reading)
		}
	}
	if len(readings) > 0 {
		if err := r.Archive.Write(readings); err != nil {
			return err
		}
	}
	for _, res := range batch {
		r.sources[res.reader].add(res)
	}
	return nil
}

// add counts a store's result.
func (s *Source) add(res *result) {
	s.Bytes += res.bytes
	s.Old += res.old
	s.Skipped = append(s.Skipped, res.skipped...)
	s.Notes = append(s.Notes, res.notes...)
	if res.last {
		s.Read++
	}
	if res.reading == nil {
		return
	}
	s.New += res.reading.New
	s.Updated += res.reading.Updated
	s.Unchanged += res.reading.Same
	s.Gone += res.reading.Gone
	if lost := res.reading.Outdone; len(lost) > 0 {
		s.Notes = append(s.Notes, Note{res.reading.Cursor.Path, Outdone,
			"another store has " + strings.Join(lost, ", ") + " in a later state"})
	}
}
