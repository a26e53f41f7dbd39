package journal

import (
	"io"

	"aburn/logfmt"
)

// A segment that a rotation began starts with a CHECKPOINT, the lines that it
// carried over, and a closing CHECKPOINT. When a lock-free writer was quicker
// than the rotator, a few entries stand before them.

// headZone is where the opening CHECKPOINT ends when nobody was quicker.
const headZone = 16 << 10

// blockZone is how far from a segment's beginning its block may start.
const blockZone = 128 << 10

// extent is a range of file offsets.
type extent struct{ from, to int64 }

func (x extent) empty() bool { return x.from == x.to }

// block is what a segment begins with.
type block struct {
	carried extent
	opened  bool           // it has an opening CHECKPOINT
	seq     logfmt.Seq     // the opening CHECKPOINT's number
	sealed  []logfmt.Seal  // its seals,
	dropped []logfmt.Range // and what it names as dropped
	closed  bool           // it has a closing CHECKPOINT
	holds   bool           // what it carries is what the rotator wrote
	end     int64          // offset after the closing CHECKPOINT
}

// uses reports whether readers use this carried line. A torn block has no sum; there each line's own
// must do.
func (b *block) uses(line []byte) bool { return b.holds || !b.closed && logfmt.Intact(line) }

// firstEntry is a segment's first entry line, if it is near the beginning: mostly in the first
// page.
func firstEntry(r io.ReaderAt) []byte {
	for _, zone := range []int64{2 << 10, headZone} {
		line, _, err := newForeScan(io.NewSectionReader(r, 0, zone), 0, int(zone)).entry()
		if err == nil {
			return line
		}
	}
	return nil
}

// checkpoint parses line if it is a CHECKPOINT.
func checkpoint(line []byte) (logfmt.Entry, logfmt.CheckpointData, bool) {
	h, ok := logfmt.ParseHeader(line)
	if !ok || logfmt.Event(h.Event) != logfmt.Checkpoint {
		return logfmt.Entry{}, logfmt.CheckpointData{}, false
	}
	e, err := logfmt.Parse(line)
	if err != nil {
		return logfmt.Entry{}, logfmt.CheckpointData{}, false
	}
	data, ok := logfmt.ParseCheckpoint(e.Data)
	return e, data, ok
}

// findBlock finds the block of a segment, if it begins within zone. If its writer was killed
// meanwhile, the block is opened but not closed.
func findBlock(r io.ReaderAt, zone int64) block {
	var b block
	var sum logfmt.BlockSum
	w := carryWatch{zone: zone}
	s := newForeScan(r, 0, 64<<10+1)
	s.until = zone // no line of a block is longer
	for !b.closed {
		line, off, err := s.line()
		if err != nil || !w.watches(off) {
			break
		}
		if w.carried(line) {
			if b.carried.empty() {
				b.carried.from = off
			}
			b.carried.to = s.offset()
			sum.Carried(line)
		} else if e, data, ok := checkpoint(line); ok && data.Closing {
			b.closed, b.end = b.opened, s.offset()
			b.holds = sum.Close(data)
		} else if ok && e.Seq > 0 {
			b.opened, b.seq, b.sealed, b.dropped = true, e.Seq, data.Sealed, data.Dropped
			sum.Open(data)
		} else if kindOf(line) == logfmt.EntryLine {
			sum.Own()
		}
	}
	return b
}

// carryWatch tells carried lines from own ones in a forward reading from the start of a segment.
// It costs nothing once the block is past.
type carryWatch struct {
	zone   int64
	block  logfmt.Block
	inside bool
}

// watches reports whether a line at off could still be a carried one.
func (w *carryWatch) watches(off int64) bool { return off < w.zone || w.inside }

// carried reports whether line, the next one of any kind, is carried.
func (w *carryWatch) carried(line []byte) bool {
	is := w.block.Step(line)
	if kindOf(line) == logfmt.EntryLine {
		w.inside = is
	}
	return is
}

// blockOf finds the block of a segment, wherever it is.
func blockOf(r io.ReaderAt) block {
	if b, known := knownBlock(r); known {
		return b
	}
	return findBlock(r, blockZone)
}

// knownBlock is blockOf as far as a segment's first entry decides it. That entry opens the block,
// or has the number 1: the first segment of a log has no block.
func knownBlock(r io.ReaderAt) (b block, known bool) {
	first := firstEntry(r)
	if _, data, ok := checkpoint(first); ok && !data.Closing {
		return findBlock(r, headZone), true
	}
	h, ok := logfmt.ParseHeader(first)
	return block{}, ok && h.Seq == 1
}
