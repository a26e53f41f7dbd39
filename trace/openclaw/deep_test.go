package openclaw_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace/openclaw"
)

// A record that is nested so deep that who follows it runs out of stack, which ends a process, is damage; what stands
// behind it is read.
func TestDeep(t *testing.T) {
	const deep = 10_000_000
	path := filepath.Join(t.TempDir(), "sessions", "a.jsonl")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	header := `{"type":"session","version":4,"id":"a","timestamp":"2026-11-21T08:03:54.473Z","cwd":"/p"}` + "\n"
	prompt := `{"type":"message","id":"b","timestamp":"2026-11-21T08:03:55.473Z","message":{"role":"user","content":`
	text := header + prompt + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}}\n" + prompt + `"hi"}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sink := tracetest.Read(t, openclaw.New(), path)
	if s := sink.Traces["a"]; s == nil || s.Count().Prompts != 1 || len(s.Damaged) != 1 || s.Damaged[0].Ref.Line != 2 {
		t.Errorf("%+v", s)
	}
}
