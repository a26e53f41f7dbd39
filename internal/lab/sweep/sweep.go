package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/supervisor"
	"aburn/supervisor/limits"
)

// Sweep is a limit and the values to try.
type Sweep struct {
	Name   string          // TYPE.PARAM, one of limits.Names
	Type   supervisor.Type // whose limit it is
	Values []string        // as Limits.Set takes them
}

// DefaultValues is how many values a Sweep tries by default.
const DefaultValues = 10

// ErrNoLimit means that no limit has this name.
type ErrNoLimit struct{ Name string }

func (e *ErrNoLimit) Error() string { return strconv.Quote(e.Name) + " is no limit of the supervisor" }

// ParseSweep reads NAME=FROM..TO[/N]: N values including both ends, fewer if there are fewer whole numbers. The limit
// accepts each of them.
func ParseSweep(text string) (Sweep, error) {
	name, span, ok := strings.Cut(text, "=")
	from, to, ok2 := strings.Cut(span, "..")
	if !ok || !ok2 {
		return Sweep{}, fmt.Errorf("%s is not NAME=FROM..TO", strconv.Quote(text))
	}
	if !slices.Contains(limits.Names(), name) {
		return Sweep{}, &ErrNoLimit{name}
	}
	n := DefaultValues
	if before, count, has := strings.Cut(to, "/"); has {
		var err error
		if n, err = strconv.Atoi(count); err != nil || n < 2 || n > 1000 {
			return Sweep{}, fmt.Errorf("%s: the number of values should be from 2 to 1000", strconv.Quote(text))
		}
		to = before
	}
	l := limits.Default()
	for _, value := range []string{from, to} {
		if err := l.Set(name, value); err != nil {
			return Sweep{}, fmt.Errorf("%s: %s %w", name, strconv.Quote(value), err)
		}
	}
	values, ok := between(from, to, n)
	if !ok {
		return Sweep{}, fmt.Errorf("%s: %s and %s are not the ends of a range", name, strconv.Quote(from), strconv.Quote(to))
	}
	s := Sweep{Name: name}
	kind, _, _ := strings.Cut(name, ".")
	s.Type = supervisor.Type(kind)
	for _, value := range values {
		if l.Set(name, value) == nil && (len(s.Values) == 0 || s.Values[len(s.Values)-1] != l.Get(name)) {
			s.Values = append(s.Values, l.Get(name))
		}
	}
	return s, nil
}

// With returns a copy of the limits with one of the values.
func (s *Sweep) With(l *limits.Limits, value string) (*limits.Limits, error) {
	other := *l
	return &other, other.Set(s.Name, value)
}

// between makes n values in a range of whole numbers, numbers or durations.
func between(from, to string, n int) ([]string, bool) {
	if a, errA := strconv.Atoi(from); errA == nil {
		if b, errB := strconv.Atoi(to); errB == nil && a < b {
			return spread(float64(a), float64(b), min(n, b-a+1), func(v float64) string { return strconv.Itoa(int(math.Round(v))) }), true
		}
	}
	if a, errA := strconv.ParseFloat(from, 64); errA == nil {
		if b, errB := strconv.ParseFloat(to, 64); errB == nil && a < b {
			return spread(a, b, n, func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }), true
		}
	}
	a, errA := time.ParseDuration(from)
	b, errB := time.ParseDuration(to)
	if errA != nil || errB != nil || a >= b {
		return nil, false
	}
	return spread(float64(a), float64(b), n, func(v float64) string { return time.Duration(v).Round(time.Second).String() }), true
}

func spread(from, to float64, n int, text func(float64) string) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = text(from + (to-from)*float64(i)/float64(n-1))
	}
	return values
}
