package join

import (
	"time"

	"aburn/trace"
)

// ledgerName marks what the joined trace took from a worker's ledger.
const ledgerName = "worker's ledger"

// Ledger adds to a session of a worker what its ledger (trace/workers) says that the session itself cannot: the runs of its
// gates, and that it was abandoned. Only entries from from until until are of this session; a zero time is no bound. Each
// stands behind the last event that is not younger. Neither argument is changed.
func Ledger(session, ledger *trace.SessionTrace, from, until time.Time) (*trace.SessionTrace, error) {
	joined, err := clone(session)
	if err != nil {
		return nil, err
	}
	if ledger, err = clone(ledger); err != nil {
		return nil, err
	}
	m := &match{store: joined, own: ledger, from: ledgerName}
	behind := make([][]int, len(joined.Events)+1)
	calls := map[string]bool{}
	for i := range ledger.Events {
		e := &ledger.Events[i]
		within := (from.IsZero() || !e.Time.Before(from)) && (until.IsZero() || e.Time.Before(until))
		switch b := e.Body.(type) {
		case *trace.ToolCall:
			calls[b.Call] = within
		case *trace.ToolResult: // a run of gates may end after the next session began
			within = calls[b.Call]
		}
		if !added(e) || !within {
			continue
		}
		at := 0
		for k := range joined.Events {
			if t := joined.Events[k].Time; !t.IsZero() && !t.After(e.Time) {
				at = k + 1
			}
		}
		behind[at] = append(behind[at], i)
	}
	m.build(inOrder(behind))
	joined.Settle()
	return joined, joined.Validate()
}

// added reports whether an event of a ledger goes into the session's trace.
func added(e *trace.Event) bool {
	switch b := e.Body.(type) {
	case *trace.ToolCall, *trace.ToolResult:
		return true
	case *trace.Session:
		return b.Marker == trace.Abandoned
	}
	return false
}
