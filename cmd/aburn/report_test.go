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

	"aburn/insight/report"
	"aburn/internal/htmlpage/browser"
	"aburn/internal/term"
)

// The page that the command writes shows in a browser what the same command says to --json.
func TestReportPageSaysWhatJSONSays(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "home"), os.DirFS("testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC) // else the sessions would be going on
	if err := filepath.WalkDir(filepath.Join(dir, "home"), func(path string, _ fs.DirEntry, _ error) error { return os.Chtimes(path, old, old) }); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"ingest"}, {"report", "--html", "report.html"}} {
		if out, err := aburnIn(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	page := filepath.Join(dir, "report.html")
	if st, err := os.Stat(page); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the page is for everybody: %v %v", st, err)
	}
	out, err := aburnIn(dir, "report", "--json").Output()
	var r report.Report
	if err != nil || json.Unmarshal(out, &r) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if r.Units.All != 4 || len(r.Errors) != 2 || len(r.Classes) != 2 || len(r.Tools) != 6 {
		t.Fatalf("of four sessions --json says %s", out)
	}
	b := browser.Start(t)
	b.Open("file://" + page)
	is := func(what, expression, want string) {
		t.Helper()
		if got := b.Value(expression); got != want {
			t.Errorf("%s: the page says %s, --json %s", what, got, want)
		}
	}
	count := func(n int) string { return term.Count(int64(n)) }
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
