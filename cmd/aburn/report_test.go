package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	errclass "aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/lab/browser"
	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// reported is a folder with an archive of the four sessions of testdata/store, none of them going on.
func reported(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "home"), os.DirFS("testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)
	if err := filepath.WalkDir(filepath.Join(dir, "home"), func(path string, _ fs.DirEntry, _ error) error { return os.Chtimes(path, old, old) }); err != nil {
		t.Fatal(err)
	}
	if out, err := aburnIn(dir, "ingest").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// jsonReport is what aburn report --json says.
func jsonReport(t *testing.T, dir string, args ...string) (r report.Report) {
	t.Helper()
	out, err := aburnIn(dir, append([]string{"report", "--json"}, args...)...).Output()
	if err != nil || json.Unmarshal(out, &r) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}

// What was tried is measured over all sessions, whichever the report is about. Of Claude Code's three sessions the one with the
// key was killed, one completed and one was interrupted; all were before.
func TestReportMeasuresAllSessions(t *testing.T) {
	world.Unshared(t)
	dir := reported(t)
	key := ""
	for _, e := range jsonReport(t, dir).Errors {
		if e.Class == errclass.Test {
			key = e.Key
		}
	}
	if out, err := aburnIn(dir, "remedy", "--applied", key, "--note", "ran the tests first").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", key, err, out)
	}
	want := remedy.Measured{Before: remedy.Rate{Failed: 1, Of: 2}, Excluded: remedy.Excluded{Undecided: 1}, Insufficient: true}
	for _, args := range [][]string{nil, {"--since", "2026-06-01"}} {
		r := jsonReport(t, dir, args...)
		if len(r.Remedies) != 1 {
			t.Fatalf("%v: %d were tried", args, len(r.Remedies))
		}
		got := r.Remedies[0]
		if got.Applied.Key != key || got.Note != "ran the tests first" {
			t.Errorf("%v: tried was %+v", args, got.Applied)
		}
		if got.Applied = want.Applied; got != want {
			t.Errorf("%v: measured is %+v, want %+v", args, got, want)
		}
	}
	if r := jsonReport(t, dir, "--since", "2026-06-01"); r.Units.All != 0 {
		t.Errorf("since then there were %d", r.Units.All)
	}
	if r := jsonReport(t, dir, "--source", "codex"); r.Remedies[0].Before.Of != 0 {
		t.Errorf("of Codex it is %+v", r.Remedies[0])
	}
}

// The page that the command writes shows in a browser what the same command says to --json.
func TestReportPageSaysWhatJSONSays(t *testing.T) {
	dir := reported(t)
	if out, err := aburnIn(dir, "report", "--html", "report.html").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page := filepath.Join(dir, "report.html")
	if st, err := os.Stat(page); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the page is for everybody: %v %v", st, err)
	}
	r := jsonReport(t, dir)
	if r.Units.All != 4 || len(r.Errors) != 2 || len(r.Classes) != 2 || len(r.Tools) != 6 {
		t.Fatalf("of four sessions --json says %+v", r)
	}
	b := browser.Start(t)
	b.Open("file://" + page)
	is := func(what, expression, want string) {
		t.Helper()
		if got := b.Value(expression); got != want {
			t.Errorf("%s: the page says %s, --json %s", what, got, want)
		}
	}
	count := func(n int) string { return plain.Count(int64(n)) }
	is("sessions", `document.querySelector('[data-n="sessions"]').textContent`, count(r.Units.Sessions))
	is("failing", `document.querySelector('[data-n="failing"]').textContent`, count(r.Units.Failing)+" of "+count(r.Units.Ended))
	column := func(table string, n int) string {
		return fmt.Sprintf(`[...document.querySelectorAll('#table-%s tbody tr')].map((tr) => tr.children[%d].textContent).join(';')`, table, n)
	}
	var outcomes, errors, classes, tools, bars []string
	for _, o := range r.Outcomes {
		outcomes = append(outcomes, count(o.Units)+" of "+count(o.Of))
	}
	for _, e := range r.Errors {
		errors = append(errors, e.Key)
	}
	for _, c := range r.Classes {
		classes = append(classes, count(c.Errors)+" of "+count(c.OfErrors))
	}
	for _, tool := range r.Tools {
		tools, bars = append(tools, count(tool.Calls)), append(bars, fmt.Sprintf("%d/%d", tool.Failed, tool.Ended))
	}
	is("outcomes", column("outcomes", 1), strings.Join(outcomes, ";"))
	is("keys of errors", column("errors", 7), strings.Join(errors, ";"))
	is("classes", column("classes", 1), strings.Join(classes, ";"))
	is("tools", column("tools", 1), strings.Join(tools, ";"))
	is("failed calls as drawn", `[...document.querySelectorAll('#tools .item')].map((e) => e.dataset.n + '/' + e.dataset.of).join(' ')`, strings.Join(bars, " "))
	b.Quiet()
}
