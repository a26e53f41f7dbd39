package codex_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/codex"
)

var update = flag.Bool("update", false, "write the golden files")

const rollouts = "testdata/rollouts"

// TestMain: heads have the home directory as ~, and goldens must not depend on it.
func TestMain(m *testing.M) {
	os.Setenv("HOME", "/nonexistent")
	os.Exit(m.Run())
}

// cases is the folders with the rollouts of one case each.
func cases(t testing.TB) []string {
	t.Helper()
	dirs, err := filepath.Glob(rollouts + "/*/*")
	if err != nil || len(dirs) < 20 {
		t.Fatalf("cases: %v, %v", dirs, err)
	}
	return dirs
}

func TestTruth(t *testing.T) {
	s := tracetest.Read(t, codex.New(), rollouts)
	for path, err := range s.Errors {
		t.Errorf("read %s: %v", path, err)
	}
	for _, d := range s.Damage {
		t.Errorf("damage: %+v", d)
	}
	tracetest.Truth(t, s, "testdata/rollouts.truth")
}

func TestGolden(t *testing.T) {
	for _, dir := range cases(t) {
		name := filepath.Base(filepath.Dir(dir)) + "-" + filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			abs, err := filepath.Abs(dir)
			if err != nil {
				t.Fatal(err)
			}
			s := tracetest.Read(t, codex.New(), abs)
			tracetest.Golden(t, slices.Collect(maps.Values(s.Traces)), "testdata/golden/"+name+".json", *update)
		})
	}
}

// everyNth: of the cases some are cut with -short and under the race detector, where cutting takes ten times as long.
func everyNth() int {
	if tracetest.Race || testing.Short() {
		return 6
	}
	return 1
}

// TestCuts: what a token_usage_record bills is written behind what it bills.
func TestCuts(t *testing.T) {
	for i, dir := range cases(t) {
		if i%everyNth() != 0 {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			tracetest.Cuts(t, codex.New(), dir, forgetResponse)
		})
	}
}

func forgetResponse(e *trace.Event) {
	switch b := e.Body.(type) {
	case *trace.AgentMessage:
		b.Response = ""
	case *trace.ToolCall:
		b.Response = ""
	}
}

func FuzzRead(f *testing.F) {
	var seeds []string
	for _, name := range []string{"0.169.0/tools-classic", "0.169.0/codemode-long", "0.169.0/subagents-v2", "0.169.0/review", "0.169.0/terminal",
		"0.169.0/subagents-v1", "0.130.0/tools-classic", "0.130.0/subagent-forked"} {
		files, err := filepath.Glob(filepath.Join(rollouts, name, "*.jsonl"))
		if err != nil || len(files) == 0 {
			f.Fatalf("seeds of %s: %v", name, err)
		}
		seeds = append(seeds, files...)
	}
	tracetest.Fuzz(f, codex.New(), func(dir string) string {
		return filepath.Join(dir, "sessions", "rollout-2026-11-21T08-13-37-01a1fd2b-05b3-7ca2-9381-8527f9b63cf2.jsonl")
	}, seeds...)
}

// write makes a file below dir.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
