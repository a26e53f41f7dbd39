package supervisor

import (
	"cmp"
	"math"
	"slices"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// velocity finds gaps between milestones that grow, in time of work and by the clock
// alike: neither a pause of the user nor a long call counts as slow. They grow one after
// the other, or as a trend over all that are remembered.
func (j *judgement) velocity(v *view) {
	r := v.Own.Active()
	if r == nil || v.End.Is() || v.mode == state.Gone {
		return
	}
	work, clock := gaps(r.Milestones)
	n := len(work) - lastPause(work, clock)
	least := j.limits.DecliningVelocityGaps
	how := "grew as a trend"
	if n < max(leastTrend, least) || !risesOverAll(work[len(work)-n:]) || !risesOverAll(clock[len(clock)-n:]) {
		n = min(n, growing(work), growing(clock))
		how = "grew one after the other"
		if n < least || !grewEnough(work[len(work)-n:], j.limits.DecliningVelocityFactor*math.Pow(0.5, float64(n-least))) {
			return
		}
	}
	marks := make([]state.Mark, 0, n+1)
	for _, m := range r.Milestones[len(r.Milestones)-n-1:] {
		marks = append(marks, m.Mark)
	}
	first, last := work[len(work)-n], work[len(work)-1]
	j.add(Issue{
		Type: limits.Declining, Session: v.ID, Confidence: min(0.88, 0.72+0.06*float64(n-least)),
		Signature: signature(limits.Declining, v.ID, r.Cmd, cmp.Or(r.Start, r.Milestones[0].Mark).Anchor()),
		Evidence:  marks, Since: marks[len(marks)-1],
		Says: "the last " + count(n, "gap") + " between milestones of " + quoted(r.Cmd) + " " + how + ", from " + lasting(first) + " to " + lasting(last) +
			" of work",
		Healthy: "milestones come at a pace that goes up and down",
		Suggest: "Say what makes each step longer than the one before (the scope, the test run, something that was built wrong early), and cut the next step smaller.",
	})
}

// noticeable is the least last gap that is worth a word.
const noticeable = 3 * time.Minute

func grewEnough(work []time.Duration, factor float64) bool {
	first, last := work[0], work[len(work)-1]
	return last >= noticeable && first > 0 && float64(last) >= max(2, factor)*float64(first)
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

// lastPause is how many gaps there are up to the newest of which less than 60 % was work.
func lastPause(work, clock []time.Duration) int {
	for i := len(work) - 1; i >= 0; i-- {
		if float64(work[i]) < 0.6*float64(clock[i]) || work[i] <= 0 || clock[i] <= 0 {
			return i + 1
		}
	}
	return 0
}

// What a trend needs. With these, of runs of ten gaps drawn at random (lognormal, sigma 0.3, 0.5 and 0.8)
// 0.4, 2.0 and 2.6 % have one at some moment; of gaps that grow by a fifth each with a noise of 20 %,
// 93 % (TestTrends).
const (
	leastTrend = 5    // gaps
	equal      = 1.15 // below this factor two gaps are equally long
	concordant = 0.8  // of the pairs that are not equally long, less those the other way round
	ordered    = 0.6  // of all pairs
	rise       = 2.5  // from the first to the last, by the line through all
	oneStep    = 0.6  // of that rise at most, in one step
	halfRises  = 1.05 // a gap, in each half
)

// risesOverAll reports whether the gaps have one direction over all of them, pairs of equal ones and
// single ones out of line allowed: by rank (Kendall) and by the median slope of their logarithms
// (Theil and Sen), in each half. One step up has it in no half, a hump in one, a swing has none.
func risesOverAll(gaps []time.Duration) bool {
	n := len(gaps)
	up, down := 0, 0
	for i := range gaps {
		for _, later := range gaps[i+1:] {
			switch factor := float64(later) / float64(gaps[i]); {
			case factor >= equal:
				up++
			case factor <= 1/equal:
				down++
			}
		}
	}
	pairs, half := float64(n*(n-1)/2), (n+1)/2
	if up == 0 || float64(up-down) < concordant*float64(up+down) || float64(up) < ordered*pairs || lengths(gaps) < max(3, half) {
		return false
	}
	if slope(gaps[:half]) < math.Log(halfRises) || slope(gaps[n-half:]) < math.Log(halfRises) {
		return false
	}
	total := slope(gaps) * float64(n-1)
	third := n / 3
	return total >= math.Log(rise) && biggestStep(gaps) <= oneStep*total &&
		median(gaps[n-third:]) >= 2*median(gaps[:third]) && max(gaps[n-2], gaps[n-1]) >= noticeable
}

// lengths is how many different lengths there are.
func lengths(gaps []time.Duration) int {
	n, least := 0, 0.0
	for _, gap := range slices.Sorted(slices.Values(gaps)) {
		if float64(gap) >= least {
			n, least = n+1, equal*float64(gap)
		}
	}
	return n
}

// slope is the median of the slopes between all pairs, in logarithms a gap.
func slope(gaps []time.Duration) float64 {
	var slopes []float64
	for i := range gaps {
		for k := i + 1; k < len(gaps); k++ {
			slopes = append(slopes, math.Log(float64(gaps[k])/float64(gaps[i]))/float64(k-i))
		}
	}
	return median(slopes)
}

// biggestStep is the greatest rise from one gap to the next, as a logarithm.
func biggestStep(gaps []time.Duration) (step float64) {
	for i := range gaps[1:] {
		step = max(step, math.Log(float64(gaps[i+1])/float64(gaps[i])))
	}
	return step
}

func median[T time.Duration | float64](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
