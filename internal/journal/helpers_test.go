package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/logfmt"
)

var day = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// folder makes an empty .oss whose log is checked when the test ends.
func folder(t testing.TB, allowed ...string) string {
	t.Helper()
	dir := t.TempDir()
	journaltest.Check(t, dir, allowed...)
	return dir
}

// open opens the journal in dir as a command would.
func open(t testing.TB, dir string, o journal.Options) *journal.Journal {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return journal.New(root, o)
}

// entry is a tool call's entry with the given id.
func entry(id string) *logfmt.Entry {
	return &logfmt.Entry{
		Time: day, Cmd: "session", Event: logfmt.Tool, Session: "s1", ID: id, Source: "claude",
		Data: []byte(`{"tool":"Bash","head":"go test ./...","exit_code":0}`),
	}
}

// big is an entry of about n bytes.
func big(id string, n int) *logfmt.Entry {
	e := entry(id)
	e.Data = []byte(`{"head":"` + strings.Repeat("x", max(1, n-300)) + `"}`)
	return e
}

// mustAppend appends entries and returns the receipt.
func mustAppend(t testing.TB, j *journal.Journal, entries ...*logfmt.Entry) journal.Receipt {
	t.Helper()
	r, err := j.Append(func(journal.Tail) []*logfmt.Entry { return entries })
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return r
}

func logPath(dir string) string { return filepath.Join(dir, journal.Name) }

func readLog(t testing.TB, dir string) string {
	t.Helper()
	b, err := os.ReadFile(logPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeLog(t testing.TB, dir, text string) {
	t.Helper()
	if err := os.WriteFile(logPath(dir), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ids collects the ids of a reading as "a b c"; a carried line is "(a)".
func ids(t testing.TB, lines func(func(journal.Line, error) bool)) string {
	t.Helper()
	var all []string
	for l, err := range lines {
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		e, err := logfmt.Parse(l.JSON)
		if err != nil {
			continue // a torn line that happens to end in a brace
		}
		id := e.ID
		if e.Event == logfmt.Checkpoint {
			id = "C"
		}
		if l.Carried {
			id = "(" + id + ")"
		}
		all = append(all, id)
	}
	return strings.Join(all, " ")
}

// names is "a0 a1 … a<n-1>".
func names(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(prefix, i)
	}
	return all
}
