package kit

import (
	"aburn/internal/plain"
	"fmt"
	"strconv"
	"time"
)

// DateLayout is how a time is shown: in a narrow table as the hour of today, else the day, or month, that tells it apart from now.
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

// Tokens is an amount of tokens; - where nobody's records tell of any: a session without one is none that cost nothing.
func Tokens(n int64) string {
	if n == 0 {
		return "-"
	}
	return Amount(n)
}

// Amount is a number in three digits: 812, 4.1k, 16M.
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

// Milliseconds is a duration for people, nothing where none is known.
func Milliseconds(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return plain.Duration(time.Duration(ms) * time.Millisecond)
}

// PercentOf is n of so many, - of none.
func PercentOf[T int | int64](n, of T) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

// Share is never shown without its denominator.
func Share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return plain.Count(int64(n)) + " of " + plain.Count(int64(of))
}

func OptionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
