package term

import (
	"testing"
)

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
