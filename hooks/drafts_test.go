package hooks

import (
	"strings"
	"testing"
)

// Equal inputs have one key, others another, however long and however late they
// differ; what a model says beside a shell command makes no difference.
func TestInputKey(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	same := [][]string{
		{`{"command":"make"}`, `{"command":"make","description":"Build it"}`, `{"description":"again","command":"make"}`},
		{`{"command":"make","timeout":5}`, `{"command":"make","description":"d","timeout":5}`},
		{`{"file_path":"a","old_string":"x","new_string":"y"}`},
		{`{"file_path":"a","old_string":"x","new_string":"z"}`},
		{`{"content":"` + long + `a"}`},
		{`{"content":"` + long + `b"}`},
		{`{"title":"t","description":"one"}`}, // of a tool that runs no command it is the input
		{`{"title":"t","description":"two"}`},
		{`{"content":"\"description\"","command":"x"}`},
		{`{}`}, {`[1,2]`}, {`null`}, {`"text"`},
	}
	seen := map[string]int{}
	for i, inputs := range same {
		for _, in := range inputs {
			key := InputKey(JSON(in))
			if j, ok := seen[key]; ok && j != i {
				t.Errorf("%.40s has the key of %.40s", in, same[j][0])
			} else if !ok && in != inputs[0] {
				t.Errorf("%.40s has another key than %.40s", in, inputs[0])
			}
			if seen[key] = i; len(key) != 8 || strings.Trim(key, "0123456789abcdef") != "" {
				t.Errorf("%.40s: %q", in, key)
			}
		}
	}
	if key := InputKey(""); key != "" {
		t.Errorf("no input: %q", key)
	}
}
