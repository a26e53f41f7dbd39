package main

import (
	"time"

	"aburn/logfmt"
	"aburn/supervisor"
)

// statusReport is what `aburn status --json` prints.
type statusReport struct {
	Project  string          `json:"project"`
	Marked   bool            `json:"marked"`
	Wt       string          `json:"wt"`
	Branch   string          `json:"branch,omitempty"`
	Bytes    int64           `json:"bytes"`
	Segments int             `json:"segments"`
	Watcher  int             `json:"watcher,omitempty"` // its process; -1 = it did not say
	At       time.Time       `json:"at"`
	Sessions []sessionStatus `json:"sessions"`
	Chain    []linkFacts     `json:"chain"`
	Issues   []adviceReport  `json:"issues"`
	Queue    queueFacts      `json:"queue"`
}

// sessionStatus is a session with its newest entry.
type sessionStatus struct {
	sessionFacts
	Last *lastEntry `json:"last,omitempty"`
}

type lastEntry struct {
	Cmd   string       `json:"cmd"`
	Phase string       `json:"phase,omitempty"`
	Event logfmt.Event `json:"event"`
	Seq   logfmt.Seq   `json:"seq,omitempty"`
	Time  time.Time    `json:"ts"`
	Open  bool         `json:"open"` // it is the start of a call, and nothing came after it
}

func (s *status) report() statusReport {
	r := statusReport{
		Project: s.w.Root, Marked: s.w.Marked, Wt: s.w.Wt, Branch: s.w.Branch(), Segments: len(s.segments), Watcher: s.watcher, At: s.Now.UTC().Truncate(time.Millisecond),
		Sessions: []sessionStatus{}, Chain: s.linkFacts(s.w.Wt), Queue: s.queue,
	}
	for _, seg := range s.segments {
		r.Bytes += seg.Size
	}
	for i := range s.shown {
		one := sessionStatus{sessionFacts: s.factsOf(&s.shown[i])}
		if e := s.last[s.shown[i].ID]; e != nil {
			one.Last = &lastEntry{e.Cmd, e.Phase, e.Event, e.Seq, e.Time, e.open}
		}
		r.Sessions = append(r.Sessions, one)
	}
	var issues []*supervisor.Issue
	for i := range s.Issues {
		issues = append(issues, &s.Issues[i])
	}
	r.Issues = s.issueReports(issues)
	return r
}
