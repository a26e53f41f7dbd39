package archiving

import (
	"bytes"
	"strings"
	"testing"

	"aburn/archive/ingest"
	"aburn/cmd/internal/kit"
	"aburn/internal/term"
)

// A watch says once that a store cannot be read, and nothing of what was left alone; a program gets a line for it.
func TestAWatchSaysWhatItCannotRead(t *testing.T) {
	for _, c := range []struct {
		name          string
		quiet, asJSON bool
		out, errs     string // of the first of three rounds
	}{
		{"people", false, false, "", "aburn: warning: codex: /x.jsonl: it is a folder\n"},
		{"people who want quiet", true, false, "", "aburn: warning: codex: /x.jsonl: it is a folder\n"},
		{"programs", false, true, `{"archive":"/a/archive.db"`, ""},
	} {
		var out, errs bytes.Buffer
		none := func(string) string { return "" }
		a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: none}
		run := &ingestRun{dir: "/a", quiet: c.quiet, json: c.asJSON, reportedSkips: map[string]bool{}, out: term.New(&out, none, true)}
		report := &ingest.Report{Sources: []ingest.Source{{Name: "codex", Skipped: []ingest.Skip{
			{Path: "/old.jsonl", Kind: ingest.NotSince, Reason: "it has not changed"}, {Path: "/x.jsonl", Kind: ingest.Unreadable, Reason: "it is a folder"},
		}}}}
		for range 3 {
			printRound(a, run, report)
		}
		if errs.String() != c.errs || !strings.HasPrefix(out.String(), c.out) || c.out == "" && out.Len() > 0 || strings.Count(out.String(), "\n") > 1 {
			t.Errorf("%s: printed %q, said %q", c.name, out.String(), errs.String())
		}
	}
}
