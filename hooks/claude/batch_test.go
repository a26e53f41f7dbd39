package claude

import "testing"

// TestDenied: a question of guard's that nobody could answer comes back as the rule's own sentence; a long output that ends alike ran.
func TestDenied(t *testing.T) {
	long := make([]byte, maxRefusal)
	for i := range long {
		long[i] = 'x'
	}
	for text, want := range map[string]bool{
		"Is it fine? (Rule asks of aburn guard.)":           true,
		string(long) + " (Rule asks of aburn guard.)":       false,
		"PreToolUse:Bash hook error: no":                    true,
		"the guide tells of aburn guard.) and more of that": false,
	} {
		if got := denied(text); got != want {
			t.Errorf("%.60s: denied %v, want %v", text, got, want)
		}
	}
}
