package status

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/entries"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
)

// LookReport is what `aburn supervisor --json` prints.
type LookReport struct {
	Project  string         `json:"project"`
	Marked   bool           `json:"marked"`
	At       time.Time      `json:"at"`
	Entries  uint64         `json:"entries"` // that were folded; of a long log not all since its beginning
	Sessions []sessionFacts `json:"sessions"`
	Chain    []linkFacts    `json:"chain"`
	Issues   []AdviceReport `json:"issues"` // the most urgent first
	Critical int            `json:"critical"`
	Queued   []string       `json:"queued"`   // tasks that this look put into the queue
	Resolved []string       `json:"resolved"` // tasks whose issue is gone
	Untold   []string       `json:"untold"`   // tasks that ended without being delivered
	Queue    queueFacts     `json:"queue"`
}

type sessionFacts struct {
	Session  logfmt.SessionID `json:"session"`
	Source   string           `json:"source,omitempty"`
	Wt       string           `json:"wt"`
	State    state.Mode       `json:"state"`
	Since    *time.Time       `json:"since,omitempty"`
	Cmd      string           `json:"cmd,omitempty"` // the active command
	Phase    *phaseFacts      `json:"phase,omitempty"`
	Agents   int              `json:"agents"` // sub-agents at work
	LastSeq  logfmt.Seq       `json:"last_seq,omitempty"`
	LastTime time.Time        `json:"last_ts"`
	Issues   []string         `json:"issues"` // signatures
	Proc     state.Proc       `json:"-"`
}

// phaseFacts is the clock of the open phase, without the time that waited for the user.
type phaseFacts struct {
	Name     string     `json:"name"`
	Since    *time.Time `json:"since,omitempty"` // without it the phase began before the log
	WorkedMS int64      `json:"worked_ms"`       // at least
	Timeout  int64      `json:"timeout_ms"`
}

// linkFacts is a command of the chain in this worktree.
type linkFacts struct {
	Cmd      string           `json:"cmd"`
	State    string           `json:"state"`             // running, left, failed, done, or unknown
	LeftBy   logfmt.SessionID `json:"left_by,omitempty"` // with left: the session that ended,
	LeftAt   *time.Time       `json:"left_at,omitempty"` // and when
	Session  logfmt.SessionID `json:"session,omitempty"`
	Started  *time.Time       `json:"started,omitempty"`
	Complete *time.Time       `json:"complete,omitempty"`
	Failed   *time.Time       `json:"failed,omitempty"`
}

// AdviceReport is an issue with the state of its advice.
type AdviceReport struct {
	IssueReport
	Task      string     `json:"task_id,omitempty"`
	Status    string     `json:"task_status,omitempty"` // of the task in the queue; gone: it is not there any more
	QueuedAt  *time.Time `json:"queued_at,omitempty"`
	Delivered *time.Time `json:"delivered_at,omitempty"`
	Seen      *time.Time `json:"seen_at,omitempty"`
	Calls     []Call     `json:"-"` // the newest calls of whom it is about, where some of them prove it
}

// Call is a call that has ended.
type Call struct {
	At     time.Time // its end
	Proves bool      // it is evidence of the issue
}

func (v *View) Report(w *workspace.Workspace) LookReport {
	chosen := v.ChosenIssues()
	r := LookReport{
		Project: w.Root, Marked: w.Marked, At: v.Now.UTC().Truncate(time.Millisecond), Entries: v.State.Entries, Sessions: v.sessionFacts(), Chain: v.linkFacts(w.Wt),
		Issues: v.IssueReports(chosen), Critical: Critical(chosen), Queued: []string{}, Resolved: append([]string{}, v.Resolved...),
		Untold: append([]string{}, v.Untold...), Queue: v.Queue,
	}
	for _, q := range v.Queued {
		r.Queued = append(r.Queued, q.Task)
	}
	return r
}

func (v *View) IssueReports(issues []*supervisor.Issue) []AdviceReport {
	list := []AdviceReport{}
	for _, is := range issues {
		r := AdviceReport{IssueReport: IssueReportOf(is, supervisor.LevelOf(is, v.Limits)), Task: v.queuedAs(is)}
		if a := v.Advice(is); a != nil {
			r.Task, r.QueuedAt, r.Delivered, r.Seen = a.Task, timeOf(a.Queued), timeOf(a.Delivered), timeOf(a.Seen)
		}
		r.Status, r.Calls = v.taskStatus(r.Task), v.callsOf(is)
		list = append(list, r)
	}
	return list
}

