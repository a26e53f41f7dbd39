package main

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// TestMoments says which moments are meant, from a known day.
func TestMoments(t *testing.T) {
	now := time.Date(2026, time.November, 28, 10, 0, 0, 0, time.UTC)
	want := map[string]string{
		"8d":       "2026-12-06T10:00:00Z",
		"40d":      "2027-01-07T10:00:00Z",
		"400d":     "2028-01-02T10:00:00Z",
		"february": "2028-02-29T14:58:00Z", // in Tokyo it is two minutes to midnight
		"spring":   "2027-03-28T00:58:00Z",
		"autumn":   "2027-11-07T05:58:00Z",
	}
	for _, m := range moments {
		if got := m.begin(now).UTC().Format(time.RFC3339); got != want[m.name] {
			t.Errorf("%s begins at %s, not at %s", m.name, got, want[m.name])
		}
	}
}

// TestShift runs a test with a shifted clock. Without the shift, that test fails.
func TestShift(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the clock is shifted on Linux only")
	}
	world.Slow(t)
	if err := run(context.Background(), "8d", []string{"./testdata/probe"}); errors.Is(err, errShifted) {
		t.Skip(err)
	} else if err != nil {
		t.Error(err)
	}
}
