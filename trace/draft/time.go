package draft

import "time"

// Time parses a JSON string in RFC 3339 into UTC; the zero time if raw is none.
func Time(raw []byte) time.Time {
	if len(raw) < 2 || raw[0] != '"' {
		return time.Time{}
	}
	text := raw[1 : len(raw)-1]
	if t, ok := parseCommon(text); ok {
		return t
	}
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// TimeMS is Time, to the millisecond.
func TimeMS(raw []byte) time.Time { return Time(raw).Truncate(time.Millisecond) }

// layout is how nearly all clients write a time: 2006-01-02T15:04:05.000Z. A 0 stands for a digit.
const layout = "0000-00-00T00:00:00.000Z"

// parseCommon parses a text of that layout from 1970 on.
func parseCommon(text []byte) (time.Time, bool) {
	if len(text) != len(layout) {
		return time.Time{}, false
	}
	var n [len(layout)]int // the digits
	for i := range n {
		if n[i] = int(text[i]) - '0'; layout[i] != '0' && text[i] != layout[i] || layout[i] == '0' && uint(n[i]) > 9 {
			return time.Time{}, false
		}
	}
	year := 1000*n[0] + 100*n[1] + 10*n[2] + n[3]
	month, day := 10*n[5]+n[6], 10*n[8]+n[9]
	hour, minute, second := 10*n[11]+n[12], 10*n[14]+n[15], 10*n[17]+n[18]
	if year < 1970 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(month, year) || hour > 23 ||
		minute > 59 || second > 59 {
		return time.Time{}, false
	}
	ms := 100*n[20] + 10*n[21] + n[22]
	return time.Unix(days(year, month, day)*86400+int64(hour*3600+minute*60+second), int64(ms)*1e6).UTC(), true
}

// days counts the days from 1970-01-01 to a date. Years begin in March here, so that a leap day is their last.
func days(year, month, day int) int64 {
	if month -= 3; month < 0 {
		month += 12
		year--
	}
	return int64(365*year + year/4 - year/100 + year/400 + (153*month+2)/5 + day - 1 - 719468)
}

func daysIn(month, year int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	}
	return 30 + (month+month/8)%2
}

// lastSecond is the end of the year 9999, in seconds since 1970.
const lastSecond = 253402300799

// normalTime returns a time as traces keep it: UTC, in milliseconds; the zero time if no session can have it.
func normalTime(t time.Time) time.Time {
	if s := t.Unix(); s < 0 || s > lastSecond {
		return time.Time{}
	}
	if part := t.Nanosecond() % 1e6; part != 0 {
		t = t.Add(-time.Duration(part))
	}
	return t.Round(0).UTC() // Round drops the monotonic clock
}
