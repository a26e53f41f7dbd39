package story

import (
	"testing"

	"aburn/trace"
)

// A slash command has one slash, and stands there once, whether its agent's record has the slash or not.
func TestCommandsInPrompts(t *testing.T) {
	for _, c := range []struct{ command, head, want string }{
		{"/chain", "/chain 7", "/chain 7"}, {"/model", "/model", "/model"}, {"chain", "/chain 7", "/chain 7"},
		{"plan", "a health endpoint", "/plan · a health endpoint"},
		{"/plan", "a health endpoint", "/plan · a health endpoint"}, {"plan", "", "/plan"}, {"plan", "/planets", "/plan · /planets"}, {"", "hello", "hello"},
	} {
		if got := promptWords(&trace.Event{}, &trace.UserMessage{Command: c.command, Head: c.head}).Detail; got != c.want {
			t.Errorf("%q %q: %q, want %q", c.command, c.head, got, c.want)
		}
	}
}
