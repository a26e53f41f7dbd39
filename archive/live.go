package archive

import (
	"slices"
	"time"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// LiveFor is how long after its last event a session may still be going on, if no end of it is recorded.
const LiveFor = 5 * time.Minute

// endSlack is how much later than a recorded end the last work may be dated: the hook that records the end and the
// client that writes its store each read the clock when they write.
const endSlack = 2 * time.Second

// work reports whether the event shows that the session goes on: a prompt, an answer, a call, a start. What a client
// writes while it ends (results, machine-made messages) does not, nor do a worker's gates, which run after its agent has ended.
func work(t *trace.SessionTrace, e *trace.Event) bool {
	if e.Copied != "" {
		return false
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		return b.Machine == "" && e.By == ""
	case *trace.AgentMessage:
		return true
	case *trace.ToolCall:
		return t.Source != "worker"
	case *trace.Session:
		return b.Marker == trace.Started || b.Marker == trace.Resumed
	}
	return false
}

// lastWork is the time of the last work, zero if it is unknown.
func lastWork(t *trace.SessionTrace) (last time.Time) {
	for i := range t.Events {
		if e := &t.Events[i]; work(t, e) && e.Time.After(last) {
			last = e.Time
		}
	}
	return last
}

// recordedEnd is the time of the end that the trace records behind the last work, zero if there is none. The end of a
// sub-agent's turn is its end: it has no other.
func recordedEnd(t *trace.SessionTrace) time.Time {
	subagent := slices.ContainsFunc(t.Relationships, func(r trace.SessionRelationship) bool { return r.Kind == trace.Subagent })
	for i := len(t.Events) - 1; i >= 0; i-- {
		e := &t.Events[i]
		if m, ok := e.Body.(*trace.Session); ok && e.Copied == "" && (m.Marker == trace.Ended || subagent && m.Marker == trace.Stopped) {
			return e.Time
		}
		if work(t, e) {
			break
		}
	}
	return time.Time{}
}

// mostParents is deeper than sub-agents nest. It ends the walk along links in a circle.
const mostParents = 20

// goesOn reports whether a session with a recent event may be going on: no end of it is recorded, by its store,
// by the hooks, or of the session whose sub-agent it is.
func (a *Archive) goesOn(key int64) (bool, error) {
	var worked int64
	for range mostParents {
		own, closed, parent, err := a.endOf(key)
		worked = max(worked, own)
		if err != nil || closed > 0 && worked <= closed+endSlack.Milliseconds() {
			return false, err
		}
		if parent == 0 {
			break
		}
		key = parent
	}
	return true, nil
}

// endOf returns when a session last worked and when it ended (in milliseconds, 0 if unknown), as its store, the hooks'
// record or the ledger of its worker says, and the key of the session whose sub-agent it is, or 0.
func (a *Archive) endOf(key int64) (worked, closed, parent int64, err error) {
	err = a.each(`SELECT max(s.worked, coalesce(o.worked, 0)), max(s.closed, coalesce(o.closed, 0),
			coalesce((SELECT max(w.closed) FROM sessions w WHERE w.source = 'worker' AND w.project = s.project AND s.project <> ''), 0)),
		coalesce((SELECT p.key FROM relations r JOIN sessions p ON p.source = s.source AND p.id = r.related
			WHERE r.session = s.key AND r.kind = 'subagent' AND r.related <> '' LIMIT 1), 0)
		FROM sessions s LEFT JOIN sessions o ON o.id = s.id AND o.source = 'own' AND s.source <> 'own' WHERE s.key = ?`,
		func(s *sqlite.Row) error {
			worked, closed, parent = s.Int64(0), s.Int64(1), s.Int64(2)
			return nil
		}, key)
	return worked, closed, parent, err
}
