package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	lab "aburn/internal/lab/world"
)

// ofPath is the hash of an input with a path, which may be one of this test's own home.
var ofPath = regexp.MustCompile(`("path":"[^"]*","input":)"[0-9a-f]{8}"`)

// Every session of the agents without own transcripts beside it that was recorded: all hook calls in their order
// through the real executable. The client's stores are not there, so nothing is inferred from them.
func TestCapturedSequences(t *testing.T) {
	lab.Slow(t)
	for agent, least := range map[string]int{"gemini": 8, "qwen": 7} {
		names, err := filepath.Glob("../../hooks/" + agent + "/testdata/sequences/*.jsonl")
		if err != nil || len(names) < least {
			t.Fatalf("%s: %d sequences, %v", agent, len(names), err)
		}
		for _, name := range names {
			id := strings.TrimSuffix(filepath.Base(name), ".jsonl")
			t.Run(agent+" "+id, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				calls, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				for call := range strings.Lines(string(calls)) {
					if out := w.send(agent, call); out != "" {
						t.Errorf("%s printed %s", gjson.Get(call, "hook_event_name").Str, out)
					}
				}
				golden(t, filepath.Join("testdata", agent, id+".golden"), ofPath.ReplaceAll(w.normalized(), []byte(`$1"…"`)))
			})
		}
	}
}
