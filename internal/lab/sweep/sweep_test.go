package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aburn/internal/lab/drawn"
	"aburn/supervisor/limits"
)

func TestParseSweep(t *testing.T) {
	for text, want := range map[string]string{
		"loop.repeats=2..5":                  "2 3 4 5",
		"loop.repeats=2..20/4":               "2 8 14 20",
		"phase_stuck.timeout=2m..20m":        "2m 4m 6m 8m 10m 12m 14m 16m 18m 20m",
		"silence.after=60..120/3":            "1m 1m30s 2m",
		"declining_velocity.factor=2..3/2":   "2 3",
		"declining_velocity.factor=1.5..3/4": "1.5 2 2.5 3",
	} {
		s, err := ParseSweep(text)
		if err != nil || strings.Join(s.Values, " ") != want {
			t.Errorf("%s: %q, %v", text, s.Values, err)
		}
	}
	s, err := ParseSweep("phase_stuck.timeout=2m..20m/2")
	if err != nil || s.Type != limits.PhaseStuck {
		t.Fatalf("%+v, %v", s, err)
	}
	l := limits.Default()
	other, err := s.With(l, s.Values[1])
	if err != nil || other.PhaseStuckTimeout != 20*time.Minute || l.PhaseStuckTimeout == 20*time.Minute {
		t.Errorf("%v, %v", other.PhaseStuckTimeout, err)
	}
}

func TestSweepMistakes(t *testing.T) {
	for _, text := range []string{
		"loop.repeats", "loop.repeats=3", "loop.repeats=5..2", "loop.repeats=2..x", "loop.repeats=0..5", "loop.repeats=2..9/1", "loop.repeats=2..9/x",
		"silence.after=1h..1m", "loop.repeats=2.5..9",
	} {
		if s, err := ParseSweep(text); err == nil {
			t.Errorf("%s: %q", text, s.Values)
		}
	}
	var unknown *ErrNoLimit
	if _, err := ParseSweep("lop.repeats=2..9"); !errors.As(err, &unknown) || unknown.Name != "lop.repeats" {
		t.Errorf("%v", err)
	}
}

// Each value has a row, and the value of the settings comes first.
func TestRun(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	log, _ := drawn.Log("@one PROMPT { Bash'make lint'!2(3s) }*6 STOP")
	file := filepath.Join(t.TempDir(), "bad.log")
	labels := filepath.Join(filepath.Dir(file), "labels.jsonl")
	if err := errors.Join(os.WriteFile(file, log, 0o600),
		os.WriteFile(labels, []byte(`{"label":"expect","type":"loop","session":"one"}`+"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run([]string{"-labels", labels, "loop.repeats=2..20/2", file}, &out); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(out.String()) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"loop.repeats alerts queued median delay true false missed", "4 now 1 1 12s 1 0 0", "2 1 1 4s 1 0 0", "20 0 0 – 0 0 1"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := run([]string{"loop.repeats=2..20"}, &out); err == nil {
		t.Error("no log is enough")
	}
}
