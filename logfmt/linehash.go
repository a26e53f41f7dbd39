package logfmt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Hash is the hash of a segment's lines, or of one entry line.
type Hash [sha256.Size]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// parseHash reads 64 hex digits. It returns false for anything else.
func parseHash(s string) (h Hash, ok bool) {
	n, err := hex.Decode(h[:], []byte(s[:min(len(s), 2*len(h))]))
	return h, err == nil && n == len(h) && len(s) == 2*len(h)
}

// A LineHash is the running hash of a segment: zero before its first line, and after each line the
// SHA-256 over the hash before, the line, and its LF. SPEC.md, section 8, says what it is for.
//
// The zero value is the beginning of a file. Size and Hash may be set to continue elsewhere.
type LineHash struct {
	Size int64 // bytes of the complete lines
	Hash Hash

	sum  hash.Hash
	open int64 // bytes of the line that has begun
}

// Write adds bytes of the file. It always succeeds.
func (l *LineHash) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n') + 1
		part := b[:end]
		if end == 0 {
			part = b
		}
		l.begin()
		l.sum.Write(part)
		l.open += int64(len(part))
		b = b[len(part):]
		if end > 0 {
			l.end()
		}
	}
	return n, nil
}

// begin starts a line, unless one has begun.
func (l *LineHash) begin() {
	if l.open > 0 {
		return
	}
	if l.sum == nil {
		l.sum = sha256.New()
	}
	l.sum.Reset()
	l.sum.Write(l.Hash[:])
}

func (l *LineHash) end() {
	l.sum.Sum(l.Hash[:0])
	l.Size += l.open
	l.open = 0
}

// Whole reports whether the bytes so far end with an LF.
func (l *LineHash) Whole() bool { return l.open == 0 }
