package hooks

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"runtime/debug"
	"time"

	"aburn/logfmt"
)

// maxPayload is how much of stdin is kept, in bytes. The rest is read and thrown away,
// so that the agent's write ends.
const maxPayload = 16 << 20

// firstBuffer is the memory that reading begins with. Its unused part costs nothing,
// while growing copies.
var firstBuffer [256 << 10]byte

// bigPayload is the size, in bytes, from which collecting the garbage of a growing
// buffer costs more than the memory does.
const bigPayload = 1 << 20

type input struct {
	data []byte // nil when it was more than maxPayload
	size int64
	sum  [sha256.Size]byte // hash of everything read, if data is nil
	err  error             // errTooLarge, errSlow, or nil
}

// reader collects an input piece by piece.
type reader struct {
	buf  []byte
	size int64
	sum  hash.Hash // nil until the input is too large to keep
}

// free is memory to read the next piece into.
func (t *reader) free() []byte {
	if t.sum != nil {
		return t.buf
	}
	if t.buf == nil {
		t.buf = firstBuffer[:0]
	}
	if cap(t.buf)-len(t.buf) < 4<<10 {
		t.grow()
	}
	return t.buf[len(t.buf):cap(t.buf)]
}

func (t *reader) grow() {
	next := 4 * cap(t.buf)
	if cap(t.buf) < bigPayload && next >= bigPayload {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(16 * maxPayload)
	}
	t.buf = append(make([]byte, 0, min(next, maxPayload+16<<10)), t.buf...)
}

// add takes the n bytes that were read into free.
func (t *reader) add(n int) {
	t.size += int64(n)
	if t.sum != nil {
		t.sum.Write(t.buf[:n])
		return
	}
	t.buf = t.buf[:len(t.buf)+n]
	if len(t.buf) > maxPayload {
		t.sum = sha256.New()
		t.sum.Write(t.buf)
		t.buf = t.buf[:256<<10]
	}
}

// wait says how long to wait for an input. Until deadline its end is waited for.
type wait struct {
	deadline, first, last time.Time
}

// end is until when more is waited for: beyond the deadline only while nothing came yet, or while what came is no whole payload.
// One that is too large to keep need not be waited for.
func (w *wait) end(t *reader) time.Time {
	switch {
	case time.Now().Before(w.deadline), t.sum != nil:
		return w.deadline
	case t.size == 0:
		return w.first
	case bytes.HasSuffix(bytes.TrimRight(t.buf, " \t\r\n"), []byte("}")) && logfmt.Valid(t.buf): // a piece may end in a brace by chance
		return w.deadline
	}
	return w.last
}

func (t *reader) input(err error) input {
	in := input{size: t.size, err: err}
	if t.sum == nil {
		in.data = t.buf
		return in
	}
	in.err = errTooLarge
	copy(in.sum[:], t.sum.Sum(nil)) // given in.sum itself, Sum would move every input to the heap
	return in
}
