package hooks

import (
	"slices"
	"strings"
	"testing"
)

// Of two hooks for one prompt, from a plugin and from settings, exactly one tells
// which sub-agents ended, whichever of their entries comes first.
func TestAgentsEndedOnce(t *testing.T) {
	entry := func(event, id, data string) []byte {
		return []byte(`{"ts":"2026-11-21T10:00:00.000Z","cmd":"session","event":"` + event + `","session":"s1","id":"` + id + `","data":{` + data + `}}`)
	}
	log := [][]byte{
		entry("PROMPT", "p0", `"head":"go"`),
		entry("AGENT_COMPLETE", "a", `"agent_id":"a1","agent_type":"coder"`),
		entry("PROMPT", "p1", `"head":"go on"`),
		entry("PROMPT", "p2", `"head":"go on"`),
		entry("AGENT_COMPLETE", "b", `"agent_id":"a2","agent_type":"later"`),
	}
	slices.Reverse(log) // newest first
	lines := func(yield func([]byte) bool) {
		for _, line := range log {
			if !yield(line) {
				return
			}
		}
	}
	if got := agentsEnded(lines, "s1", "p1"); !strings.Contains(got, `: "coder".`) {
		t.Errorf("the first: %q", got)
	}
	if got := agentsEnded(lines, "s1", "p2"); got != "" {
		t.Errorf("the second: %q", got)
	}
}
