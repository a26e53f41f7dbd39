package pi

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
)

var update = flag.Bool("update", false, "write the golden files")

func readAll(t testing.TB, path string) *tracetest.Sink {
	t.Helper()
	s := tracetest.Read(t, New(), path)
	for path, err := range s.Errors {
		t.Errorf("read %s: %v", path, err)
	}
	return s
}

// TestTruth reads what pi 1.6.0 wrote, and what was written by hand for what no run showed.
func TestTruth(t *testing.T) {
	s := readAll(t, "testdata/home")
	tracetest.Truth(t, s, "testdata/home.truth")
	tracetest.Golden(t, s.Ordered(), "testdata/golden/home.json", *update)
	built := readAll(t, "testdata/built")
	tracetest.Truth(t, built, "testdata/built.truth")
	tracetest.Golden(t, built.Ordered(), "testdata/golden/built.json", *update)
}

func TestHome(t *testing.T) {
	home, err := filepath.Abs("testdata/home")
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range []map[string]string{
		{}, {"PI_CODING_AGENT_DIR": filepath.Join(home, ".pi/agent")},
		{"PI_CODING_AGENT_SESSION_DIR": filepath.Join(home, ".pi/agent/sessions"), "PI_CODING_AGENT_DIR": "/nowhere"},
	} {
		n := 0
		err := New().Find(t.Context(), trace.Places{Home: home, Getenv: func(name string) string { return env[name] }}, func(trace.Store) error {
			n++
			return nil
		})
		if err != nil || n != 5 {
			t.Errorf("%v: %d stores, %v", env, n, err)
		}
	}
}

func TestUnknownLayout(t *testing.T) {
	for content, why := range map[string]string{
		`{"type":"session","version":4,"id":"a","timestamp":"2026-11-28T14:04:48.653Z","cwd":"/p"}` + "\n": "aburn knows layout 3",
		`{"type":"session","version":3,"cwd":"/p"}` + "\n":                                                 "no record has a type and an id",
	} {
		path := filepath.Join(t.TempDir(), "x_a.jsonl")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var unknown *trace.UnknownLayout
		if err := tracetest.Read(t, New(), path).Errors[path]; !errors.As(err, &unknown) || !strings.Contains(err.Error(), why) {
			t.Errorf("%v", err)
		}
	}
}

func FuzzSession(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/.pi/agent/sessions/*/*.jsonl")
	if err != nil || len(seeds) == 0 {
		f.Fatal(err, seeds)
	}
	tracetest.Fuzz(f, New(), func(dir string) string { return filepath.Join(dir, "t_a.jsonl") }, seeds...)
}
