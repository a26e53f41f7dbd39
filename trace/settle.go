package trace

import "time"

// Settle works out again what follows from the events and responses: Start, End, ActiveMS and Usage. Copies are left out of all.
func (t *SessionTrace) Settle() {
	t.Start, t.End, t.Usage = time.Time{}, time.Time{}, Usage{}
	var active time.Duration
	var last time.Time
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" || e.Time.IsZero() {
			continue
		}
		if t.Start.IsZero() || e.Time.Before(t.Start) {
			t.Start = e.Time
		}
		if e.Time.After(t.End) {
			t.End = e.Time
		}
		if gap := e.Time.Sub(last); !last.IsZero() && gap > 0 && gap <= IdleGap {
			active += gap
		}
		if e.Time.After(last) {
			last = e.Time
		}
	}
	t.ActiveMS = active.Milliseconds()
	for i := range t.Responses {
		if t.Responses[i].Copied == "" {
			t.Usage.Add(t.Responses[i].Usage)
		}
	}
}
