package journal

import (
	"bytes"
	"io"
	"iter"
	"time"

	"aburn/logfmt"
)

// Tail is the end of the log just before an append. It is valid only while Append's build runs.
// It reads only on demand: in a cold process, reading and searching 256 KiB costs a third of a
// hook.
type Tail struct{ s *tailState }

// tailState reads the tail backwards and keeps what it has read.
type tailState struct {
	j      *Journal
	f      *segmentFile
	scan   *backScan
	lines  [][]byte // entry lines read so far, newest first
	ended  bool
	older  bool // scan is in the segment before f
	looked bool // lookAtEnd ran
	torn   bool // the log does not end with a newline
	err    error
	wait   time.Duration
	locked bool
}

// firstBlock holds about ten entries of hooks, mostly all that an append reads.
const firstBlock = 8 << 10

// scratch is the memory of an append, in one piece: in a process that appends once, each further
// size of allocation costs two page faults.
type scratch struct {
	tail  tailState
	scan  backScan
	lines [16][]byte
	spans [32]span
	room  [firstBlock]byte
	out   [2 << 10]byte

	anchor anchored
}

// newTail is the tail of f. If f is shorter than a tail and does not begin with a CHECKPOINT
// although older segments exist (its rotator was killed), the tail continues in the segment
// before.
func (j *Journal) newTail(f *segmentFile, wait time.Duration, locked bool) Tail {
	d := j.scratch
	d.scan = backScan{
		r: f, floor: max(f.size()-TailSize, 0), start: f.size(), block: firstBlock,
		lines: d.spans[:0], spare: d.room[:], keep: true,
	}
	d.tail = tailState{j: j, f: f, scan: &d.scan, lines: d.lines[:0], wait: wait, locked: locked}
	return Tail{&d.tail}
}

// lastLines returns the complete lines among the last TailSize bytes.
func lastLines(f *segmentFile, size int64) []byte {
	from := max(0, size-TailSize)
	b := make([]byte, size-from)
	if _, err := f.ReadAt(b, from); err != nil {
		return nil
	}
	if from > 0 {
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	return b[:bytes.LastIndexByte(b, '\n')+1]
}

// next returns the i-th entry line from the end, and reads more if necessary.
func (s *tailState) next(i int) ([]byte, bool) {
	for i >= len(s.lines) && !s.ended {
		line, _, err := s.scan.entry()
		s.lookAtEnd()
		if err == nil {
			s.lines = append(s.lines, line)
			continue
		}
		if err != io.EOF {
			s.err = err
		}
		s.ended = s.older || err != io.EOF || !s.goOlder()
	}
	if i < len(s.lines) {
		return s.lines[i], true
	}
	return nil, false
}

// goOlder continues in the segment before, if newTail's case applies.
func (s *tailState) goOlder() bool {
	scan := s.j.tailBefore(s.f, TailSize-s.f.size())
	if scan == nil {
		return false
	}
	s.scan, s.older = scan, true
	return true
}

// lookAtEnd finds out, after the first read, how the log ends. A last line that lacks only its
// newline becomes an entry as soon as the next writer adds one. So it counts as an entry already,
// and its number is taken.
func (s *tailState) lookAtEnd() {
	if s.looked {
		return
	}
	s.looked, s.torn = true, s.scan.torn
	if _, ok := logfmt.ParseHeader(s.scan.tail); ok {
		s.lines = append(s.lines, s.scan.tail)
	}
}

// tailBefore reads the end of the segment before f, if f should have begun with a CHECKPOINT and
// does not; otherwise it returns nil. It reads at most left bytes, at once, so that no file stays
// open.
func (j *Journal) tailBefore(f *segmentFile, left int64) *backScan {
	if left <= 0 || blockOf(f).closed {
		return nil
	}
	all, err := j.Segments()
	if err != nil {
		return nil
	}
	b := backward{j: j}
	older, err := b.last(olderThan(all, f))
	if err != nil || older == nil {
		return nil
	}
	defer older.Close()
	from := max(0, older.size()-left)
	buf := make([]byte, older.size()-from)
	if _, err := older.ReadAt(buf, from); err != nil {
		return nil
	}
	if from > 0 {
		buf = buf[bytes.IndexByte(buf, '\n')+1:]
	}
	scan := newBackScan(bytes.NewReader(buf), 0, int64(len(buf)), len(buf))
	scan.keep = true
	return scan
}

func (t Tail) endsTorn() bool {
	t.s.next(0)
	return t.s.torn
}

// Bytes returns the last complete lines of the log, at most TailSize bytes. It reads them all;
// Backward reads only as far as the caller follows.
func (t Tail) Bytes() []byte {
	if t.s == nil {
		return nil
	}
	return lastLines(t.s.f, t.s.f.size())
}

// Backward yields the entry lines of the tail, newest first, including carried ones. They stay
// valid as long as the Tail.
func (t Tail) Backward() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if t.s == nil {
			return
		}
		for i := 0; ; i++ {
			line, ok := t.s.next(i)
			if !ok || !yield(line) {
				return
			}
		}
	}
}

