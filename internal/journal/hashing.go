package journal

import (
	"io"

	"aburn/logfmt"
)

// hashing takes the hash of a segment's lines while somebody else reads the segment forwards, each
// byte once.
type hashing struct {
	r     io.ReaderAt
	lines logfmt.LineHash
	next  int64 // the offset that is read next
	marks []*mark
}

// mark is an offset at which the hash is wanted.
type mark struct {
	at   int64
	seen bool        // at is the end of a line; then
	hash logfmt.Hash // is of the lines up to there
}

func (h *hashing) ReadAt(b []byte, off int64) (int, error) {
	n, err := h.r.ReadAt(b, off)
	if off == h.next && n > 0 {
		h.take(b[:n])
	}
	return n, err
}

// take stops at each mark.
func (h *hashing) take(b []byte) {
	for len(b) > 0 {
		n := len(b)
		for i := range h.marks {
			if left := h.marks[i].at - h.next; left > 0 && left < int64(n) {
				n = int(left)
			}
		}
		h.lines.Write(b[:n])
		h.next += int64(n)
		b = b[n:]
		h.mark()
	}
}

func (h *hashing) mark() {
	for i := range h.marks {
		if m := h.marks[i]; m.at == h.next {
			m.seen, m.hash = h.lines.Whole(), h.lines.Hash
		}
	}
}
