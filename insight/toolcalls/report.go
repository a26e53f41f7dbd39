package toolcalls

import (
	"time"

	"aburn/archive"
	"aburn/insight"
	"aburn/internal/units"
	"aburn/trace"
)

// Report is `aburn tools --json`.
type Report struct {
	All      toolRow       `json:"all"`
	Tools    []toolRow     `json:"tools"`
	Failures []failureRow  `json:"failures"`
	Retries  retriesReport `json:"retries"`
	Agents   agentsReport  `json:"subagents"`
	Longest  []callRow     `json:"longest"`
}

// toolRow is the calls of one tool, or of all.
type toolRow struct {
	Tool      string   `json:"tool,omitempty"`
	Type      string   `json:"type,omitempty"`
	Calls     int      `json:"calls"`
	Ended     int      `json:"ended"`
	NoResult  int      `json:"no_result"`
	Failed    int      `json:"failed"`
	Denied    int      `json:"denied"`
	Cancelled int      `json:"cancelled"`
	Rate      *float64 `json:"failure_rate"` // failed of ended
	Timed     int      `json:"timed"`
	Gaps      int      `json:"gaps"` // of Timed: nobody measured them (callRow.Gap)
	Median    *int64   `json:"median_ms"`
	P95       *int64   `json:"p95_ms"`
	Longest   *int64   `json:"longest_ms"`
	// Bounds names those of the three that are upper bounds.
	Bounds []string `json:"upper_bounds,omitempty"`
}

type failureRow struct {
	Tool     string  `json:"tool"`
	Type     string  `json:"type"`
	How      string  `json:"how"`
	What     string  `json:"what,omitempty"`
	Times    int     `json:"times"`
	Sessions int     `json:"sessions"`
	Last     callRow `json:"last"`
}

type retriesReport struct {
	Errors    int        `json:"errors"`      // how often a call has to error to be listed
	Failed    int        `json:"ever_failed"` // different calls (session, tool, input) that ever failed
	Succeeded int        `json:"then_succeeded"`
	Never     int        `json:"never_succeeded"`
	Calls     []retryRow `json:"calls"`
}

type retryRow struct {
	Errors    int  `json:"errors"`
	Succeeded bool `json:"succeeded"`
	callRow
}

type agentsReport struct {
	Calls   int        `json:"calls"`
	Refused int        `json:"refused"`
	Never   int        `json:"never_completed"`
	List    []agentRow `json:"list"`
	// Outcomes are what the sub-agents' own sessions say.
	Outcomes agentOutcomes `json:"outcomes"`
}

type agentRow struct {
	callRow
	Outcome insight.Outcome `json:"outcome,omitempty"` // the verdict on the sub-agent's own session
}

type callRow struct {
	Source     string       `json:"source"`
	Session    string       `json:"session"`
	Event      int          `json:"event"`
	Call       string       `json:"call"`
	Tool       string       `json:"tool"`
	Type       string       `json:"type"`
	What       string       `json:"what,omitempty"`
	Start      *time.Time   `json:"start,omitempty"`
	DurationMS int64        `json:"duration_ms,omitempty"`
	Gap        bool         `json:"gap,omitempty"` // it took at most so long
	Status     trace.Status `json:"status,omitempty"`
	Failed     bool         `json:"failed"`
	Denied     string       `json:"denied,omitempty"`
	ExitCode   *int         `json:"exit_code,omitempty"`
	Spawned    string       `json:"spawned_session,omitempty"`
}

func callRowOf(r *archive.CallRow) callRow {
	return callRow{
		Source: r.Source, Session: r.Session, Event: r.Seq, Call: r.Call, Tool: r.Tool, Type: string(r.Type), What: r.Subject(), Start: units.OptionalTime(r.Start),
		DurationMS: r.DurationMS, Gap: r.Gap,
		Status: r.Status, Failed: r.Failed, Denied: r.Denied, ExitCode: r.ExitCode, Spawned: r.Spawned,
	}
}

func callRows(list []archive.CallRow) []callRow {
	rows := []callRow{}
	for i := range list {
		rows = append(rows, callRowOf(&list[i]))
	}
	return rows
}

func (s *toolSum) row() toolRow {
	r := toolRow{
		Tool: s.tool, Type: s.kind, Calls: s.calls, Ended: s.ended(), NoResult: s.noResult, Failed: s.failed, Denied: s.denied, Cancelled: s.cancelled,
		Timed: len(s.durations), Gaps: s.gaps,
	}
	if r.Ended > 0 {
		rate := float64(s.failed) / float64(r.Ended)
		r.Rate = &rate
	}
	if r.Timed > 0 {
		median, p95, longest := s.percentile(50), s.percentile(95), s.percentile(100)
		r.Median, r.P95, r.Longest = &median.ms, &p95.ms, &longest.ms
		for _, d := range []struct {
			name string
			duration
		}{{"median_ms", median}, {"p95_ms", p95}, {"longest_ms", longest}} {
			if d.gap {
				r.Bounds = append(r.Bounds, d.name)
			}
		}
	}
	return r
}

// Report is the answer as --json prints it, with all lines of each part if all is set.
func (v *Answer) Report(all bool) Report {
	if all {
		v.Limit = 0
	}
	t := v.tally
	r := Report{All: t.sum.row(), Tools: []toolRow{}, Failures: []failureRow{}, Longest: callRows(t.longest)}
	for _, s := range t.ordered[:v.rows(len(t.ordered))] {
		r.Tools = append(r.Tools, s.row())
	}
	for _, f := range t.failed[:v.rows(len(t.failed))] {
		r.Failures = append(r.Failures, failureRow{f.tool, f.kind, f.how, f.what, f.n, f.sessions, callRowOf(&f.last)})
	}
	r.Retries = retriesReport{Errors: retryFrom, Failed: t.everFailed, Calls: []retryRow{}}
	for i := range t.retried {
		if t.retried[i].succeeded {
			r.Retries.Succeeded++
		} else {
			r.Retries.Never++
		}
	}
	for i := range t.retried[:v.rows(len(t.retried))] {
		again := &t.retried[i]
		r.Retries.Calls = append(r.Retries.Calls, retryRow{again.failed, again.succeeded, callRowOf(&again.CallRow)})
	}
	r.Agents = agentsReport{Calls: t.agentCalls, Refused: t.agentsRefused, Never: len(t.agentsUnended), Outcomes: t.outcomes,
		List: []agentRow{}}
	for i := range t.agentsUnended[:v.rows(len(t.agentsUnended))] {
		a := &t.agentsUnended[i]
		r.Agents.List = append(r.Agents.List, agentRow{callRowOf(&a.CallRow), a.outcome})
	}
	return r
}
