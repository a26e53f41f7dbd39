package logfmt

// Block tells carried lines from a segment's own in a forward reading. The zero value is the
// start of a file.
//
// A rotation writes the opening CHECKPOINT with its human line, the carried lines back to back,
// and the closing CHECKPOINT in one write. The block ends with the closing one. If a killed
// rotator tore it, it ends where the lines can no longer be the rotator's: at a line that is no
// entry, at an entry newer than the opening one, or after as many lines as the opening one
// announced. A CHECKPOINT without number opens no block: nobody who held the lock wrote it.
type Block struct {
	left    int // carried lines that may still come
	seq     Seq // of the opening CHECKPOINT
	opening bool
}

// Step takes the next line of the file, of any kind. It reports whether the line is a carried
// one: a copy of an entry of an earlier segment, no new event.
func (b *Block) Step(line []byte) bool {
	var h Header
	if k := Classify(line); k != EntryLine || !h.Read(line) {
		b.Other(k)
		return false
	}
	return b.Entry(line, &h)
}

// Entry is Step for an entry line with a known header.
func (b *Block) Entry(line []byte, h *Header) bool {
	if string(h.Event) == string(Checkpoint) {
		*b = Block{}
		e, err := Parse(line)
		if c, ok := ParseCheckpoint(e.Data); err == nil && ok && !c.Closing && h.Seq > 0 {
			*b = Block{left: c.Carried, seq: h.Seq, opening: true}
		}
		return false
	}
	b.opening = false
	if b.left == 0 {
		return false
	}
	if h.Seq > b.seq {
		b.left = 0
		return false
	}
	b.left--
	return true
}

// skip counts a carried line.
func (b *Block) skip() {
	b.opening = false
	b.left = max(0, b.left-1)
}

// Other is Step for a line that is no entry. A bad entry line counts as Damage.
func (b *Block) Other(k Kind) {
	if k != Comment || !b.opening {
		b.left = 0
	}
	b.opening = false
}
