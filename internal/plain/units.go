package plain

import (
	"strconv"
	"strings"
	"time"
)

// Duration words d for a person, with at most three significant figures: 340µs, 1.2ms, 12ms,
// 1.2s, 48s, 3m07s, 2h05m, 3d04h.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case d < time.Millisecond:
		return whole(d.Microseconds()) + "µs"
	case d < 9950*time.Microsecond && d%time.Millisecond != 0:
		return tenths(float64(d)/float64(time.Millisecond)) + "ms"
	case d < time.Second:
		return whole(d.Milliseconds()) + "ms"
	case d < 9950*time.Millisecond:
		return tenths(d.Seconds()) + "s"
	}
	s := int64((d + time.Second/2) / time.Second)
	switch {
	case s < 60:
		return whole(s) + "s"
	case s < 3600:
		return whole(s/60) + "m" + twoDigits(s%60) + "s"
	case s < 86400:
		return whole(s/3600) + "h" + twoDigits(s/60%60) + "m"
	}
	return whole(s/86400) + "d" + twoDigits(s/3600%24) + "h"
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func tenths(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func twoDigits(n int64) string { return whole(n/10) + whole(n%10) }

// Age says how long ago something was, in one unit, rounded down: "just now", "40 s ago", "3 min
// ago", "2 h ago", "5 days ago". A negative age, because clocks differ, is "in the future" rather
// than "just now".
func Age(d time.Duration) string {
	switch {
	case d < -time.Second:
		return "in the future"
	case d < 2*time.Second:
		return "just now"
	case d < time.Minute:
		return whole(int64(d.Seconds())) + " s ago"
	case d < time.Hour:
		return whole(int64(d.Minutes())) + " min ago"
	case d < 48*time.Hour:
		return whole(int64(d.Hours())) + " h ago"
	}
	return whole(int64(d.Hours()/24)) + " days ago"
}

// Size words n bytes in binary units: 812 B, 4.1 KiB, 16 MiB, 1.5 GiB.
func Size(n int64) string {
	if n < 0 {
		return "-" + Size(-n)
	}
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, unit := float64(n), 0
	for v >= 1023.95 && unit < 5 {
		v /= 1024
		unit++
	}
	digits := 1
	if v >= 99.95 {
		digits = 0
	}
	number := strings.TrimSuffix(strconv.FormatFloat(v, 'f', digits, 64), ".0")
	return number + " " + "BKMGTP"[unit:unit+1] + "iB"
}

// Count is n with commas between thousands.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural is n with its noun: "1 entry", "2,000 entries". The plural adds s unless another form is
// given.
func Plural(n int64, noun string, plural ...string) string {
	if n == 1 {
		return "1 " + noun
	}
	if len(plural) > 0 {
		return Count(n) + " " + plural[0]
	}
	return Count(n) + " " + noun + "s"
}
