package supervisor

import (
	"slices"
	"strconv"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// loops finds the same action again and again with no progress and no change
// between: one call, two in turns, or a milestone.
func (j *judgement) loops(v *view) {
	v.lines(func(agent string, l *state.Line) {
		if r, ok := v.repetition(l.Recent); ok {
			j.loop(v, agent, r)
		}
		if l.Same.Count > 1 && v.stillSame(l) {
			j.sameMilestone(v, agent, &l.Same)
		}
	})
}

// repetition is a call, or two in turns, that was repeated until the newest call.
type repetition struct {
	cycle    []*state.Did // one or two
	times    int          // of the whole cycle
	between  bool         // other calls that change nothing stood between
	marks    []state.Mark
	failures int
	refused  int // or failed, or ended nobody knows how
}

// repetition finds the longest repetition that ends with the newest call. Progress of
// the session after that call, whoever made it, means that there is none.
func (v *view) repetition(recent []state.Did) (repetition, bool) {
	if len(recent) == 0 || v.Progress.Ord > recent[len(recent)-1].Ord {
		return repetition{}, false
	}
	epoch := recent[len(recent)-1].Epoch
	first := len(recent)
	for first > 0 && recent[first-1].Epoch == epoch {
		first--
	}
	recent = recent[first:]
	one, two := repeated(recent), inTurns(recent)
	if two.times*2 > one.times {
		return two, true
	}
	return one, one.times > 1
}

// repeated counts the newest call's repetitions. Calls that only look may stand
// between the repetitions of a call that acts.
func repeated(recent []state.Did) repetition {
	newest := len(recent) - 1
	for newest >= 0 && onlyLooks(&recent[newest]) && !sameAt(recent, newest, newest-1) {
		newest-- // looking around after it does not end it
	}
	if newest < 0 || recent[newest].Key == 0 && recent[newest].Input == "" {
		return repetition{}
	}
	d := &recent[newest]
	r := repetition{cycle: []*state.Did{d}}
	skips := !onlyLooks(d)
	other := false
	for i := newest; i >= 0; i-- {
		switch c := &recent[i]; {
		case same(c, d):
			r.take(c)
			r.between, other = r.between || other, false
		case skips && onlyLooks(c):
			other = true
		default:
			return r
		}
	}
	return r
}

func sameAt(recent []state.Did, a, b int) bool {
	return a >= 0 && b >= 0 && same(&recent[a], &recent[b])
}

// same reports whether two calls had the same input, or the same visible part where
// the whole input is not known.
func same(d *state.Did, o *state.Did) bool {
	return d.Key == o.Key && (d.Key != 0 || d.Input != "" && d.Input == o.Input && d.Tool == o.Tool)
}

// inTurns counts how often the two newest calls followed each other, with no other
// between.
func inTurns(recent []state.Did) repetition {
	n := len(recent)
	if n < 4 || recent[n-1].Key == 0 || recent[n-2].Key == 0 || sameAt(recent, n-1, n-2) {
		return repetition{}
	}
	r := repetition{cycle: []*state.Did{&recent[n-2], &recent[n-1]}}
	for i := n - 1; i >= 0 && recent[i].Key == recent[n-1-(n-1-i)%2].Key; i-- {
		r.take(&recent[i])
	}
	r.times /= 2
	return r
}

// take counts a call; calls are taken from the newest on.
func (r *repetition) take(d *state.Did) {
	r.times++
	r.marks = append(r.marks, d.Mark)
	if d.Failed {
		r.failures++
	}
	if d.Failed || d.Denied || d.Unsure {
		r.refused++
	}
}

const (
	pace       = 30 * time.Second // between looks at something that takes its time
	unhurried  = 10 * time.Second // between looks beside work in the background
	pollsNeed  = 14               // times that one looks at such a pace
	stateNeeds = 20               // calls of a tool with a state of its own
)

// needs is how many repetitions make a loop, and a factor for the confidence. The
// factor is 0 where the calls poll something outside: that is how one waits.
func (j *judgement) needs(v *view, agent string, r *repetition) (need int, known float64) {
	need, known = j.limits.LoopRepeats, 1
	if len(r.cycle) == 2 && need > 2 {
		need-- // as many calls again as one alone, and more
	}
	if r.between {
		need++
	}
	if r.cycle[0].Key == 0 {
		need, known = need+1, 0.93
	}
	asks := !slices.ContainsFunc(r.cycle, func(d *state.Did) bool { return !onlyLooks(d) && !asksService(d) && !onlyWaits(d) })
	switch {
	case slices.ContainsFunc(r.cycle, onlyWaits) && !slices.ContainsFunc(r.cycle, j.works):
		return need, 0
	case slices.ContainsFunc(r.cycle, onlyWaits):
		return need * 2, 0.85
	case asks && (slices.ContainsFunc(r.cycle, mayFollow) || r.mostlyApart(unhurried)) &&
		(runsInBackground(v.Session, agent) || v.Turn.Machine && v.Turn.Start.Ord > r.marks[0].Ord):
		return need, 0 // it looks after work in the background, or was told that it is over
	case slices.ContainsFunc(r.cycle, advancesEachTime), r.refused == 0 && slices.ContainsFunc(r.cycle, hasState):
		return stateNeeds / len(r.cycle), 0.93
	case r.mostlyApart(pace) && r.refused == 0:
		return max(need, pollsNeed), 0.93
	case r.mostlyApart(pace) && asks:
		return max(need, pollsNeed), known
	}
	return need, known
}

// works reports whether a call failed in a way that an edit of the code can fix.
func (j *judgement) works(d *state.Did) bool {
	return d.Failed && !asksService(d) && (j.model.IsTestCommand(d.Input) || checksCode(d))
}

// mostlyApart reports whether most repetitions came at least that long after the one
// before.
func (r *repetition) mostlyApart(least time.Duration) bool {
	slow, all := 0, 0
	for i := len(r.cycle); i < len(r.marks); i += len(r.cycle) {
		all++
		if r.marks[i-len(r.cycle)].Time().Sub(r.marks[i].Time()) >= least {
			slow++
		}
	}
	return slow*2 > all
}

func (j *judgement) loop(v *view, agent string, r repetition) {
	need, known := j.needs(v, agent, &r)
	c := counted(r.times, need) * known
	if c == 0 {
		return
	}
	first := r.marks[len(r.marks)-1]
	j.add(Issue{
		Type: limits.Loop, Session: v.ID, Agent: agent, Confidence: c,
		Signature: signature(limits.Loop, v.ID, append(r.keys(), agent, progressed(v.Session, first))...),
		Evidence:  r.marks, Since: first,
		Says:    r.says() + ", and nothing changed in between",
		Healthy: "a repetition that changes something first: an edit, other arguments, another approach",
		Suggest: "Stop repeating it. Read what the last call answered, say what you expected instead, and change one thing before you try again; if you do not " +
			"know what to change, tell the user what you tried.",
	})
}

// keys are the calls of the cycle in a fixed order, whichever is the newest.
func (r *repetition) keys() []string {
	var keys []string
	for _, d := range r.cycle {
		if d.Key != 0 {
			keys = append(keys, strconv.FormatUint(uint64(d.Key), 16))
		} else {
			keys = append(keys, d.Tool+" "+d.Input)
		}
	}
	slices.Sort(keys)
	return keys
}

func (r *repetition) says() string {
	one := called(r.cycle[0].Tool, r.cycle[0].Input)
	says := "the call " + one + " was made " + strconv.Itoa(r.times) + " times with the same input"
	if len(r.cycle) == 2 {
		says = "the calls " + one + " and " + called(r.cycle[1].Tool, r.cycle[1].Input) + " were made in turns, " + strconv.Itoa(r.times) +
			" times each, with the same inputs"
	}
	if r.failures > 0 {
		says += ", " + strconv.Itoa(r.failures) + " of them failed"
	}
	return says
}

// progressed is the anchor of the newest progress before the mark. Until there is more,
// the same repetition is the same issue.
func progressed(s *state.Session, before state.Mark) string {
	if s.Progress.Is() && s.Progress.Ord <= before.Ord {
		return s.Progress.Anchor()
	}
	return ""
}

// runsInBackground reports whether something that the line of work started runs in the
// background.
func runsInBackground(s *state.Session, agent string) bool {
	return slices.ContainsFunc(s.Calls, func(c *state.Call) bool { return c.Background && c.Agent == agent }) ||
		slices.ContainsFunc(s.Agents, func(a *state.Agent) bool { return a.Background && a.In == agent && a.Name() != agent && a.Running() })
}

// stillSame reports whether nothing is new since the line's newest milestone. A prompt
// counts as new only once it has led to a call.
func (v *view) stillSame(l *state.Line) bool {
	n := len(l.Recent)
	waiting := v.Asked.Ord > l.Same.Last.Ord && (n == 0 || l.Recent[n-1].Ord < v.Asked.Ord)
	return l.Same.Epoch == v.Epoch || waiting && v.Progress.Ord <= l.Same.Last.Ord
}

func (j *judgement) sameMilestone(v *view, agent string, r *state.Repeat) {
	c := counted(r.Count, max(2, j.limits.LoopRepeats-1))
	if c == 0 {
		return
	}
	j.add(Issue{
		Type: limits.Loop, Session: v.ID, Agent: agent, Confidence: c,
		Signature: signature(limits.Loop, v.ID, "milestone", r.First.Anchor()),
		Evidence:  []state.Mark{r.First, r.Last}, Since: r.First,
		Says:    "the same milestone was logged " + strconv.Itoa(r.Count) + " times, and nothing was reached in between",
		Healthy: "each milestone says something new, after work that changed something",
		Suggest: "Log a milestone only when something new is done. If you are going round in circles, say so to the user.",
	})
}

// failureRuns finds many failing calls in a row with different inputs; the same
// one again and again is a loop.
func (j *judgement) failureRuns(v *view) {
	v.lines(func(agent string, l *state.Line) {
		f := &l.Fails
		marks, unknown := failing(l.Recent, f)
		n := min(len(f.Inputs)+unknown, state.MaxInputs)
		c := counted(n, j.limits.ToolFailureRunFailures)
		if c == 0 {
			return
		}
		j.add(Issue{
			Type: limits.ToolFailureRun, Session: v.ID, Agent: agent, Confidence: c,
			Signature: signature(limits.ToolFailureRun, v.ID, agent, f.First.Anchor()),
			Evidence:  append(marks, f.First, f.Last), Since: f.First,
			Says:    count(f.Count, "call") + " in a row failed, with " + atLeast(n, state.MaxInputs) + " different inputs",
			Healthy: "a failure is followed by something that works, and the next step builds on that",
			Suggest: "Stop and read the first of these errors again: later ones often follow from it. Check what they have in common (the folder, a missing " +
				"program, a permission, a wrong path) with one call that is sure to work.",
		})
	})
}

// failing are the marks of the streak's calls that are still remembered, and of how
// many of them the input is not known.
func failing(recent []state.Did, f *state.Streak) (marks []state.Mark, unknown int) {
	for i := range recent {
		d := &recent[i]
		if !d.Failed || state.AnswersNo(d) || d.Ord < f.First.Ord || d.Ord > f.Last.Ord {
			continue
		}
		marks = append(marks, d.Mark)
		if d.Key == 0 {
			unknown++
		}
	}
	return marks, unknown
}
