package insight

import "testing"

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 sessions", 1: "1 session", 412: "412 sessions"} {
		if got := Plural(n, "session"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Times(0), "0 times"}, {Times(1), "once"}, {Times(7), "7 times"},
		{Units(1, 0), "1 session"}, {Units(0, 0), "0 sessions"}, {Units(412, 88), "412 sessions and 88 sub-agents"}, {Units(0, 1), "0 sessions and 1 sub-agent"},
		{SessionCode("claude", "5b0c/a`1"), "`claude/5b0c/a'1`"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestShapeWords(t *testing.T) {
	title := func(agent string) string { return "<" + agent + ">" }
	for shape, want := range map[string]string{
		"claude errored build+tool_misuse mid loops": "<claude> · failed · build, tool misuse errors · 20 to 60 % of calls failed · files edited over and over",
		"agent of mine gave_up none":                 "<agent of mine> · stopped in mid-call · no call failed",
		"x crashed test high":                        "<x> · crashed · test errors · 60 % of calls or more failed",
		"x":                                          "<x>",
		"":                                           "<>",
	} {
		if got := ShapeWords(shape, title); got != want {
			t.Errorf("%q: %q, want %q", shape, got, want)
		}
	}
}
