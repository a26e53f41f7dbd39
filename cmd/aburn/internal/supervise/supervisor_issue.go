package supervise

import (
	"strconv"
	"strings"
	"time"

	"aburn/cmd/aburn/internal/rows"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
)

// issueReport is an issue as every --json prints it.
type issueReport struct {
	Type       supervisor.Type  `json:"type"`
	Session    logfmt.SessionID `json:"session,omitempty"` // none: the chain's, or of entries that name no session
	Scope      string           `json:"scope,omitempty"`   // project: it is the chain's
	Agent      string           `json:"agent,omitempty"`
	Level      supervisor.Level `json:"level"`
	Priority   string           `json:"priority"`
	Confidence float64          `json:"confidence"`
	Says       string           `json:"says"`
	Healthy    string           `json:"healthy,omitempty"`
	Suggest    string           `json:"suggest,omitempty"`
	Evidence   []logfmt.Seq     `json:"evidence"` // numbers of entries; those of other tools have none
	Since      *time.Time       `json:"since,omitempty"`
	Signature  string           `json:"signature"`
}

func issueReportOf(i *supervisor.Issue, level supervisor.Level) issueReport {
	r := issueReport{
		Type: i.Type, Session: i.Session, Agent: i.Agent, Level: level, Priority: i.Type.Priority(), Confidence: i.Confidence,
		Says: i.Says, Healthy: i.Healthy, Suggest: i.Suggest, Evidence: numbers(i.Evidence), Signature: i.Signature,
	}
	if i.OfChain() {
		r.Scope = queue.ScopeProject
	}
	if i.Since.Is() {
		since := i.Since.Time()
		r.Since = &since
	}
	return r
}

// numbers are those of the entries that have one.
func numbers(marks []state.Mark) []logfmt.Seq {
	list := []logfmt.Seq{}
	for _, m := range marks {
		if m.Seq != 0 {
			list = append(list, m.Seq)
		}
	}
	return list
}

// evidence names the first and last entries that prove an issue, for people.
func evidence(marks []state.Mark) string {
	const most = 4
	var list []string
	for _, n := range numbers(marks) {
		list = append(list, rows.Number(n))
	}
	switch {
	case len(list) == 0:
		return ""
	case len(list) > most:
		list = append(append(list[:most-1:most-1], "…"), list[len(list)-1])
	case len(list) == 1:
		return "(entry " + list[0] + ")"
	}
	return "(entries " + strings.Join(list, ", ") + ")"
}

// percent is a confidence as people read it. It never says 100.
func percent(confidence float64) string {
	return strconv.Itoa(min(int(confidence*100+0.5), 99)) + "%"
}

// levelStyle is the colour of a level.
func levelStyle(l supervisor.Level) term.Style {
	switch l {
	case supervisor.Queue:
		return term.BoldRed
	case supervisor.Suggest:
		return term.BoldYellow
	}
	return term.Cyan
}
