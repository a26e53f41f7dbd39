package term

import (
	"fmt"
	"time"

	"aburn/internal/plain"
)

// Meter shows the progress of long work on a terminal.
type Meter struct {
	Out         *Out
	Total, Done int64
	shownAt     time.Time
	shown       bool
}

// NewMeter shows nothing yet. total is in bytes.
func NewMeter(out *Out, total int64) *Meter {
	return &Meter{Out: out, Total: total, shownAt: time.Now()}
}

// Add counts n more bytes, and shows the share of the total at most three times a second.
func (m *Meter) Add(n int64) {
	m.Done += n
	if now := time.Now(); m.Out.Terminal() && now.Sub(m.shownAt) > 300*time.Millisecond {
		m.shownAt, m.shown = now, true
		fmt.Fprintf(m.Out, "\r%3d %% of %s", min(100*m.Done/max(m.Total, 1), 100), plain.Size(m.Total))
	}
}

// Clear takes the progress off the screen.
func (m *Meter) Clear() {
	if m.shown {
		fmt.Fprintf(m.Out, "\r%*s\r", 24, "")
	}
}
