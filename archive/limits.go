package archive

import (
	"time"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// PlanLimit is the newest statement about a window of an agent's plan.
type PlanLimit struct {
	Source string
	trace.Limit
}

// Limits returns the newest statement about each window that a source has made since a time. They are about the user's
// account, so no filter chooses among them.
func (a *Archive) Limits(since time.Time) (list []PlanLimit, err error) {
	err = a.each(`SELECT s.source, l.id, l.minutes, l.used, l.resets, max(l.time) FROM limits l JOIN sessions s ON s.key = l.session
		WHERE l.time >= ? GROUP BY s.source, l.id, l.minutes ORDER BY s.source, l.minutes, l.id`, func(s *sqlite.Row) error {
		list = append(list, PlanLimit{s.Text(0), trace.Limit{
			ID: s.Text(1), WindowMinutes: s.Int64(2), UsedPercent: s.Float(3), Resets: instant(s.Int64(4)), Time: instant(s.Int64(5)),
		}})
		return nil
	}, since)
	return list, err
}
