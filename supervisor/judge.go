package supervisor

import (
	"cmp"
	"math"
	"slices"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// memory is how long a silent session is judged, and the longest standstill that
// proves anything: beyond it a clock was set, or nobody cares.
const memory = 24 * time.Hour

// maxEvidence bounds the entries that an issue names.
const maxEvidence = 12

// Input is what a judgement depends on besides the State.
type Input struct {
	Now      time.Time
	Model    *workflow.Model // nil: the State's
	Limits   *limits.Limits  // nil: the State's
	Observed state.Observed
}

// judgement is one run of all detectors.
type judgement struct {
	s      *state.State
	o      state.Observed
	model  *workflow.Model
	limits *limits.Limits
	now    time.Time
	issues []Issue
	due    time.Time
}

// Judge lists what is wrong at in.Now, the most urgent first, without the types
// that are switched off.
func Judge(s *state.State, in Input) []Issue { return judge(s, in).issues }

// Look is Judge and Due in one.
func Look(s *state.State, in Input) ([]Issue, time.Time) {
	j := judge(s, in)
	return j.issues, j.due
}

// Due is when, with no further entry and nothing new observed, Judge would first
// list another issue or one at another level than at in.Now; zero = never. It may
// be earlier than that, never later.
func Due(s *state.State, in Input) time.Time { return judge(s, in).due }

func judge(s *state.State, in Input) *judgement {
	j := &judgement{s: s, o: in.Observed, model: in.Model, limits: in.Limits, now: in.Now}
	if j.model == nil {
		j.model = s.Model()
	}
	if j.model == nil {
		return j
	}
	if j.limits == nil {
		if j.limits = s.Limits(); j.limits == nil {
			j.limits = limits.Default()
		}
	}
	for _, session := range s.Sessions {
		j.session(session)
	}
	j.chain()
	j.overwritten()
	j.advice() // the last: it asks what is still wrong
	slices.SortStableFunc(j.issues, byUrgency)
	return j
}

// session runs the detectors of one session, unless it was silent for a day.
func (j *judgement) session(s *state.Session) {
	if !j.isRecent(s.Last) {
		return
	}
	v := &view{Session: s, clock: s.ClockAt(j.now)}
	v.mode, v.since = s.Mode(j.now, j.o)
	v.ending = endOf(v)
	switch {
	case s.Heard == 0: // what a rotation carried over; it may have gone on since
		j.failures(v)
		j.outputs(v)
		return
	case s.ID == "":
		j.nameless(v)
		return
	}
	for _, detect := range [...]func(*judgement, *view){
		(*judgement).loops, (*judgement).failureRuns, (*judgement).churn,
		(*judgement).stuckPhases, (*judgement).phaseOrder, (*judgement).testFirst,
		(*judgement).failures, (*judgement).regressions, (*judgement).failedAgents, (*judgement).unproved,
		(*judgement).silence, (*judgement).quietAgents, (*judgement).hangingAgents, (*judgement).blocked,
		(*judgement).milestones, (*judgement).velocity, (*judgement).outputs, (*judgement).undeclared,
		(*judgement).compactions, (*judgement).hardStops, (*judgement).lost, (*judgement).waits,
	} {
		detect(j, v)
	}
}

// maxNameless bounds the confidence of issues from entries that name no session.
const maxNameless = 0.8

// nameless judges entries that name no session. They may be of several sessions, so
// only detectors run that do not depend on who did what.
func (j *judgement) nameless(v *view) {
	from := len(j.issues)
	j.phaseOrder(v)
	j.failedAgents(v)
	j.milestones(v)
	j.regressions(v)
	for i := from; i < len(j.issues); i++ {
		j.issues[i].Confidence = min(j.issues[i].Confidence, maxNameless)
	}
	j.failures(v)
	j.outputs(v)
}

// add adds an issue, unless its type is switched off. A type that has not earned more
// stays below the queue.
func (j *judgement) add(i Issue) {
	if i.Confidence <= 0 || slices.Contains(j.limits.Off, string(i.Type)) {
		return
	}
	i.Confidence = round(min(i.Confidence, ceiling(i.Type)))
	i.Evidence = evidence(i.Evidence)
	j.issues = append(j.issues, i)
}

// evidence is the non-zero marks, oldest first, each once. Where there are too many, it
// leaves out the middle ones.
func evidence(marks []state.Mark) []state.Mark {
	marks = slices.DeleteFunc(marks, func(m state.Mark) bool { return !m.Is() })
	slices.SortFunc(marks, compareOrd)
	marks = slices.CompactFunc(marks, func(a, b state.Mark) bool { return a.Ord == b.Ord })
	if len(marks) > maxEvidence {
		marks = slices.Delete(marks, maxEvidence/2, len(marks)-maxEvidence/2)
	}
	return marks
}

func byUrgency(a, b Issue) int {
	return cmp.Or(
		cmp.Compare(rank(a.Type), rank(b.Type)),
		cmp.Compare(b.Confidence, a.Confidence),
		cmp.Compare(a.Since.Ord, b.Since.Ord),
		cmp.Compare(a.Signature, b.Signature),
	)
}

// rank orders priorities, the most urgent first.
func rank(t Type) int {
	switch t.Priority() {
	case "critical":
		return 0
	case "high":
		return 1
	case "medium":
		return 2
	}
	return 3
}

// isRecent reports whether the mark is less than memory old.
func (j *judgement) isRecent(m state.Mark) bool { return j.within(m, memory) }

// within reports whether the mark is less than d old.
func (j *judgement) within(m state.Mark, d time.Duration) bool {
	j.at(m.Time().Add(d))
	return j.now.Sub(m.Time()) < d
}

// elapsed is the time since the mark; 0 if the clock was set in between. If it was set
// back before the mark, time counts only from where the clock had been.
func (j *judgement) elapsed(v *view, m state.Mark) time.Duration {
	from := m.At
	for _, before := range []state.Mark{v.First, v.Turn.Start, v.Turn.Ended, v.runStart()} {
		if before.Ord < m.Ord && before.At-m.At < memory.Milliseconds() {
			from = max(from, before.At)
		}
	}
	j.at(time.UnixMilli(from).Add(memory))
	d := j.now.Sub(time.UnixMilli(from))
	if d < 0 || d >= memory {
		return 0
	}
	return d
}

// at notes that a verdict may change at t.
func (j *judgement) at(t time.Time) {
	if t.After(j.now) && (j.due.IsZero() || t.Before(j.due)) {
		j.due = t
	}
}

// counted is the confidence that n repetitions give where least are needed: 0.85
// with just those, then half of what is missing to 1 with each further one.
func counted(n, least int) float64 {
	if n < least {
		return 0
	}
	return 1 - 0.15*math.Pow(0.5, float64(n-least))
}

// ramp is a confidence that grows with time: from at the limit, and half of what
// is missing to top with each further half of a limit.
type ramp struct{ from, top float64 }

const halfLife = 0.5 // of the limit

// after is the confidence when so much time has passed of what the limit allows.
func (r ramp) after(passed, limit time.Duration) float64 {
	if limit <= 0 || passed < limit {
		return 0
	}
	over := float64(passed-limit) / float64(limit)
	return r.top - (r.top-r.from)*math.Pow(0.5, over/halfLife)
}

// until is how much has to pass for a confidence above c; false if that never happens.
func (r ramp) until(c float64, limit time.Duration) (time.Duration, bool) {
	if c >= r.top {
		return 0, false
	}
	if c < r.from {
		return limit, true
	}
	over := math.Log2((r.top-r.from)/(r.top-c)) * halfLife
	return limit + time.Duration(over*float64(limit)) + time.Millisecond, true
}

// timed is the confidence of a type by a ramp times what is known (0–1), and notes
// when it will reach the next level. The time that passed grows as the clock does.
func (j *judgement) timed(t Type, r ramp, passed, limit time.Duration, known float64) float64 {
	r.from, r.top = r.from*known, r.top*known
	for _, level := range []float64{0, j.limits.SuggestAbove - digit/2, j.limits.QueueAbove + digit/2} {
		if level > ceiling(t) {
			continue
		}
		if need, ok := r.until(level, limit); ok && need > passed {
			j.at(j.now.Add(need - passed))
		}
	}
	return r.after(passed, limit)
}

func ceiling(t Type) float64 {
	if t.Kind().Earned {
		return 0.99
	}
	return MaxUnearned
}

// digit is the last digit that a confidence keeps, so that equal states print alike.
const digit = 0.001

func round(c float64) float64 { return math.Round(c*1000) / 1000 }
