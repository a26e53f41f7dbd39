package opencode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
)

const legacy = "testdata/legacy/opencode/storage"

func TestTruthFromJSONFiles(t *testing.T) {
	s := readAll(t, "testdata/legacy")
	tracetest.Truth(t, s, "testdata/legacy.truth")
	if r := s.Traces["ses_e00de46c0ffeKtZjhdI5N2Rwhh"].Relationships[0]; r.ParentCall != "toolu_main_6_0" || r.AgentType != "general" ||
		r.Description != "a helper" {
		t.Errorf("%+v", r)
	}
	tracetest.Golden(t, s.Ordered(), "testdata/golden/files.json", *update)
}

// legacyCopy is a copy of the JSON files, to be spoilt.
func legacyCopy(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "opencode", "storage")
	if err := os.CopyFS(root, os.DirFS(legacy)); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestFilesAreCut cuts each file of a session at 8 places: what is left is read, and what is damaged is told with its place.
func TestFilesAreCut(t *testing.T) {
	world.Slow(t)
	root := legacyCopy(t)
	const id = "ses_e00de46c0ffeKtZjhdI5N2Rwhh"
	session, _ := filepath.Glob(filepath.Join(root, "session", "*", id+".json"))
	paths := session
	for _, m := range jsonFiles(filepath.Join(root, "message", id)) {
		paths = append(paths, filepath.Join(root, "message", id, m+".json"))
		for _, p := range jsonFiles(filepath.Join(root, "part", m)) {
			paths = append(paths, filepath.Join(root, "part", m, p+".json"))
		}
	}
	for _, path := range paths {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			n := len(whole) * i / 8
			if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			s := readAll(t, session[0])
			tr := s.Traces[id]
			switch {
			case path == session[0]:
				if tr != nil || !s.Torn[path] {
					t.Errorf("%s cut at %d: a session, and torn is %t", path, n, s.Torn[path])
				}
			case tr == nil || len(tr.Damaged) != 1 || len(s.Damage) != 1:
				t.Errorf("%s cut at %d: %d damaged", path, n, len(s.Damage))
			case !strings.HasSuffix(path, filepath.Join(tr.Damaged[0].Ref.Table, filepath.FromSlash(tr.Damaged[0].Ref.Key))+".json"):
				t.Errorf("%s cut at %d: told as %+v", path, n, tr.Damaged[0])
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesBesideADatabaseAreNotReadTwice(t *testing.T) {
	root := legacyCopy(t)
	data, err := os.ReadFile(fixture(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(root), "opencode.db"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := readAll(t, filepath.Dir(root)); len(s.Traces) != 26 {
		t.Errorf("%d sessions", len(s.Traces))
	}
	if s := readAll(t, root); len(s.Traces) != 4 { // who names the folder gets what is in it
		t.Errorf("%d sessions", len(s.Traces))
	}
}

func TestFind(t *testing.T) {
	home := t.TempDir()
	data := filepath.Join(home, ".local", "share", "opencode")
	elsewhere := filepath.Join(home, "xdg", "opencode")
	for _, path := range []string{filepath.Join(data, "opencode.db"), filepath.Join(data, "opencode-dev.db"), filepath.Join(data, "own.db"),
		filepath.Join(data, "opencode.db.bak"), filepath.Join(elsewhere, "opencode.db")} {
		os.MkdirAll(filepath.Dir(path), 0o700)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(data, "opencode.db-wal"), []byte("log"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"the default":           {nil, "opencode-dev.db 1, opencode.db 4 +wal"},
		"XDG_DATA_HOME":         {map[string]string{"XDG_DATA_HOME": filepath.Join(home, "xdg")}, "opencode.db 1"},
		"a relative one":        {map[string]string{"XDG_DATA_HOME": "xdg"}, "opencode-dev.db 1, opencode.db 4 +wal"},
		"OPENCODE_DB":           {map[string]string{"OPENCODE_DB": "own.db"}, "own.db 1, opencode-dev.db 1, opencode.db 4 +wal"},
		"OPENCODE_DB, absolute": {map[string]string{"OPENCODE_DB": filepath.Join(data, "opencode.db")}, "opencode.db 4 +wal, opencode-dev.db 1"},
		"OPENCODE_DB in memory": {map[string]string{"OPENCODE_DB": ":memory:"}, "opencode-dev.db 1, opencode.db 4 +wal"},
	} {
		var found []string
		in := trace.Places{Home: home, Getenv: func(key string) string { return c.env[key] }}
		err := New().Find(t.Context(), in, func(s trace.Store) error {
			line := filepath.Base(s.Path) + " " + string(rune('0'+s.Size))
			for _, p := range s.Parts {
				line += " +" + strings.TrimPrefix(filepath.Base(p), filepath.Base(s.Path)+"-")
			}
			found = append(found, line)
			return nil
		})
		if got := strings.Join(found, ", "); err != nil || got != c.want {
			t.Errorf("%s: found %s, %v; want %s", name, got, err, c.want)
		}
	}
}
