package term

import (
	"fmt"
	"strings"
	"time"

	"aburn/internal/plain"
)

// Meter shows the progress of long work on a line of a terminal; elsewhere nothing.
type Meter struct {
	Out   *Out
	width int // of what stands there, in cells
}

// Say replaces what is shown.
func (m *Meter) Say(text string) {
	if !m.Out.Terminal() {
		return
	}
	text = plain.Cut(text, max(m.Out.Width()-1, 1))
	fmt.Fprintf(m.Out, "\r%s", plain.Pad(text, m.width))
	m.width = plain.Width(text)
}

// Clear takes the progress off the screen.
func (m *Meter) Clear() {
	if m.width > 0 {
		fmt.Fprintf(m.Out, "\r%s\r", strings.Repeat(" ", m.width))
		m.width = 0
	}
}

// ByteMeter is a Meter of how many bytes were read.
type ByteMeter struct {
	Meter
	Total, Done int64
	shownAt     time.Time
}

// NewByteMeter shows nothing yet: short work has no progress.
func NewByteMeter(out *Out, total int64) *ByteMeter {
	return &ByteMeter{Meter: Meter{Out: out}, Total: total, shownAt: time.Now()}
}

// Add counts n more bytes, and shows the share of the total at most three times a second.
func (m *ByteMeter) Add(n int64) {
	m.Done += n
	if now := time.Now(); now.Sub(m.shownAt) > 300*time.Millisecond {
		m.shownAt = now
		m.Say(fmt.Sprintf("%3d %% of %s", min(100*m.Done/max(m.Total, 1), 100), plain.Size(m.Total)))
	}
}
