package claude_test

import (
	"path/filepath"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace/claude"
)

func FuzzRead(f *testing.F) {
	var seeds []string
	for _, run := range []string{"basic", "subagents", "interactive.main", "killed-resumed", "continue-resume-fork", "edits-thinking", "stream-input", "err-429"} {
		all, err := filepath.Glob("testdata/runs/" + run + "/*/*.jsonl")
		if err != nil || len(all) == 0 {
			f.Fatal(run, err)
		}
		seeds = append(seeds, all...)
	}
	place := func(dir string) string { return filepath.Join(dir, "-p", one+".jsonl") }
	tracetest.Fuzz(f, claude.New(), place, seeds...)
}

func FuzzReadAgent(f *testing.F) {
	all, err := filepath.Glob("testdata/runs/subagents/*/*/subagents/*.jsonl")
	if err != nil || len(all) == 0 {
		f.Fatal(err)
	}
	place := func(dir string) string { return filepath.Join(dir, "-p", one, "subagents/agent-x.jsonl") }
	tracetest.Fuzz(f, claude.New(), place, all...)
}
