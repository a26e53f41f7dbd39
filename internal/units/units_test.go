package units

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.FixedZone("here", 3600))
	for _, c := range []struct{ in, want string }{
		{"24h", "2026-11-20T10:00:00+01:00"},
		{"90s", "2026-11-21T09:58:30+01:00"},
		{"1h30m", "2026-11-21T08:30:00+01:00"},
		{"7d", "2026-11-14T10:00:00+01:00"},
		{"2w", "2026-11-07T10:00:00+01:00"},
		{"today", "2026-11-21T00:00:00+01:00"},
		{"yesterday", "2026-11-20T00:00:00+01:00"},
		{"2026-11-01", "2026-11-01T00:00:00+01:00"},
		{"2026-11-01T07:30", "2026-11-01T07:30:00+01:00"},
		{"2026-11-01 07:30:10", "2026-11-01T07:30:10+01:00"},
		{"2026-11-01T07:30:00Z", "2026-11-01T07:30:00Z"},
		{"2026-11-01T07:30:00.5+02:00", "2026-11-01T07:30:00+02:00"},
	} {
		got, err := ParseTime(c.in, now)
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: %v, %v, want %s", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "tomorrow", "-1h", "7", "d", "-7d", "2026-13-01", "99999999999d"} {
		if got, err := ParseTime(bad, now); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}