// callsOf are the newest calls of the agent that an issue is about, oldest first; none unless two of them prove it.
func (v *View) callsOf(is *supervisor.Issue) []Call {
	i := slices.IndexFunc(v.State.Sessions, func(s *state.Session) bool { return s.ID == is.Session })
	if i < 0 {
		return nil
	}
	line := &v.State.Sessions[i].Own
	if is.Agent != "" {
		a := v.State.Sessions[i].Agent(is.Agent)
		if a == nil {
			return nil
		}
		line = &a.Line
	}
	proves := func(d *state.Did) bool {
		return slices.ContainsFunc(is.Evidence, func(m state.Mark) bool { return m.Ord == d.Ord })
	}
	var keys []uint32 // of the proofs: the middle of many equal calls is left out of the evidence
	var list []Call
	for i := range line.Recent {
		d := &line.Recent[i]
		if proves(d) && d.Key != 0 {
			keys = append(keys, d.Key)
		}
	}
	proofs := 0
	for i := range line.Recent {
		d := &line.Recent[i]
		c := Call{d.Time(), proves(d) || slices.Contains(keys, d.Key) && d.Ord >= is.Evidence[0].Ord}
		if c.Proves {
			proofs++
		}
		list = append(list, c)
	}
	if proofs < 2 {
		return nil
	}
	return list
}

func (v *View) sessionFacts() []sessionFacts {
	sessions, _ := v.sessions()
	list := []sessionFacts{}
	for i := range sessions {
		list = append(list, v.factsOf(&sessions[i]))
	}
	return list
}

func (v *View) factsOf(s *sessionView) sessionFacts {
	f := sessionFacts{
		Session: s.ID, Source: s.Source, Wt: s.Wt, State: s.mode, Since: timeOf(s.since), Agents: s.running(),
		LastSeq: s.Last.Seq, LastTime: s.Last.Time(), Issues: []string{}, Proc: s.Proc,
	}
	if run := s.Own.Active(); run != nil {
		f.Cmd = run.Cmd
	}
	if worked, timeout, phase := v.clock(s.Session); phase != nil {
		f.Phase = &phaseFacts{phase.Name, timeOf(phase.Start), worked.Milliseconds(), timeout.Milliseconds()}
	}
	for _, is := range s.issues {
		f.Issues = append(f.Issues, is.Signature)
	}
	return f
}

func (v *View) linkFacts(wt string) []linkFacts {
	list := []linkFacts{}
	for i, l := range v.links(wt) {
		f := linkFacts{Cmd: v.Model.Commands[i].Name, State: linkState(l)}
		if l != nil {
			f.Session, f.Started, f.Complete, f.Failed = l.Session, timeOf(l.Start), timeOf(l.Complete), timeOf(l.Failed)
			if f.State == "left" {
				f.LeftBy, f.LeftAt = l.By, timeOf(l.Left)
			}
		}
		list = append(list, f)
	}
	return list
}

// timeOf is a mark's time, nil for the zero mark.
func timeOf(m state.Mark) *time.Time {
	if !m.Is() {
		return nil
	}
	t := m.Time()
	return &t
}

// IssueReport is an issue as every --json of this package prints it.
type IssueReport struct {
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

func IssueReportOf(i *supervisor.Issue, level supervisor.Level) IssueReport {
	r := IssueReport{
		Type: i.Type, Session: i.Session, Agent: i.Agent, Level: level, Priority: i.Type.Priority(), Confidence: i.Confidence,
		Says: i.Says, Healthy: i.Healthy, Suggest: i.Suggest, Evidence: entrySeqs(i.Evidence), Signature: i.Signature,
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

// entrySeqs are those of the entries that have one.
func entrySeqs(marks []state.Mark) []logfmt.Seq {
	list := []logfmt.Seq{}
	for _, m := range marks {
		if m.Seq != 0 {
			list = append(list, m.Seq)
		}
	}
	return list
}

// EvidenceText names the first and last entries that prove an issue, for people.
func EvidenceText(marks []state.Mark) string {
	const most = 4
	var list []string
	for _, n := range entrySeqs(marks) {
		list = append(list, entries.SeqText(n))
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

// Percent is a confidence in percent, at most 99.
func Percent(confidence float64) string {
	return strconv.Itoa(min(int(confidence*100+0.5), 99)) + "%"
}

func LevelStyle(l supervisor.Level) term.Style {
	switch l {
	case supervisor.Queue:
		return term.BoldRed
	case supervisor.Suggest:
		return term.BoldYellow
	}
	return term.Cyan
}
