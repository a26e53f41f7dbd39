package hooks

import (
	"crypto/sha256"
	"hash"
	"runtime/debug"
)

// maxPayload is how much of stdin is kept, in bytes. What comes behind it is
// read and thrown away, so that the agent's write ends.
const maxPayload = 16 << 20

// firstRoom is the memory that reading begins with. What is not used of it costs
// nothing, while growing copies.
var firstRoom [256 << 10]byte

// bigPayload is where collecting the garbage of a growing buffer would cost more
// than the memory does, in bytes.
const bigPayload = 1 << 20

// input is what stdin held.
type input struct {
	data []byte // nil when it was more than maxPayload
	size int64
	sum  [sha256.Size]byte // of everything that was read, if data is nil
	err  error             // errTooLarge, errSlow, or nil
}

// intake collects an input piece by piece.
type intake struct {
	buf  []byte
	size int64
	sum  hash.Hash // nil until the input is too large to keep
}

// room is memory to read the next piece into.
func (t *intake) room() []byte {
	if t.sum != nil {
		return t.buf
	}
	if t.buf == nil {
		t.buf = firstRoom[:0]
	}
	if cap(t.buf)-len(t.buf) < 4<<10 {
		t.grow()
	}
	return t.buf[len(t.buf):cap(t.buf)]
}

func (t *intake) grow() {
	next := 4 * cap(t.buf)
	if cap(t.buf) < bigPayload && next >= bigPayload {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(16 * maxPayload)
	}
	t.buf = append(make([]byte, 0, min(next, maxPayload+16<<10)), t.buf...)
}

// add counts the n bytes that were read into room.
func (t *intake) add(n int) {
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

func (t *intake) input(err error) input {
	in := input{size: t.size, err: err}
	if t.sum == nil {
		in.data = t.buf
		return in
	}
	in.err = errTooLarge
	copy(in.sum[:], t.sum.Sum(nil)) // given in.sum itself, Sum would move every input to the heap
	return in
}
