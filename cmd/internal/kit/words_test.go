package kit

import (
	"os/exec"
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
	for _, bad := range []string{"", "tomorrow", "Today", "-1h", "7", "d", "-7d", "2026-13-01", "99999999999d"} {
		if got, err := ParseTime(bad, now); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"START", "COMPLETE", "FAILED", "TOOL", "PHASE_START"}
	for in, want := range map[string]string{
		"COMPLET": "COMPLETE", "complete": "COMPLETE", "FALIED": "FAILED", "STRAT": "START", "PHASE-START": "PHASE_START",
		"DEPLOYED": "", "X": "", "": "",
	} {
		if got := Nearest(in, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", in, got, want)
		}
	}
}

// A word that is shown in a command is one word to a shell, whatever is in it, and one that needs no quotes has none.
func TestShellWordIsOneWord(t *testing.T) {
	for word, want := range map[string]string{
		"claude/5b0c2f91-0000/a1": "claude/5b0c2f91-0000/a1", "a;rm -r x": `'a;rm -r x'`, "it's": `'it'\''s'`, "$(id)": `'$(id)'`, "": "''", "`id`": "'`id`'", "a\nb": "'a\nb'", "~": "'~'",
	} {
		got := ShellWord(word)
		if out, err := exec.Command("sh", "-c", "printf %s "+got).Output(); got != want || err != nil || string(out) != word {
			t.Errorf("%q is %s, to a shell %q (%v), want %s", word, got, out, err, want)
		}
	}
}

func TestListLead(t *testing.T) {
	for line, want := range map[string][2]string{
		"- text": {"- ", "text"}, "   - text": {"   - ", "text"}, "12. text more": {"12. ", "text more"}, "plain text": {"", "plain text"},
		"2026-11-21 was": {"", "2026-11-21 was"}, "1.5 of": {"", "1.5 of"}, ". x": {"", ". x"}, "": {"", ""}, "-": {"", "-"}, "   ": {"   ", ""},
	} {
		lead, body := listLead(line)
		if lead != want[0] || body != want[1] {
			t.Errorf("%q: %q and %q", line, lead, body)
		}
	}
}
