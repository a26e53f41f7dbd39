package backtest

import (
	"math"
	"testing"
)

// The reference values are from R: prop.test(…, correct=FALSE) and poisson.test.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		share     Share
		low, high float64
	}{
		{Share{0, 0}, 0, 1}, {Share{0, 10}, 0, 0.2775}, {Share{10, 10}, 0.7225, 1}, {Share{1, 10}, 0.0179, 0.4042},
		{Share{81, 263}, 0.2553, 0.3662}, {Share{95, 100}, 0.8882, 0.9785},
	} {
		low, high := c.share.Interval()
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.share.Hits, c.share.Of, low, high, c.low, c.high)
		}
	}
}

func TestPoisson(t *testing.T) {
	for _, c := range []struct {
		count     int
		low, high float64
	}{{0, 0, 3.6889}, {1, 0.0253, 5.5716}, {10, 4.7954, 18.3904}, {100, 81.3644, 121.6267}, {2000, 1913.3, 2089.6}} {
		low, high := PerHours{c.count, 50}.Interval(50)
		if math.Abs(low-c.low) > 5e-4*max(1, c.low) || math.Abs(high-c.high) > 5e-4*max(1, c.high) {
			t.Errorf("%d: %.4f to %.4f, want %.4f to %.4f", c.count, low, high, c.low, c.high)
		}
	}
	if low, high := (PerHours{}).Interval(100); low != 0 || !math.IsInf(high, 1) {
		t.Errorf("in no time: %v to %v", low, high)
	}
}
