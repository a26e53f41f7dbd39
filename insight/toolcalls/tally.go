package toolcalls

import (
	"cmp"
	"slices"
	"strconv"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/insight"
	"aburn/trace"
)

// tally counts calls, each once.
type tally struct {
	sum           toolSum
	tools         map[[2]string]*toolSum // by tool and type
	ordered       []*toolSum             // most calls first
	failures      map[failureKey]*failedCalls
	failed        []*failedCalls // most first
	groups        map[groupKey]*retryGroup
	session       int64 // whose groups are being gathered
	everFailed    int   // groups in which a call failed
	retried       []retry
	agents        []agentCall   // calls that started a sub-agent
	agentsUnended []agentCall   // of these, those whose sub-agent never came to an end
	agentCalls    int           // of so many
	agentsRefused int           // refused before they began
	outcomes      agentOutcomes // of the sub-agents' own sessions
	longest       []archive.CallRow
	keep          int
}

// toolSum is the calls of one tool, or of all.
type toolSum struct {
	tool, kind string
	calls      int
	failed     int
	denied     int // of the failed ones: they never ran
	noResult   int // without an end
	cancelled  int
	durations  []duration // those that are known, sorted by finish
	gaps       int        // of these
}

// duration is how long a call took, in milliseconds; with gap, at most.
type duration struct {
	ms  int64
	gap bool
}

func newTally(keep int) *tally {
	return &tally{tools: map[[2]string]*toolSum{}, failures: map[failureKey]*failedCalls{}, groups: map[groupKey]*retryGroup{}, keep: keep}
}

// add counts the next call. The calls of a session come together, in order.
func (t *tally) add(row *archive.CallRow) {
	key := [2]string{row.Tool, string(row.Type)}
	sum := t.tools[key]
	if sum == nil {
		sum = &toolSum{tool: row.Tool, kind: string(row.Type)}
		t.tools[key] = sum
		t.ordered = append(t.ordered, sum)
	}
	sum.add(row)
	t.sum.add(row)
	if row.Failed {
		t.addFailure(row)
	}
	t.addRepeat(row)
	if row.Type == trace.AgentTool {
		t.addAgent(row)
	}
	if row.DurationMS > 0 {
		t.addLong(row)
	}
}

func (s *toolSum) add(row *archive.CallRow) {
	s.calls++
	switch {
	case unended(row):
		s.noResult++
	case row.Failed:
		s.failed++
		if row.Denied != "" {
			s.denied++
		}
	case row.Status == trace.StatusCancelled:
		s.cancelled++
	}
	if row.DurationMS > 0 {
		s.durations = append(s.durations, duration{row.DurationMS, row.Gap})
		if row.Gap {
			s.gaps++
		}
	}
}

// unended says whether a call never ended: it has no result, or only one that says running.
func unended(row *archive.CallRow) bool {
	return row.Status == "" || row.Status == trace.StatusRunning
}

// ended is how many calls ended, the denominator of the failure rate.
func (s *toolSum) ended() int { return s.calls - s.noResult }

// percentile is the smallest known duration that p percent of them do not exceed; 0 if none is known. It is an upper
// bound if it, or a longer one, is: that one may have been shorter than this.
func (s *toolSum) percentile(p int) duration {
	n := len(s.durations)
	if n == 0 {
		return duration{}
	}
	i := max((n*p+99)/100-1, 0)
	return duration{s.durations[i].ms, slices.ContainsFunc(s.durations[i:], func(d duration) bool { return d.gap })}
}

// agentCall is a call that started a sub-agent, with the verdict on the sub-agent's own session, "" if none is known.
type agentCall struct {
	archive.CallRow
	outcome insight.Outcome
}

// became is what became of the sub-agent. Its own session knows that better than the call: one in the background has no
// other result than that it runs.
func (a *agentCall) became() string {
	return cmp.Or(string(a.outcome), string(a.Status), "no result")
}

// ended reports whether the sub-agent came to an end. An error is an end.
func (a *agentCall) ended() bool {
	if a.outcome != "" && a.outcome != insight.Unknown {
		return a.outcome == insight.Completed || a.outcome == insight.Errored
	}
	return !unended(&a.CallRow) && a.Status != trace.StatusCancelled
}

// addAgent counts a call that starts a sub-agent. A refused call never began.
func (t *tally) addAgent(row *archive.CallRow) {
	t.agentCalls++
	if row.Denied != "" {
		t.agentsRefused++
		return
	}
	t.agents = append(t.agents, agentCall{CallRow: *row})
}

// judgeAgents finds the calls whose sub-agent never came to an end, by the verdicts on the sub-agents' own sessions.
func (t *tally) judgeAgents(sessions []lookup.Judged) {
	outcomes := make(map[[2]string]insight.Outcome, len(sessions))
	for i := range sessions {
		outcomes[[2]string{sessions[i].Source, sessions[i].ID}] = sessions[i].Outcome
	}
	for i := range t.agents {
		a := &t.agents[i]
		if a.Spawned != "" {
			a.outcome = outcomes[[2]string{a.Source, a.Spawned}]
		}
		if !a.ended() {
			t.agentsUnended = append(t.agentsUnended, *a)
		}
	}
}

