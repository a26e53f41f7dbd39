package limits

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLimitsByName(t *testing.T) {
	l := Default()
	names := Names()
	// Every field is reached by one name, but for the four that are no parameter of a type.
	if fields := reflect.TypeOf(*l).NumField(); len(names) != fields-4 {
		t.Errorf("%d names for %d fields", len(names), fields)
	}
	for i, name := range names {
		typ, _, _ := strings.Cut(name, ".")
		if !slices.Contains(Types(), typ) || slices.Contains(names[:i], name) {
			t.Errorf("%s: no such type, or twice", name)
		}
		if About(name) == "" {
			t.Errorf("%s: nothing said about it", name)
		}
		before := l.Get(name)
		if err := l.Set(name, before); err != nil || !reflect.DeepEqual(l, Default()) || l.Get(name) != before {
			t.Errorf("%s: %q set again: %v, %q", name, before, err, l.Get(name))
		}
		changed := Default()
		if err := changed.Set(name, "7"); err != nil || reflect.DeepEqual(changed, l) {
			t.Errorf("%s = 7: %v", name, err)
		}
		for _, wrong := range []string{"", "x", "-1", "1e300", "NaN", "Inf", "-Inf", "1h1", "10 m", "9999999h"} {
			if err := changed.Set(name, wrong); err == nil || !strings.HasPrefix(err.Error(), "should be a ") || changed.Get(name) != want7(l.Get(name)) {
				t.Errorf("%s = %q: %v, now %s", name, wrong, err, changed.Get(name))
			}
		}
	}
	if err := l.Set("loop.times", "3"); !errors.Is(err, ErrNoLimit) || l.Get("loop.times") != "" {
		t.Error(err)
	}
}

func want7(like string) string {
	if strings.ContainsAny(like, "smh") {
		return "7s"
	}
	return "7"
}

func TestLimitsValues(t *testing.T) {
	for _, c := range []struct{ name, value, get, err string }{
		{"phase_stuck.timeout", "90s", "1m30s", ""},
		{"phase_stuck.timeout", "600", "10m", ""},
		{"phase_stuck.timeout", "2h", "2h", ""},
		{"phase_stuck.timeout", "0", "0s", ""},
		{"phase_stuck.timeout", "25h", "", `should be a time like "10m", from 0s to 24h, or seconds`},
		{"loop.repeats", "3", "3", ""},
		{"loop.repeats", "2.5", "", "should be a whole number from 2 to 1000"},
		{"loop.repeats", "1", "", "should be a whole number from 2 to 1000"},
		{"declining_velocity.factor", "2.5", "2.5", ""},
		{"declining_velocity.factor", "0.5", "", "should be a number from 1 to 1000"},
	} {
		l := Default()
		err := l.Set(c.name, c.value)
		if c.err == "" && (err != nil || l.Get(c.name) != c.get) || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s = %s: %v, %s", c.name, c.value, err, l.Get(c.name))
		}
	}
}

// One limit for all phases goes before what each has of its own.
func TestPhaseTimeout(t *testing.T) {
	l := Default()
	if own := l.PhaseTimeout(time.Hour); own != time.Hour {
		t.Error(own)
	}
	l.PhaseStuckTimeout = time.Minute
	if all := l.PhaseTimeout(time.Hour); all != time.Minute {
		t.Error(all)
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", time.Second: "1s", time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h",
		61 * time.Minute: "1h1m", 10 * time.Minute: "10m", 20 * time.Hour: "20h"} {
		if got := shortDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
