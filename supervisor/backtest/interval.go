package backtest

import "math"

// Share is a rate with its denominator: Hits of Of.
type Share struct{ Hits, Of int }

// Rate is Hits / Of; NaN of nothing.
func (s Share) Rate() float64 { return float64(s.Hits) / float64(s.Of) }

// Interval is Wilson's 95 % interval; of nothing it is 0 to 1.
func (s Share) Interval() (low, high float64) {
	if s.Of == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	n, p := float64(s.Of), s.Rate()
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(middle-half, 0), min(middle+half, 1)
	if s.Hits == 0 {
		low = 0
	}
	if s.Hits == s.Of {
		high = 1
	}
	return low, high
}

// PerHours is a number of alarms in a time.
type PerHours struct {
	Count int
	Hours float64
}

// Per is the rate in so many hours; NaN in no time.
func (p PerHours) Per(hours float64) float64 { return float64(p.Count) / p.Hours * hours }

// Interval is the exact 95 % interval of a Poisson rate (Garwood), in so many hours.
func (p PerHours) Interval(hours float64) (low, high float64) {
	if p.Hours <= 0 {
		return 0, math.Inf(1)
	}
	if p.Count > 0 {
		low = poissonMean(p.Count-1, 0.975)
	}
	return low / p.Hours * hours, poissonMean(p.Count, 0.025) / p.Hours * hours
}

// poissonMean is the mean at which at most k events have this probability.
func poissonMean(k int, probability float64) float64 {
	low, high := 0.0, 2*float64(k)+20
	for range 80 {
		if middle := (low + high) / 2; poissonAtMost(k, middle) > probability {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// poissonAtMost is the probability of at most k events.
func poissonAtMost(k int, mean float64) float64 {
	sum, logTerm := 0.0, -mean
	for i := 0; i <= k; i++ {
		if i > 0 {
			logTerm += math.Log(mean) - math.Log(float64(i))
		}
		sum += math.Exp(logTerm)
	}
	return sum
}
