package supervisor

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// trends is the share of the runs of ten gaps that have a trend at some moment.
func trends(runs int, gap func(r *rand.Rand, i int) float64) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range runs {
		var gaps []time.Duration
		for i := range 10 {
			gaps = append(gaps, time.Duration(gap(r, i)*float64(time.Second)))
		}
		for n := leastTrend; n <= len(gaps); n++ {
			if risesOverAll(gaps[:n]) {
				found++
				break
			}
		}
	}
	return float64(found) / float64(runs)
}

// A pace that only varies has no trend, nor has one step up; one that grows has it, whatever the noise.
func TestTrends(t *testing.T) {
	noise := func(r *rand.Rand, sigma float64) float64 { return math.Exp(sigma * r.NormFloat64()) }
	for name, c := range map[string]struct {
		gap         func(r *rand.Rand, i int) float64
		least, most float64
	}{
		"varies a little":        {func(r *rand.Rand, _ int) float64 { return 200 * noise(r, 0.3) }, 0, 0.01},
		"varies":                 {func(r *rand.Rand, _ int) float64 { return 200 * noise(r, 0.5) }, 0, 0.03},
		"varies much":            {func(r *rand.Rand, _ int) float64 { return 200 * noise(r, 0.8) }, 0, 0.035},
		"one step":               {func(r *rand.Rand, i int) float64 { return []float64{100, 280}[i/5] * noise(r, 0.1) }, 0, 0.03},
		"in turns":               {func(r *rand.Rand, i int) float64 { return []float64{80, 250}[i%2] * noise(r, 0.1) }, 0, 0},
		"grows":                  {func(r *rand.Rand, i int) float64 { return 60 * math.Pow(1.2, float64(i)) * noise(r, 0.1) }, 0.99, 1},
		"grows, with noise":      {func(r *rand.Rand, i int) float64 { return 60 * math.Pow(1.2, float64(i)) * noise(r, 0.2) }, 0.9, 1},
		"grows in pairs":         {func(r *rand.Rand, i int) float64 { return 50 * math.Pow(1.6, float64((i+1)/2)) * noise(r, 0.1) }, 0.97, 1},
		"grows until a hard one": {func(_ *rand.Rand, i int) float64 { return []float64{60, 75, 95, 500, 95, 75, 60, 60, 60, 60}[i] }, 0, 0},
	} {
		if got := trends(2000, c.gap); got < c.least || got > c.most {
			t.Errorf("%s: %.4f of the runs have a trend, not %.3f to %.3f", name, got, c.least, c.most)
		} else {
			t.Logf("%s: %.4f", name, got)
		}
	}
}
