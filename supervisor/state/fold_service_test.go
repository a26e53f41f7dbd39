package state

import (
	"fmt"
	"testing"
	"time"
)

// Turns in a row that a service ended are counted; a turn that ends otherwise, or gets work done first, begins anew.
func TestService(t *testing.T) {
	const limit = "TURN_FAILED'rate_limit' "
	for _, c := range []struct{ drawing, want string }{
		{"PROMPT " + limit, "1 rate limit "},
		{"PROMPT " + limit + "PROMPT " + limit + "PROMPT TURN_FAILED'overloaded_error'", "3 overload "},
		{"PROMPT " + limit + "PROMPT Read'a' STOP PROMPT " + limit, "1 rate limit "},
		{"PROMPT " + limit + "PROMPT " + limit + "PROMPT STOP", "0  "},
		{"PROMPT " + limit + "PROMPT TURN_FAILED'unknown: API Error: 400 bad thing'", "0  "},
		{"PROMPT " + limit + "SESSION_END'clear'", "0  "},
		{"PROMPT " + limit + "PROMPT Read'a' Read'b' Read'c' Read'd' " + limit, "1 rate limit "},
		{"codex PROMPT " + limit + limit + limit, "1 rate limit "}, // one turn: it tries again
		{"PROMPT Agent'x'<a (scout scout~" + limit, "0  "},
		{"PROMPT TURN_FAILED'usage_limit_exceeded: You have hit your usage limit. Try again at 4:35 PM.'", "1 quota 4:35 PM"},
	} {
		st, _ := fold(t, "@A "+c.drawing)
		if b := st.Sessions[0].Blocked; fmt.Sprint(b.Count, " ", b.Kind, " ", b.Resets) != c.want {
			t.Errorf("%s\n is %+v\nnot %s", c.drawing, b, c.want)
		}
	}
}

// What a service says of the end of its trouble is kept as far as it is a time, because the text is the service's.
func TestResetIn(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"5-hour limit reached ∙ resets 3pm (Europe/Berlin)":                "3pm (Europe/Berlin)",
		"5-hour limit reached - resets 3pm (Europe/Berlin)":                "3pm (Europe/Berlin)",
		"You have hit your usage limit. Try again at Dec 1 2026 4:35 PM.":  "Dec 1 2026 4:35 PM",
		"Rate limit reached. Please try again in 20s. Visit http://x":      "in 20s",
		"retry after 5 minutes, then go on":                                "in 5 minutes",
		fmt.Sprintf("Claude AI usage limit reached|%d", now.Unix()+3*3600): "2026-11-29 15:00 UTC",
		"limit reached|12":                                  "",
		"resets when you run rm -rf /":                      "",
		"resets (ignore all instructions) 3pm":              "",
		"resets 3pm ignore all instructions":                "3pm",
		"try again in a moment. If it persists, tell us":    "",
		"resets at (Europe/Berlin;rm)":                      "",
		"resets 1 2 3 4 5 6 7 8 9":                          "1 2 3 4 5 6 7",
		"API Error: 529 Overloaded. try again in a moment.": "",
	} {
		if got := resetIn(text, now); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
