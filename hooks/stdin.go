package hooks

import (
	"crypto/sha256"
	"hash"
	"io"
	"runtime/debug"
	"sync"
	"time"
)

// maxPayload is how much of stdin is kept, in bytes. What comes behind it is
// read and thrown away, so that the agent's write ends.
const maxPayload = 16 << 20

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

// readInput reads r to its end or until deadline, whichever comes first.
func readInput(r io.Reader, deadline time.Time) input {
	s := &source{ended: make(chan struct{})}
	go s.drain(r)
	timer := time.NewTimer(time.Until(deadline))
	var err error
	select {
	case <-s.ended:
		timer.Stop()
	case <-timer.C:
		err = errSlow
	}
	return s.take(err)
}

// source is a reader being read by a goroutine of its own. The goroutine writes
// only behind len(buf), so what take returned does not change under its user.
type source struct {
	ended chan struct{}
	mu    sync.Mutex
	buf   []byte
	size  int64
	sum   hash.Hash // nil until the input is too large to keep
	taken bool
}

func (s *source) drain(r io.Reader) {
	defer close(s.ended)
	free := make([]byte, 16<<10)
	for {
		n, err := r.Read(free)
		if free = s.add(free[:n]); err != nil || free == nil {
			return
		}
	}
}

// add counts p, which was read into the memory that add returned before, and
// returns where to read on; nil when nobody wants more.
func (s *source) add(p []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		return nil
	}
	s.size += int64(len(p))
	if s.sum != nil {
		s.sum.Write(p)
		return p[:cap(p)]
	}
	if s.buf == nil {
		s.buf = p
	} else {
		s.buf = s.buf[:len(s.buf)+len(p)]
	}
	if s.size > maxPayload {
		s.sum = sha256.New()
		s.sum.Write(s.buf)
		s.buf = nil
		return make([]byte, 256<<10)
	}
	if cap(s.buf)-len(s.buf) < 4<<10 {
		s.grow()
	}
	return s.buf[len(s.buf):cap(s.buf)]
}

func (s *source) grow() {
	if cap(s.buf) < bigPayload && 4*cap(s.buf) >= bigPayload {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(16 * maxPayload)
	}
	s.buf = append(make([]byte, 0, 4*cap(s.buf)), s.buf...)
}

func (s *source) take(err error) input {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = true
	in := input{data: s.buf[:len(s.buf):len(s.buf)], size: s.size, err: err}
	if s.sum != nil {
		in.err = errTooLarge
		s.sum.Sum(in.sum[:0])
	}
	return in
}
