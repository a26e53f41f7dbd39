package workers

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

var update = flag.Bool("update", false, "write the golden file")

const fixtures = "testdata/workers"

func TestLedgers(t *testing.T) {
	s := tracetest.Read(t, New(), fixtures)
	if len(s.Errors) > 0 || len(s.Damage) != 1 {
		t.Error(s.Errors, s.Damage)
	}
	tracetest.Truth(t, s, "testdata/workers.truth")
	tracetest.Golden(t, s.Ordered(), "testdata/golden.json", *update)
}

// Only the kill that nobody took anything after is an abandonment, and it is the worker's last word.
func TestAbandoned(t *testing.T) {
	s := tracetest.Read(t, New(), fixtures)
	for id, want := range map[string]bool{"fix-cart": false, "drop": true, "torn": false, "told": false} {
		events := s.Traces[id+"@cart-1a2b3c4d"].Events
		m, ok := events[len(events)-1].Body.(*trace.Session)
		if got := ok && m.Marker == trace.Abandoned; got != want {
			t.Errorf("%s: abandoned is %v", id, got)
		}
	}
}

// A worker in the person's own checkout has no folder of its own, one of a project within a repository works in the
// project's folder.
func TestFolder(t *testing.T) {
	for _, c := range [][4]string{
		{"/trees/w", "/repo", "/repo", "/trees/w"}, {"/trees/w", "/repo", "/repo/web/shop", "/trees/w/web/shop"}, {"/repo", "/repo", "/repo", ""},
		{"/trees/w", "/linked", "/repo", "/trees/w"}, {"/trees/w", "", "/repo", "/trees/w"}, {"", "/repo", "/repo", ""},
	} {
		if got := folder(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%v: %s", c, got)
		}
	}
}

// What a newer aburn wrote is refused, and what is no ledger is none.
func TestUnknown(t *testing.T) {
	for text, want := range map[string]string{
		`{"aburn":"ledger","v":2}` + "\n":       "version 2",
		"hello\n{}\n":                           "no line of it is an entry",
		`{"aburn":"ledger","v":1}` + "\n":       "",
		"":                                      "",
		"hello\n{\"seq\":1,\"kind\":\"party\"}": "no line of it is an entry", // torn
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "p", "w", fileName)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		s := tracetest.Read(t, New(), dir)
		got := ""
		for _, err := range s.Errors {
			got = err.Error()
		}
		if len(s.Traces) > 0 || !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %d traces, %q", text, len(s.Traces), got)
		}
	}
}

// Without places of a person's it reads this user's ledgers, and none that is being made.
func TestFind(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, ".local/state/aburn/workers"), os.DirFS(fixtures)); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(home, ".local/state/aburn/workers/cart-1a2b3c4d/.new-1")
	if err := errors.Join(os.Mkdir(fresh, 0o700), os.WriteFile(filepath.Join(fresh, fileName), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var found []string
	err := New().Find(t.Context(), trace.Places{Home: home, Getenv: func(string) string { return "" }}, func(s trace.Store) error {
		found = append(found, filepath.Base(filepath.Dir(s.Path)))
		return nil
	})
	if got := strings.Join(found, " "); got != "drop fix-cart told torn" || err != nil {
		t.Errorf("found %s, %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	place := func(dir string) string { return filepath.Join(dir, "cart-1a2b3c4d", "w", fileName) }
	tracetest.Fuzz(f, New(), place, filepath.Join(fixtures, "cart-1a2b3c4d/fix-cart", fileName), filepath.Join(fixtures, "cart-1a2b3c4d/torn", fileName))
}
