package supervisor

import (
	"slices"
	"strconv"
	"strings"
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

// repetition is a call, or two or three in turns, that was repeated until the newest call, and answered the same each time.
type repetition struct {
	cycle    []*state.Did // one to three
	times    int          // of the whole cycle
	between  bool         // other calls that change nothing stood between
	unknown  bool         // what one of the calls answered is not known
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
	longest := repeated(recent)
	for n := 2; n <= 3; n++ {
		if turns := inTurns(recent, n); turns.times*n > longest.times*len(longest.cycle) {
			longest = turns
		}
	}
	return longest, longest.times > 1
}

// repeated counts the newest call's repetitions. Calls that only look may stand
// between the repetitions of a call that acts, as long as they see the same.
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
	var seen []*state.Did // the looks between
	other := false
	for i := newest; i >= 0; i-- {
		switch c := &recent[i]; {
		case same(c, d):
			if watches(c) || answersOtherwise(c, d) {
				return r
			}
			r.take(c)
			r.between, other = r.between || other, false
		case skips && onlyLooks(c):
			if slices.ContainsFunc(seen, func(o *state.Did) bool { return same(c, o) && answersOtherwise(c, o) }) {
				return r
			}
			seen, other = append(seen, c), true
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

// answersOtherwise reports whether two calls with the same input came to something else, so that the later one was
// progress. Where an answer is not known, only success and failure differ.
func answersOtherwise(d *state.Did, o *state.Did) bool {
	if d.Known && o.Known {
		return d.Result != o.Result
	}
	return d.Failed != o.Failed && !d.Denied && !o.Denied && !d.Unsure && !o.Unsure
}

// watches reports whether a call looks after work in the background. That explains it for good, however long ago the work ended.
func watches(d *state.Did) bool { return d.Beside && (onlyLooks(d) || asksService(d) || onlyWaits(d)) }

// inTurns counts how often the n newest calls followed each other, with no other
// between.
func inTurns(recent []state.Did, n int) repetition {
	last := len(recent) - n
	if last < n || sameAt(recent, len(recent)-1, last) {
		return repetition{}
	}
	r := repetition{}
	for i := range n {
		d := &recent[last+i]
		if d.Key == 0 {
			return repetition{}
		}
		r.cycle = append(r.cycle, d)
	}
	for i := len(recent) - 1; i >= 0; i-- {
		d := r.cycle[n-1-(len(recent)-1-i)%n]
		if c := &recent[i]; !same(c, d) || answersOtherwise(c, d) || watches(c) {
			break
		}
		r.take(&recent[i])
	}
	r.times /= n
	return r
}

// take counts a call; calls are taken from the newest on.
func (r *repetition) take(d *state.Did) {
	r.times++
	r.marks = append(r.marks, d.Mark)
	r.unknown = r.unknown || !d.Known
	if d.Failed {
		r.failures++
	}
	if d.Failed || d.Denied || d.Unsure {
		r.refused++
	}
}

const (
	pace       = 30 * time.Second // between looks at files beside long thoughts
	pollsNeed  = 14               // looks at something outside that answered the same and never failed
	stateNeeds = 20               // calls of a tool with a state of its own
	maxUnknown = 0.8              // the confidence of a loop where what a call answered is not known
)

// needs is how many repetitions make a loop, and a factor for the confidence. The
// factor is 0 where the calls poll something outside: that is how one waits.
func (j *judgement) needs(v *view, r *repetition) (need int, known float64) {
	need, known = j.limits.LoopRepeats, 1
	if len(r.cycle) > 1 && need > 2 {
		need-- // as many calls again as one alone, and more
	}
	if r.between {
		need++
	}
	if r.cycle[0].Key == 0 {
		need, known = need+1, 0.93
	}
	need = max(need, v.Wanted+1)
	asks := !slices.ContainsFunc(r.cycle, func(d *state.Did) bool { return !onlyLooks(d) && !asksService(d) && !onlyWaits(d) })
	switch {
	case slices.ContainsFunc(r.cycle, onlyWaits) && !slices.ContainsFunc(r.cycle, j.works):
		return need, 0
	case slices.ContainsFunc(r.cycle, onlyWaits):
		return need * 2, 0.85
	case slices.ContainsFunc(r.cycle, advancesEachTime), r.refused == 0 && slices.ContainsFunc(r.cycle, hasState):
		if len(r.cycle) > 2 {
			return need, 0 // no more rounds are remembered than steps of a rebase may take
		}
		return max(need, stateNeeds/len(r.cycle)), 0.93
	case r.refused == 0 && r.mostlyApart(pace) && !slices.ContainsFunc(r.cycle, func(d *state.Did) bool { return !onlyLooks(d) }):
		return max(need, pollsNeed), 0.93 // it thinks between, and looks again at what it has forgotten
	case asks && slices.ContainsFunc(r.cycle, asksService) && (r.refused == 0 || r.mostlyApart(pace)): // "still pending" may be a failure
		return max(need, pollsNeed), 0.93
	}
	return need, known
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

// works reports whether a call failed in a way that an edit of the code can fix.
func (j *judgement) works(d *state.Did) bool {
	return d.Failed && !asksService(d) && (j.model.IsTestCommand(d.Input) || checksCode(d))
}

func (j *judgement) loop(v *view, agent string, r repetition) {
	need, known := j.needs(v, &r)
	c := counted(r.times, need) * known
	if c == 0 {
		return
	}
	if r.unknown {
		c = min(c, maxUnknown)
	}
	first := r.marks[len(r.marks)-1]
	j.add(Issue{
		Type: limits.Loop, Session: v.ID, Agent: agent, Confidence: c,
		Signature: signature(limits.Loop, v.ID, append(r.keys(), agent, progressed(v.Session, first))...),
		Evidence:  r.marks, Since: first,
		Says:    r.says() + "; aburn saw no change in between",
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
	var calls []string
	for _, d := range r.cycle {
		calls = append(calls, called(d.Tool, d.Input))
	}
	says, each := "the call "+calls[0]+" was made "+count(r.times, "time")+" with the same input", r.times
	if n := len(calls); n > 1 {
		says = "the calls " + strings.Join(calls[:n-1], ", ") + " and " + calls[n-1] +
			" were made in turns, " + count(r.times, "time") + " each, with the same inputs"
		each = n * r.times
	}
	if !r.unknown {
		says += " and the same result"
	}
	switch {
	case r.failures == each:
		says += ", and all of them failed"
	case r.failures > 0:
		says += ", and " + strconv.Itoa(r.failures) + " of " + strconv.Itoa(each) + " failed"
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
