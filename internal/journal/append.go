package journal

import (
	"errors"
	"iter"
	"time"

	"aburn/logfmt"
)

// Tail is what the log ended with when an append was about to write.
type Tail struct {
	buf    []byte
	wait   time.Duration
	locked bool
}

// Bytes are the last complete lines of the log, TailSize bytes at most.
func (t Tail) Bytes() []byte { return t.buf }

// Backward yields the JSON lines of the tail, newest first, carried ones included.
func (t Tail) Backward() iter.Seq[[]byte] { return func(func([]byte) bool) {} }

// LockWait is how long the append waited for the lock, whether or not it got it.
func (t Tail) LockWait() time.Duration { return t.wait }

// Locked says whether the append holds the lock. Without it nothing gets a seq.
func (t Tail) Locked() bool { return t.locked }

// Receipt says what an append did.
type Receipt struct {
	Entries    []*logfmt.Entry // as written, with seq and id
	Duplicates int             // entries left out because the tail already holds their id
	Locked     bool
	LockWait   time.Duration
}

// Append asks build for entries, under the lock and exactly once, and writes
// them with one write. A nil error means acknowledged: no crash of any process
// loses them. build may return none, and then nothing is written.
func (j *Journal) Append(build func(Tail) []*logfmt.Entry) (Receipt, error) {
	return Receipt{}, errors.ErrUnsupported
}

// NewID returns a random entry id of 16 hexadecimal digits.
func NewID() string { return "" }
