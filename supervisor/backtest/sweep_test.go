package backtest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"aburn/supervisor/limits"
)

func TestParseSweep(t *testing.T) {
	for text, want := range map[string]string{
		"loop.repeats=2..5":                  "2 3 4 5",
		"loop.repeats=2..20/4":               "2 8 14 20",
		"phase_stuck.timeout=2m..20m":        "2m 4m 6m 8m 10m 12m 14m 16m 18m 20m",
		"silence.after=60..120/3":            "1m 1m30s 2m",
		"declining_velocity.factor=2..3/2":   "2 3",
		"declining_velocity.factor=1.5..3/4": "1.5 2 2.5 3",
	} {
		s, err := ParseSweep(text)
		if err != nil || strings.Join(s.Values, " ") != want {
			t.Errorf("%s: %q, %v", text, s.Values, err)
		}
	}
	s, err := ParseSweep("phase_stuck.timeout=2m..20m/2")
	if err != nil || s.Type != limits.PhaseStuck {
		t.Fatalf("%+v, %v", s, err)
	}
	l := limits.Default()
	other, err := s.With(l, s.Values[1])
	if err != nil || other.PhaseStuckTimeout != 20*time.Minute || l.PhaseStuckTimeout == 20*time.Minute {
		t.Errorf("%v, %v", other.PhaseStuckTimeout, err)
	}
}

func TestSweepMistakes(t *testing.T) {
	for _, text := range []string{
		"loop.repeats", "loop.repeats=3", "loop.repeats=5..2", "loop.repeats=2..x", "loop.repeats=0..5", "loop.repeats=2..9/1", "loop.repeats=2..9/x",
		"silence.after=1h..1m", "loop.repeats=2.5..9",
	} {
		if s, err := ParseSweep(text); err == nil {
			t.Errorf("%s: %q", text, s.Values)
		}
	}
	var unknown *ErrNoLimit
	if _, err := ParseSweep("lop.repeats=2..9"); !errors.As(err, &unknown) || unknown.Name != "lop.repeats" {
		t.Errorf("%v", err)
	}
}
