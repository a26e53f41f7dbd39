package logfmt

import "time"

// Carrier decides which lines of a segment carry over to the next one.
type Carrier struct {
	now time.Time
}

// NewCarrier starts for a rotation at now.
func NewCarrier(now time.Time) *Carrier { return &Carrier{now: now} }

// Add takes the next line of the segment, in file order, of any kind.
func (c *Carrier) Add(line []byte) {}

// Lines returns the JSON lines that carry, verbatim and in file order, without
// newlines, and how many more would have.
func (c *Carrier) Lines() (lines [][]byte, left int) { return nil, 0 }
