package codex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLimits: the newest statement about each window counts. Windows are told apart by their length, not by their place, and
// what is no statement counts for nothing.
func TestLimits(t *testing.T) {
	window := func(used string, minutes int, rest string) string {
		return fmt.Sprintf(`{"used_percent":%s,"window_minutes":%d%s}`, used, minutes, rest)
	}
	at := time.Date(2026, 11, 21, 16, 10, 0, 0, time.UTC)
	resets := fmt.Sprintf(`,"resets_at":%d`, at.Unix())
	limits := func(primary, secondary string) string {
		return `,"info":null,"rate_limits":{"limit_id":"codex","limit_name":null,"primary":` + primary + `,"secondary":` + secondary + `,"credits":null}`
	}
	hours, week := window("12.5", 300, resets), window("84", 10080, "")
	for name, c := range map[string]struct {
		counts []string
		want   string
	}{
		"none":                {[]string{`,"info":null,"rate_limits":null`, limits("null", "null")}, ""},
		"two":                 {[]string{limits(hours, week)}, "300:12.5→16:10@1 10080:84@1"},
		"the other way round": {[]string{limits(week, hours)}, "10080:84@1 300:12.5→16:10@1"},
		"the newest":          {[]string{limits(window("99", 300, resets), "null"), limits(window("1", 300, ""), "null"), limits("null", "null")}, "300:1@2"},
		"seconds":             {[]string{limits(window("5", 300, `,"resets_in_seconds":600`), "null")}, "300:5→08:10@1"},
		"no statements": {[]string{limits(window(`"x"`, 300, ""), window("-1", 300, "")), limits(window("1", 0, ""), `{"used_percent":5}`),
			limits(`7`, `[]`), limits(window("1e9", 300, ""), `{"window_minutes":300}`)}, ""},
		"a reset that is no time": {[]string{limits(window("5", 300, `,"resets_at":99999999999999`), window("6", 10080, `,"resets_in_seconds":-1`))},
			"300:5@1 10080:6@1"},
	} {
		for _, billed := range []bool{true, false} {
			w, first := paginated(""), 1
			if billed {
				w.rec("token_usage_record", `"thread_id":"`+thread+`","response_id":"r","usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}`)
				first++
			}
			for _, count := range c.counts {
				w.event("token_count", count)
			}
			var got []string
			for _, l := range w.read(t).Limits {
				text := fmt.Sprintf("%d:%v", l.WindowMinutes, l.UsedPercent)
				if !l.Resets.IsZero() {
					text += "→" + l.Resets.Format("15:04")
				}
				got = append(got, fmt.Sprintf("%s@%d", text, l.Time.Second()-first+1))
				if l.ID != "codex" {
					t.Errorf("%s: of %q", name, l.ID)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s, billed by records %v: %q, want %q", name, billed, got, c.want)
			}
		}
	}
}
