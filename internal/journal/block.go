package journal

import (
	"io"

	"aburn/logfmt"
)

// A segment that a rotation began starts with a CHECKPOINT, the lines that it
// carried over, and a closing CHECKPOINT. When a lock-free writer was quicker
// than the rotator, a few entries stand before them.

// blockZone is how far from a segment's beginning its block is looked for.
const blockZone = 128 << 10

// openingZone is where the opening CHECKPOINT ends when nobody was quicker.
const openingZone = 16 << 10

// extent is a range of file offsets.
type extent struct{ from, to int64 }

func (x extent) holds(off int64) bool { return x.from <= off && off < x.to }

func (x extent) empty() bool { return x.from == x.to }

// opening returns the CHECKPOINT that a segment begins with, if it begins so.
func opening(r io.ReaderAt) (logfmt.Entry, bool) {
	line, _, err := newForeScan(io.NewSectionReader(r, 0, openingZone), 0, openingZone).entry()
	if err != nil {
		return logfmt.Entry{}, false
	}
	return checkpoint(line, false)
}

// checkpoint parses line if it is an opening or a closing CHECKPOINT.
func checkpoint(line []byte, closing bool) (logfmt.Entry, bool) {
	h, ok := logfmt.ParseHeader(line)
	if !ok || logfmt.Event(h.Event) != logfmt.Checkpoint {
		return logfmt.Entry{}, false
	}
	e, err := logfmt.Parse(line)
	if err != nil {
		return logfmt.Entry{}, false
	}
	data, ok := logfmt.ParseCheckpoint(e.Data)
	return e, ok && data.Closing == closing
}

// carriedExtent finds the carried lines of a segment. zone bounds how far their
// beginning is looked for.
func carriedExtent(r io.ReaderAt, zone int64) extent {
	var x extent
	w := carryWatch{zone: zone}
	s := newForeScan(r, 0, 64<<10)
	for {
		line, off, err := s.line()
		if err != nil || !w.watches(off) {
			return x
		}
		if w.carried(line) {
			if x.empty() {
				x.from = off
			}
			x.to = s.offset()
		}
	}
}

// carryWatch tells carried lines from own ones in a forward reading that began
// at the start of a segment, and is free of cost once the block is past.
type carryWatch struct {
	zone   int64
	block  logfmt.Block
	inside bool
}

// watches reports whether a line at off could still be a carried one.
func (w *carryWatch) watches(off int64) bool { return off < w.zone || w.inside }

// carried takes the next line, of any kind.
func (w *carryWatch) carried(line []byte) bool {
	is := w.block.Step(line)
	if kindOf(line) == logfmt.EntryLine {
		w.inside = is
	}
	return is
}
