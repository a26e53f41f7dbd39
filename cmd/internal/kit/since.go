package kit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Moment reads what people give to --since and --until: an age (90s, 15m, 24h,
// 7d, 2w) or a time (2026-11-21, 2026-11-21T10:03, RFC 3339). Without a zone
// it is local time.
func Moment(s string, now time.Time) (time.Time, error) {
	if d, ok := AgeOf(s); ok {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is neither an age (15m, 24h, 7d) nor a time (2026-11-21, 2026-11-21T10:03)", Quote(s))
}

func AgeOf(s string) (time.Duration, bool) {
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

// ShellWord is a text as one word of a shell, a path or a name that others gave.
func ShellWord(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._/-+", r))
	}) < 0 && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
