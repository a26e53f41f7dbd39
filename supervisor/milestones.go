package supervisor

import (
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"math"
	"strconv"
	"time"
)

// milestones finds commands whose phases complete without one milestone, where the
// model expects some: a whole round of phases, or the command, is over. What the
// log did not see from its start may have had them, and of a session that is over
// nobody can make up for it.
func (j *judgement) milestones(v *view) {
	r := v.Own.Run
	if r == nil || v.End.Is() || v.mode == state.Gone || !r.Start.Is() || r.Reached > 0 || r.Failed || len(r.Phases) == 0 || r.Done < j.limits.MissingMilestonesPhases {
		return
	}
	if cmd, ok := j.model.Command(r.Cmd); !ok || cmd.Milestones == 0 {
		return
	}
	if !r.End.Is() && j.slices(v, r) == 0 {
		return
	}
	since := r.End
	if !since.Is() {
		since = r.Phases[len(r.Phases)-1].Start
	}
	c := 0.75 + 0.03*float64(min(4, r.Done-j.limits.MissingMilestonesPhases))
	j.add(Issue{
		Type: limits.MissingMilestone, Session: v.ID, Confidence: c,
		Signature: signature(limits.MissingMilestone, v.ID, r.Cmd, r.Start.Anchor()),
		Evidence:  phaseEnds(r), Since: since,
		Says:    quoted(r.Cmd) + " has completed " + count(r.Done, "phase") + " since " + r.Start.Entry() + " without one milestone",
		Healthy: "each slice of the work ends with a milestone that says what works now",
		Suggest: "Log what has been reached (aburn log " + logName(r.Cmd) + " MILESTONE --summary …), so that others can see how far it is.",
	})
}

// slices is how many slices of the work are over: rounds of phases in which all
// that the model requires were complete, and the next one has begun, or no phase is
// left and a turn has ended since. A milestone is due at the end of a slice.
func (j *judgement) slices(v *view, r *state.Run) int {
	n, before := 0, -1
	done := map[int]bool{}
	for _, p := range r.Phases {
		at := j.position(p.Name)
		if at < 0 {
			continue
		}
		if at < before {
			if j.whole(done) {
				n++
			}
			done = map[int]bool{}
		}
		done[at], before = p.End.Is() && !p.Failed, at
	}
	last := r.Phases[len(r.Phases)-1]
	if before == len(j.model.Phases)-1 && done[before] && j.whole(done) && v.Turn.Ended.Ord > last.End.Ord {
		n++
	}
	return n
}

// whole reports whether all phases that are required are done.
func (j *judgement) whole(done map[int]bool) bool {
	for i := range j.model.Phases {
		if !j.model.Phases[i].Optional && !done[i] {
			return false
		}
	}
	return true
}

// position is a phase's place in the model, -1 if it has none.
func (j *judgement) position(phase string) int {
	for i := range j.model.Phases {
		if j.model.Phases[i].Name == phase {
			return i
		}
	}
	return -1
}

func phaseEnds(r *state.Run) []state.Mark {
	marks := []state.Mark{r.Start, r.End}
	for _, p := range r.Phases {
		if !p.Failed {
			marks = append(marks, p.End)
		}
	}
	return marks
}

// velocity finds gaps between milestones that grow steadily, in the time of work
// and by the clock alike: a pause of the user's, or a long call, is no slowness.
func (j *judgement) velocity(v *view) {
	r := v.Own.Active()
	if r == nil || v.End.Is() || v.mode == state.Gone {
		return
	}
	work, clock := gaps(r.Milestones)
	n := min(growing(work), growing(clock))
	if n < j.limits.DecliningVelocityGaps {
		return
	}
	work, clock = work[len(work)-n:], clock[len(clock)-n:]
	last, first := work[n-1], work[0]
	factor := max(2, j.limits.DecliningVelocityFactor*math.Pow(0.5, float64(n-j.limits.DecliningVelocityGaps)))
	if paused(work, clock) || last < 3*time.Minute || first <= 0 || float64(last) < factor*float64(first) {
		return
	}
	marks := make([]state.Mark, 0, n+1)
	for _, m := range r.Milestones[len(r.Milestones)-n-1:] {
		marks = append(marks, m.Mark)
	}
	j.add(Issue{
		Type: limits.Declining, Session: v.ID, Confidence: min(0.88, 0.72+0.06*float64(n-j.limits.DecliningVelocityGaps)),
		Signature: signature(limits.Declining, v.ID, r.Cmd, marks[0].Anchor()),
		Evidence:  marks, Since: marks[len(marks)-1],
		Says:    "the last " + strconv.Itoa(n) + " gaps between milestones of " + quoted(r.Cmd) + " grew one after the other, from " + lasting(first) + " to " + lasting(last) + " of work",
		Healthy: "milestones come at a pace that goes up and down",
		Suggest: "Say what makes each step longer than the one before (the scope, the test run, something that was built wrong early), and cut the next step smaller.",
	})
}

func gaps(milestones []state.Moment) (work, clock []time.Duration) {
	for i := 1; i < len(milestones); i++ {
		work = append(work, spent(milestones[i-1].Clock, milestones[i].Clock))
		clock = append(clock, milestones[i].Time().Sub(milestones[i-1].Time()))
	}
	return work, clock
}

// growing is how many of the newest gaps are each clearly longer than the one
// before; the first of them counts.
func growing(gaps []time.Duration) int {
	if len(gaps) == 0 {
		return 0
	}
	n := 1
	for i := len(gaps) - 1; i > 0 && float64(gaps[i]) >= 1.25*float64(gaps[i-1]) && gaps[i-1] > 0; i-- {
		n++
	}
	return n
}

// paused reports whether much of a gap was no work.
func paused(work, clock []time.Duration) bool {
	for i := range work {
		if float64(work[i]) < 0.6*float64(clock[i]) {
			return true
		}
	}
	return false
}

// logName is a command's name as it may stand in a command line.
func logName(cmd string) string {
	for i := range len(cmd) {
		c := cmd[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return "CMD"
		}
	}
	return cmd
}