// LockWait is how long the append waited for the lock, successfully or not.
func (t Tail) LockWait() time.Duration {
	if t.s == nil {
		return 0
	}
	return t.s.wait
}

// Locked reports whether the append holds the lock. Without it no entry gets a seq.
func (t Tail) Locked() bool { return t.s != nil && t.s.locked }

// repeatWindow is how far back in time an append looks for an entry with the same id. Two
// registrations of one hook fire side by side. Later repeats are left to readers, who drop them
// among the last 4,096 ids.
const repeatWindow = 5 * time.Second

// keptReach is how many bytes of entries are searched in memory that is kept; they mostly lie in
// the block that an append reads anyway. Beyond it one block is reused, because each new page
// costs a cold process a fault.
const (
	keptReach   = 5 << 10
	repeatBlock = 16 << 10
)

// has reports whether the tail holds an entry with e's id, as far back as repeatWindow before e.
// For a lifecycle entry, which later entries are attributed to, the search continues into the
// segment before where the tail does.
func (t Tail) has(e *logfmt.Entry) bool {
	search, reach := newRepeatSearch(e), keptReach
	for line := range t.Backward() {
		if search.ends(line) {
			return search.found
		}
		if reach -= len(line); reach < 0 && !e.Event.Lifecycle() {
			return t.s.hasFurther(newRepeatSearch(e))
		}
	}
	return false
}

// fewEntries is how many entries are searched for one by one.
const fewEntries = 4

// ids returns those of the entries' ids that the tail holds, as far back as has looks for the
// oldest of them: one search for all.
func (t Tail) ids(entries []*logfmt.Entry) map[string]bool {
	wanted := make(map[string]bool, len(entries))
	oldest := *entries[0]
	for _, e := range entries {
		wanted[e.ID] = true
		if e.Time.Before(oldest.Time) {
			oldest.Time = e.Time
		}
	}
	oldest.ID = ""
	there := map[string]bool{}
	search := newRepeatSearch(&oldest)
	for line := range t.Backward() {
		if search.ends(line) {
			break
		}
		if id := search.header.ID; len(id) > 0 && wanted[string(id)] {
			there[string(id)] = true
		}
	}
	return there
}

// hasFurther searches the whole tail of f in one block of memory.
func (s *tailState) hasFurther(search repeatSearch) bool {
	scan := newBackScan(s.f, s.f.size()-TailSize, s.f.size(), repeatBlock)
	for {
		line, _, err := scan.entry()
		if err != nil || search.ends(line) {
			return search.found
		}
	}
}

// repeatSearch looks for an entry's id in lines, newest first.
type repeatSearch struct {
	id     string
	since  []byte
	header logfmt.Header
	older  int
	found  bool
}

func newRepeatSearch(e *logfmt.Entry) repeatSearch {
	return repeatSearch{id: e.ID, since: e.Time.Add(-repeatWindow).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z")}
}

// ends examines the next line and reports whether the search is over. A few older lines do not
// end it: a relayed entry and a clock set back look like that.
func (r *repeatSearch) ends(line []byte) bool {
	if !r.header.Read(line) {
		return false
	}
	if r.id != "" && string(r.header.ID) == r.id {
		r.found = true
		return true
	}
	// aburn's own form of a time sorts like the time itself.
	if at := r.header.Time; len(at) == len(r.since) && bytes.Compare(at, r.since) < 0 {
		r.older++
	}
	return r.older == 8
}
