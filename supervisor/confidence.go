package supervisor

import (
	"math"
	"time"
)

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
	if k := t.kind(); k != nil && k.Earned {
		return 0.99
	}
	return MaxUnearned
}

// digit is the last digit that a confidence keeps, so that equal states print alike.
const digit = 0.001

func round(c float64) float64 { return math.Round(c*1000) / 1000 }
