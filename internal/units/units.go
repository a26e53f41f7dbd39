// Package units writes numbers, times and amounts as a person reads them, and reads those that a person types.
package units

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"aburn/internal/fault"
	"aburn/internal/plain"
)

// DateLayout is the layout in which a table shows t. A narrow table shows only the hour of today, the day of this year, or
// the month.
func DateLayout(narrow bool, t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case !narrow:
		return "2006-01-02 15:04"
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return "15:04"
	case now.Sub(t).Abs() < 300*24*time.Hour:
		return "02 Jan"
	}
	return "2006-01"
}

// Tokens is an amount of tokens, and - for 0: a session without records of tokens did not cost nothing.
func Tokens(n int64) string {
	if n == 0 {
		return "-"
	}
	return Amount(n)
}

// Amount is a number in at most three digits: 812, 4.1k, 16M.
func Amount(n int64) string {
	v, unit := float64(n), ""
	for _, u := range []string{"k", "M", "G"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, u
	}
	if unit != "" && v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64) + unit
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + unit
}

// Milliseconds is a duration in words, "" if it is 0, which means unknown.
func Milliseconds(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return plain.Duration(time.Duration(ms) * time.Millisecond)
}

// Took is how long a call took, with ≤ if ms is only an upper bound of it.
func Took(ms int64, bound bool) string {
	text := Milliseconds(ms)
	if bound && text != "" {
		text = "≤" + text
	}
	return text
}

// PercentOf is n as a percentage of of, - if that is 0.
func PercentOf[T int | int64](n, of T) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

// Share is "3 of 10", - of none: a count never stands without its denominator.
func Share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return plain.Count(int64(n)) + " of " + plain.Count(int64(of))
}

// OptionalTime is nil for the zero time, for JSON members that are left out then.
func OptionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// ParseTime reads a value of --since or --until: an age (90s, 15m, 24h, 7d, 2w, "3 days ago"), the beginning of a period (today,
// yesterday, "this week", "last month") or a time (2026-11-21, 2026-11-21T10:03, RFC 3339). A time without a zone is local.
func ParseTime(s string, now time.Time) (time.Time, error) {
	if d, ok := ParseAge(s); ok {
		return now.Add(-d), nil
	}
	if t, ok := parseWords(s, now); ok {
		return t, nil
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is neither an age (15m, 24h, 7d) nor a time (today, yesterday, \"last week\", 2026-11-21, 2026-11-21T10:03)",
		fault.Quote(s))
}

// ParseAge reads a length of time: Go's forms, or whole days and weeks (7d, 2w).
func ParseAge(s string) (time.Duration, bool) {
	if n := len(s); n > 1 && (s[n-1] == 'd' || s[n-1] == 'w') {
		v, err := strconv.ParseUint(s[:n-1], 10, 16)
		unit := 24 * time.Hour
		if s[n-1] == 'w' {
			unit *= 7
		}
		return time.Duration(v) * unit, err == nil
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

// Join joins the texts that are not empty with " · ".
func Join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(p)
	}
	return b.String()
}

// ShortID is how many bytes of an id mostly tell it from all others.
const ShortID = 8
