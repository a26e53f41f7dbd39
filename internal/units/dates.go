package units

import (
	"strconv"
	"strings"
	"time"
)

// Date is a day as people write it: 9 Nov, with the year if that isn't now's.
func Date(t, now time.Time) string {
	if t.Year() == now.Year() {
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

// Dates is the days from one time until before another: 9–15 Nov, 30 Nov–6 Dec.
func Dates(from, until, now time.Time) string {
	last := until.Add(-time.Nanosecond)
	end := Date(last, now)
	switch {
	case from.YearDay() == last.YearDay() && from.Year() == last.Year():
		return end
	case from.Month() == last.Month() && from.Year() == last.Year():
		return strconv.Itoa(from.Day()) + "–" + end
	case from.Year() == last.Year():
		return from.Format("2 Jan") + "–" + end
	}
	return from.Format("2 Jan 2006") + "–" + last.Format("2 Jan 2006")
}

// DayStart is the midnight at which the day of t began.
func DayStart(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location())
}

// WeekStart is the Monday, at midnight, on which the week of t began.
func WeekStart(t time.Time) time.Time {
	return DayStart(t).AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// MonthStart is the first midnight of the month of t.
func MonthStart(t time.Time) time.Time {
	year, month, _ := t.Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, t.Location())
}

// parseWords reads the beginning of a period in words, or a number of days, weeks or months ago.
func parseWords(s string, now time.Time) (time.Time, bool) {
	words := strings.Fields(strings.ToLower(s))
	switch strings.Join(words, " ") {
	case "today":
		return DayStart(now), true
	case "yesterday":
		return DayStart(now).AddDate(0, 0, -1), true
	case "this week":
		return WeekStart(now), true
	case "last week":
		return WeekStart(now).AddDate(0, 0, -7), true
	case "this month":
		return MonthStart(now), true
	case "last month":
		return MonthStart(now).AddDate(0, -1, 0), true
	}
	if len(words) != 3 || words[2] != "ago" {
		return time.Time{}, false
	}
	n, err := strconv.ParseUint(words[0], 10, 16)
	if err != nil {
		return time.Time{}, false
	}
	switch strings.TrimSuffix(words[1], "s") {
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "day":
		return now.AddDate(0, 0, -int(n)), true
	case "week":
		return now.AddDate(0, 0, -7*int(n)), true
	case "month":
		return now.AddDate(0, -int(n), 0), true
	}
	return time.Time{}, false
}
