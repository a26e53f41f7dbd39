package sessions

import (
	"time"

	"aburn/archive"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/trace"
)

// SessionsReport is what `aburn sessions --json` prints.
type SessionsReport struct {
	Total    int          `json:"total"` // without --limit
	Sessions []sessionRow `json:"sessions"`
}

// sessionRow is a session of the archive for programs.
type sessionRow struct {
	Source      string        `json:"source"`
	Session     string        `json:"session"`
	Name        string        `json:"name"`
	Agent       trace.Agent   `json:"agent"`
	Project     trace.Project `json:"project"`
	Start       *time.Time    `json:"start,omitempty"`
	End         *time.Time    `json:"end,omitempty"`
	ActiveMS    int64         `json:"active_ms"`
	Outcome     trace.Outcome `json:"outcome"`
	OutcomeFrom string        `json:"outcome_from,omitempty"`
	Relation    string        `json:"relation"`
	Counts      trace.Counts  `json:"counts"`
	Usage       trace.Usage   `json:"usage"`
	Tokens      int64         `json:"tokens"`
	Path        string        `json:"path"`
	Gone        bool          `json:"gone"`
	Live        bool          `json:"live"`
	Recorded    bool          `json:"recorded"`
	Ask         string        `json:"ask,omitempty"`
}

func rowOf(s *archive.Session, names *scope.SessionNames) sessionRow {
	return sessionRow{
		Source: s.Source, Session: s.ID, Name: names.Of(s.Source, s.ID), Agent: s.Agent, Project: s.Project, Start: kit.OptionalTime(s.Start), End: kit.OptionalTime(s.End),
		ActiveMS: s.ActiveMS, Outcome: s.Outcome, OutcomeFrom: s.OutcomeFrom, Relation: string(s.Relation), Counts: s.Counts, Usage: s.Usage, Tokens: s.Usage.Total(),
		Path: s.Path, Gone: s.Gone, Live: s.Live, Recorded: s.Recorded, Ask: s.Ask,
	}
}
