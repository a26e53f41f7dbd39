package claude_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/claude"
)

var update = flag.Bool("update", false, "write the golden files")

// runs is the folders below testdata/runs: each what the real client left of one scripted run, with its own prompt texts
// replaced by filler.
func runs(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/runs/*.truth")
	if err != nil || len(all) == 0 {
		t.Fatal("no runs", err)
	}
	for i, path := range all {
		all[i] = strings.TrimSuffix(path, ".truth")
		if _, err := os.Stat(all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// later forgets of an event what only later records tell in Claude Code's transcripts: that a sub-agent works in the
// background, and that records are copies, which the next copied response tells.
func later(e *trace.Event) {
	e.Copied = ""
	if s, ok := e.Body.(*trace.SubagentSpawn); ok {
		s.Background = false
	}
}

func TestRuns(t *testing.T) {
	for _, dir := range runs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s := tracetest.Read(t, claude.New(), dir)
			for path, err := range s.Errors {
				t.Errorf("%s: %v", path, err)
			}
			tracetest.Truth(t, s, dir+".truth")
			tracetest.Golden(t, s.Ordered(), filepath.Join("testdata/golden", filepath.Base(dir)+".json"), *update)
		})
	}
}

// Linking changes nothing of what is counted where the source itself tells what is a copy.
func TestRunsLinked(t *testing.T) {
	for _, dir := range runs(t) {
		s := tracetest.Read(t, claude.New(), dir)
		trace.Link(s.Ordered())
		if again := trace.Link(s.Ordered()); len(again) > 0 {
			t.Errorf("%s: linked again, %d traces change", dir, len(again))
		}
		tracetest.Truth(t, s, dir+".truth")
		for _, tr := range s.Traces {
			if err := tr.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCuts(t *testing.T) {
	world.Slow(t)
	for _, dir := range runs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			tracetest.Cuts(t, claude.New(), dir, later)
		})
	}
}
