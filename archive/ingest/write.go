package ingest

import (
	"strings"
	"time"

	"aburn/archive"
)

// The bounds of what is committed at once.
const (
	batchSize   = 8 << 20 // bytes
	batchStores = 500
	batchTime   = 200 * time.Millisecond
	longestTime = time.Second
)

// due is how long what is to be committed may wait: a tenth of the run so far, as every commit writes the pages of the
// indexes again. Who kills a run loses no more than that.
func (r *run) due() time.Duration {
	return min(max(batchTime, time.Since(r.report.Started)/10), longestTime)
}

// write commits results in batches until there are no more, and puts them into the report. After an error of the archive
// it writes nothing more, and returns that.
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
		if size > batchSize || len(batch) >= batchStores || time.Since(begun) > r.due() {
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

// add puts what came of a store into the report.
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
		s.Notes = append(s.Notes, Note{res.reading.Cursor.Path, Outdone, "another store has " + strings.Join(lost, ", ") + " in a later state"})
	}
}
