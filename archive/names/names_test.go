package names

import (
	"testing"

	"aburn/archive"
)

// A short name is as short as it can be, and names one session: as its beginning, or its end where ids begin with the time.
func TestShortNames(t *testing.T) {
	for _, c := range []struct {
		name string
		ids  []string
		want []string
	}{
		{"as they are", []string{"abc", "12345678"}, []string{"abc", "12345678"}},
		{"the beginning", []string{"5b0c2f91-0000-4000-8000-000000000001"}, []string{"5b0c2f91"}},
		{"more of it where two begin alike", []string{"5b0c2f91-0000-4000-8000-000000000001", "5b0c2f91-0100-4000-8000-000000000002"},
			[]string{"5b0c2f91-00", "5b0c2f91-01"}},
		{"the end of what begins with the time", []string{"019ddd00-0000-7000-8000-00000000c0de", "019ddd00-0000-7000-8000-00000000cafe",
			"ses_5e2f9c0aaffeXbcdEfghijklmn"},
			[]string{"0000c0de", "0000cafe", "ghijklmn"}},
		{"a sub-agent's own part", []string{"5b0c2f91-0000-4000-8000-000000000001", "5b0c2f91-0000-4000-8000-000000000001/a1b2c3d4e5f6"},
			[]string{"5b0c2f91", "a1b2c3d4"}},
		{"the same own part twice", []string{"s1/agent", "s2/agent"}, []string{"claude/s1/agent", "claude/s2/agent"}},
		{"one that ends as another begins", []string{"abcdefgh-long", "other-abcdefgh"}, []string{"abcdefgh-", "other-ab"}},
		{"nothing for the terminal", []string{"a\x1bb"}, []string{"a\ufffdb"}},
	} {
		var all []archive.Session
		for i, id := range c.ids {
			all = append(all, archive.Session{Key: int64(i + 1), Source: "claude", ID: id})
		}
		names := New(all)
		for i, id := range c.ids {
			if got := names.Of("claude", id); got != c.want[i] {
				t.Errorf("%s: %s is called %s, want %s", c.name, id, got, c.want[i])
			}
		}
	}
}
