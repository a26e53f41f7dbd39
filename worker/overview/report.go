// Package overview joins a worker's state with what the archive and the supervisor know of its sessions: cost, transcripts,
// verdicts. `aburn ps`, the daemon and the MCP server show it.
package overview

import (
	"time"

	"aburn/supervisor/status"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// WorkerReport is one worker in `aburn ps --json`.
type WorkerReport struct {
	describe.Summary
	Verdicts []status.Verdict     `json:"verdicts,omitempty"`
	Pull     *describe.PullReport `json:"pr,omitempty"`
	Budget   string               `json:"budget,omitempty"`
	Cost     *WorkerCost          `json:"cost,omitempty"`
	Disk     *int64               `json:"disk,omitempty"`
	Error    string               `json:"error,omitempty"`
}

// ReportOf is what is known of a worker. names are the workers whose overlaps count.
func ReportOf(o *projects.Project, m *manager.Member, names map[string]bool, now time.Time) WorkerReport {
	r := WorkerReport{Summary: describe.Summarize(m, names, now, o.ReadyFor())}
	if m.Err != nil {
		r.Error = m.Err.Error()
		return r
	}
	r.Pull, r.Budget = describe.PullOf(m), m.Request.Limit
	return r
}

// StrayReport is what is known of a worker of which no ledger is left.
func StrayReport(s *manager.Stray) WorkerReport {
	return WorkerReport{Summary: describe.SummarizeStray(s), Error: s.Why}
}
