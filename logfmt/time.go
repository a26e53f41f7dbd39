package logfmt

import "time"

const timeLayout = "2006-01-02T15:04:05.000Z"

// parseTime reads a ts, fast in the form that aburn writes. Otherwise it accepts any RFC 3339
// time except Go's zero time, if its UTC year has four digits.
func parseTime(b []byte) (time.Time, bool) {
	if t, ok := parseOwnTime(b); ok {
		return t, true
	}
	if len(b) > 64 {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	return t.UTC(), err == nil && writableTime(t)
}

// writableTime reports whether the log's form can express t.
func writableTime(t time.Time) bool {
	y := t.UTC().Year()
	return !t.IsZero() && 0 <= y && y <= 9999
}

// parseOwnTime reads 2026-11-21T10:03:00.123Z and nothing else. Days after the 28th take the slow
// path, which knows the calendar.
func parseOwnTime(b []byte) (time.Time, bool) {
	if len(b) != len(timeLayout) || b[4] != '-' || b[7] != '-' || b[10] != 'T' ||
		b[13] != ':' || b[16] != ':' || b[19] != '.' || b[23] != 'Z' {
		return time.Time{}, false
	}
	century, year, month, day := two(b[0], b[1]), two(b[2], b[3]), two(b[5], b[6]), two(b[8], b[9])
	hour, minute, sec, ms := two(b[11], b[12]), two(b[14], b[15]), two(b[17], b[18]), 10*two(b[20], b[21])+two('0', b[22])
	if century < 1 || century > 99 || year > 99 || month < 1 || month > 12 || day < 1 || day > 28 ||
		hour > 23 || minute > 59 || sec > 59 || ms > 999 {
		return time.Time{}, false
	}
	days := daysSince1970(int64(century*100+year), int64(month), int64(day))
	return time.Unix(days*86400+int64(hour*3600+minute*60+sec), int64(ms)*1e6).UTC(), true
}

// two is the number of two digits, or more than 999 if either is no digit.
func two(a, b byte) uint {
	if a -= '0'; a > 9 {
		return 10000
	}
	if b -= '0'; b > 9 {
		return 10000
	}
	return uint(a)*10 + uint(b)
}

// daysSince1970 counts the days of the Gregorian calendar with years that begin
// in March, so that the leap day is the last of its year.
func daysSince1970(y, m, d int64) int64 {
	if m <= 2 {
		y, m = y-1, m+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 1 - 719468
}
