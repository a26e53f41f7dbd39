package logfmt

import (
	"testing"
	"time"
)

func TestParseTimeAgreesWithThePackageTime(t *testing.T) {
	at := time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)
	for at.Year() < 2500 {
		s := at.Format(timeLayout)
		got, ok := parseTime([]byte(s))
		if !ok || !got.Equal(at.Truncate(time.Millisecond)) || got.Location() != time.UTC {
			t.Fatalf("parseTime(%s) = %s, %v", s, got, ok)
		}
		at = at.Add(31*time.Hour + 17*time.Minute + 13*time.Second + 7*time.Millisecond)
	}
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]string{
		"2026-11-21T10:03:00.123Z":         "2026-11-21T10:03:00.123Z",
		"2026-11-21T10:03:00Z":             "2026-11-21T10:03:00Z",
		"2026-11-21T10:03:00.123456789Z":   "2026-11-21T10:03:00.123456789Z",
		"2026-11-21T11:03:00+01:00":        "2026-11-21T10:03:00Z",
		"2024-02-29T00:00:00.000Z":         "2024-02-29T00:00:00Z",
		"0000-06-01T00:00:00.000Z":         "0000-06-01T00:00:00Z",
		"9999-12-31T23:59:59.999Z":         "9999-12-31T23:59:59.999Z",
		"2023-02-29T00:00:00.000Z":         "",
		"2026-13-01T00:00:00.000Z":         "",
		"2026-00-01T00:00:00.000Z":         "",
		"2026-01-00T00:00:00.000Z":         "",
		"2026-01-01T24:00:00.000Z":         "",
		"2026-01-01T00:60:00.000Z":         "",
		"2026-01-01T00:00:60.000Z":         "",
		"2026-01-01T00:00:00.00xZ":         "",
		"2026-01-01T00:00:0:.000Z":         "",
		"2026-01-0/T00:00:00.000Z":         "",
		"2026-01-01T00:00:00.000":          "",
		"2026-01-01 00:00:00.000Z":         "",
		"0001-01-01T00:00:00.000Z":         "",
		"0000-01-01T00:00:00+01:00":        "",
		"9999-12-31T23:59:59-01:00":        "",
		"yesterday":                        "",
		"":                                 "",
		"1763719380":                       "",
		"2026-11-21T10:03:00.1234567890Zx": "",
	} {
		got, ok := parseTime([]byte(in))
		s := ""
		if ok {
			s = got.Format(time.RFC3339Nano)
		}
		if s != want {
			t.Errorf("parseTime(%q) = %q, want %q", in, s, want)
		}
	}
}
