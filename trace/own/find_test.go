package own

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/journal"
	"aburn/internal/lab/tracetest"
	"aburn/internal/project"
	"aburn/trace"
)

// Without paths the logs of the projects are found that this user marked, that are known from elsewhere, and that one is in.
func TestFind(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"XDG_STATE_HOME": filepath.Join(home, "state")}
	t.Setenv("XDG_STATE_HOME", env["XDG_STATE_HOME"])
	for _, name := range []string{"marked", "known", "here", "other", "empty"} {
		dir := filepath.Join(home, name)
		if name == "empty" {
			if err := os.MkdirAll(filepath.Join(dir, project.OssDir), 0o700); err != nil {
				t.Fatal(err)
			}
		} else {
			appendTo(t, dir, 0, recorded(t, "codex-permissions"))
		}
	}
	for _, name := range []string{"marked", "empty"} {
		if err := project.Mark(filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	env["PWD"] = filepath.Join(home, "here", "sub")
	in := trace.Places{Home: home, Getenv: func(k string) string { return env[k] },
		Projects: []string{filepath.Join(home, "known"), filepath.Join(home, "marked"), "/nonexistent"}}
	find := func(in trace.Places) string {
		var names []string
		err := New().Find(t.Context(), in, func(s trace.Store) error {
			if s.Reader != Name || s.Size == 0 || s.ModTime.IsZero() || filepath.Base(s.Path) != journal.Name {
				t.Errorf("%+v", s)
			}
			names = append(names, filepath.Base(filepath.Dir(filepath.Dir(s.Path))))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, " ")
	}
	if got := find(in); got != "marked known here" {
		t.Errorf("found %q", got)
	}
	in.Paths = []string{home}
	if got := find(in); got != "here known marked other" {
		t.Errorf("below the home found %q", got)
	}
	in.Paths = []string{filepath.Join(home, "other", project.OssDir, journal.Name), filepath.Join(home, "other")}
	if got := find(in); got != "other" {
		t.Errorf("named found %q", got)
	}
}

// rawOf is the entry of one ref.
func rawOf(ctx context.Context, path string, ref trace.Ref) (entry []byte, err error) {
	all := Records(ctx, path, []trace.Ref{ref}, func(_ int, data []byte, bad error) { entry, err = data, bad })
	return entry, errors.Join(all, err)
}

// What a ref names can be had from the log again, also after rotations.
func TestRaw(t *testing.T) {
	dir := written(t, 10, "claude-agents")
	s := tracetest.Read(t, New(), dir)
	for _, tr := range s.Ordered() {
		for _, e := range tr.Events {
			raw, err := rawOf(t.Context(), tr.Sources[0].Path, e.Ref)
			var entry struct{ ID, TS string }
			if err == nil {
				err = json.Unmarshal(raw, &entry)
			}
			if err != nil || entry.ID != e.Record || entry.TS != e.Time.Format("2006-01-02T15:04:05.000Z") {
				t.Fatalf("%s event %d: %s, %v", tr.ID, e.Seq, raw, err)
			}
		}
	}
	if _, err := rawOf(t.Context(), s.Stores[0].Path, trace.Ref{Table: table, Key: "99999"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New().Read(ended, s.Stores[0], s); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