// agentOutcomes is how sub-agents ended, by the verdicts on their own sessions.
type agentOutcomes struct {
	Sessions    int `json:"sessions"`
	Completed   int `json:"completed"`
	Interrupted int `json:"interrupted"`
	Errored     int `json:"errored"`
	GaveUp      int `json:"gave_up"`
	Killed      int `json:"killed"`
	Crashed     int `json:"crashed"`
	Running     int `json:"running"`
	Unknown     int `json:"unknown"`
}

func (t *tally) addOutcomes(agents []lookup.Judged) {
	o := &t.outcomes
	o.Sessions = len(agents)
	for i := range agents {
		switch agents[i].Outcome {
		case insight.Completed:
			o.Completed++
		case insight.Interrupted:
			o.Interrupted++
		case insight.Errored:
			o.Errored++
		case insight.GaveUp:
			o.GaveUp++
		case insight.Killed:
			o.Killed++
		case insight.Crashed:
			o.Crashed++
		case insight.Running:
			o.Running++
		default:
			o.Unknown++
		}
	}
}

func (t *tally) addLong(row *archive.CallRow) {
	keep := cmp.Or(t.keep, Rows)
	if n := len(t.longest); n == keep && row.DurationMS <= t.longest[n-1].DurationMS {
		return
	}
	i, _ := slices.BinarySearchFunc(t.longest, row, func(a archive.CallRow, b *archive.CallRow) int {
		return cmp.Or(cmp.Compare(b.DurationMS, a.DurationMS), -1) // behind its equals
	})
	t.longest = slices.Insert(t.longest, i, *row)
	t.longest = t.longest[:min(len(t.longest), keep)]
}

func (t *tally) finish() {
	t.closeGroups()
	for _, s := range append(slices.Clone(t.ordered), &t.sum) {
		slices.SortFunc(s.durations, func(a, b duration) int { return cmp.Compare(a.ms, b.ms) })
	}
	slices.SortStableFunc(t.ordered, func(a, b *toolSum) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), cmp.Compare(a.tool, b.tool), cmp.Compare(a.kind, b.kind))
	})
	for _, f := range t.failures {
		t.failed = append(t.failed, f)
	}
	slices.SortFunc(t.failed, func(a, b *failedCalls) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.tool, b.tool), cmp.Compare(a.what, b.what), cmp.Compare(a.how, b.how), cmp.Compare(a.kind, b.kind))
	})
	slices.SortFunc(t.retried, func(a, b retry) int {
		return cmp.Or(cmp.Compare(b.failed, a.failed), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Index, b.Index))
	})
}

// retryFrom is how often a call must fail to be listed as retried.
const retryFrom = 3

type failureKey struct{ tool, kind, what, how string }

type failedCalls struct {
	failureKey
	n, sessions int
	session     int64           // the last one
	last        archive.CallRow // the newest
}

func (t *tally) addFailure(row *archive.CallRow) {
	key := failureKey{row.Tool, string(row.Type), row.Subject(), howFailed(row)}
	f := t.failures[key]
	if f == nil {
		f = &failedCalls{failureKey: key}
		t.failures[key] = f
	}
	f.n++
	if f.session != row.Key { // calls of one session come together
		f.session = row.Key
		f.sessions++
	}
	if !row.Start.Before(f.last.Start) {
		f.last = *row
	}
}

// howFailed is how a call failed, as far as the source says.
func howFailed(row *archive.CallRow) string {
	switch {
	case row.Denied == "other":
		return "denied"
	case row.Denied != "":
		return "denied by " + row.Denied
	case row.ExitCode != nil:
		return "exit " + strconv.Itoa(*row.ExitCode)
	}
	return string(row.Status)
}

// groupKey identifies equal calls of one session.
type groupKey struct{ tool, input string }

type retryGroup struct {
	failed int // since the last success
	ever   bool
	last   archive.CallRow
}

// retry is a call that failed so often before it succeeded or was given up.
type retry struct {
	archive.CallRow // the last one
	failed          int
	succeeded       bool
}

// addRepeat counts the call among those with the same tool and input in its session.
func (t *tally) addRepeat(row *archive.CallRow) {
	if row.Key != t.session {
		t.closeGroups()
		t.session = row.Key
	}
	if row.Input == "" { // nobody knows whether it is the same
		return
	}
	key := groupKey{row.Tool, row.Input}
	g := t.groups[key]
	if g == nil {
		g = &retryGroup{}
		t.groups[key] = g
	}
	switch {
	case unended(row):
	case row.Failed:
		g.failed++
		g.ever, g.last = true, *row
	case row.Status == trace.StatusCompleted:
		if g.failed >= retryFrom {
			t.retried = append(t.retried, retry{*row, g.failed, true})
		}
		g.failed = 0
	}
}

func (t *tally) closeGroups() {
	for _, g := range t.groups {
		if g.ever {
			t.everFailed++
		}
		if g.failed >= retryFrom {
			t.retried = append(t.retried, retry{g.last, g.failed, false})
		}
	}
	clear(t.groups)
}
