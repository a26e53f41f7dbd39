package logfmt

import (
	"crypto/sha256"
	"hash"
)

// A BlockSum says whether a block of carried lines holds: both CHECKPOINTs and the lines between
// them agree in number, and the closing one has their SHA-256.
type BlockSum struct {
	open  bool
	want  int
	lines int
	sum   hash.Hash
}

// Open begins with an opening CHECKPOINT.
func (s *BlockSum) Open(c CheckpointData) {
	if s.sum == nil {
		s.sum = sha256.New()
	}
	s.sum.Reset()
	s.open, s.want, s.lines = true, c.Carried, 0
}

// Carried adds a carried line, without its LF.
func (s *BlockSum) Carried(line []byte) {
	if s.open {
		s.lines++
		s.sum.Write(line)
		s.sum.Write([]byte{'\n'})
	}
}

// Own says that an entry of the segment's own came: the block is torn.
func (s *BlockSum) Own() { s.open = false }

// Close ends with a closing CHECKPOINT and reports whether the block holds.
func (s *BlockSum) Close(c CheckpointData) bool {
	if !s.open {
		return false
	}
	s.open = false
	return s.lines == s.want && s.lines == c.Carried && Hash(s.sum.Sum(nil)) == c.Sum
}
