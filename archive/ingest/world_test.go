package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// world is a home with notes, and an archive.
type world struct {
	*testing.T
	home, dir string
	reader    notes
	options   ingest.Options
	aged      int // how often files were made to look old
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, home: t.TempDir()}
	w.dir = filepath.Join(w.home, "archive")
	return w
}

// write puts lines into a file of notes and makes it look old, so that its size and time are trusted.
func (w *world) write(name string, lines ...string) string {
	w.Helper()
	path := filepath.Join(w.home, "notes", name)
	w.put(path, strings.Join(lines, "\n")+"\n", os.O_TRUNC)
	return path
}

// add appends lines.
func (w *world) add(name string, lines ...string) {
	w.Helper()
	w.put(filepath.Join(w.home, "notes", name), strings.Join(lines, "\n")+"\n", os.O_APPEND)
}

func (w *world) put(path, text string, how int) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	age := time.Hour
	if info, err := os.Stat(path); err == nil && how == os.O_APPEND {
		age = time.Since(info.ModTime()) - time.Minute
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|how, 0o644)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		w.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		w.Fatal(err)
	}
}

// ingest makes one run, and checks the archive.
func (w *world) ingest() *ingest.Source {
	w.Helper()
	report := w.run(w.options)
	return &report.Sources[0]
}

func (w *world) run(o ingest.Options) *ingest.Report {
	w.Helper()
	a, err := archive.Open(context.Background(), w.dir)
	if err != nil {
		w.Fatal(err)
	}
	defer a.Close()
	o.Archive, o.Readers = a, []trace.Reader{w.reader}
	o.Places.Home, o.Places.Getenv = w.home, func(string) string { return "" }
	report, err := ingest.Run(context.Background(), o)
	if err != nil {
		w.Fatal(err)
	}
	w.check(a)
	return report
}

// rebuild makes the archive anew, and checks it.
func (w *world) rebuild() {
	w.Helper()
	a, err := archive.Open(context.Background(), w.dir)
	if err != nil {
		w.Fatal(err)
	}
	defer a.Close()
	if err := a.Remake(context.Background()); err != nil {
		w.Fatal(err)
	}
	w.check(a)
}

func (w *world) check(a *archive.Archive) {
	w.Helper()
	faults, err := a.Check(context.Background())
	if err != nil || len(faults) > 0 {
		w.Fatalf("the archive: %q, %v", faults, err)
	}
}

// sql changes the archive behind its back.
func (w *world) sql(statement string) {
	w.Helper()
	conn, err := sqlite.Open(filepath.Join(w.dir, archive.Name), sqlite.ReadWrite)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(statement); err != nil {
		w.Fatal(err)
	}
}

// number is what a query on the archive's tables gives.
func (w *world) number(query string) int {
	w.Helper()
	conn, err := sqlite.Open(filepath.Join(w.dir, archive.Name), sqlite.ReadOnly)
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close()
	got, err := conn.Number(query)
	if err != nil {
		w.Fatal(err)
	}
	return int(got)
}

// view calls do with the archive.
func (w *world) view(do func(*archive.Archive)) {
	w.Helper()
	a, err := archive.View(context.Background(), w.dir)
	if err != nil {
		w.Fatal(err)
	}
	defer a.Close()
	do(a)
}

// sessions is "id events gone" of each session, oldest first.
func (w *world) sessions() string {
	w.Helper()
	var lines []string
	w.view(func(a *archive.Archive) {
		list, err := a.Sessions(context.Background(), archive.Filter{})
		if err != nil {
			w.Fatal(err)
		}
		for i := len(list) - 1; i >= 0; i-- {
			line := fmt.Sprintf("%s %d", list[i].ID, list[i].Counts.Events)
			if list[i].Gone {
				line += " gone"
			}
			lines = append(lines, line)
		}
	})
	return strings.Join(lines, ", ")
}

// did is what a run says it did with sessions.
func did(s *ingest.Source) string {
	text := fmt.Sprintf("new %d updated %d unchanged %d gone %d, read %d", s.New, s.Updated, s.Unchanged, s.Gone, s.Read)
	for _, n := range s.Notes {
		text += ", " + string(n.Kind) + " " + filepath.Base(n.Path)
	}
	for _, n := range s.Skipped {
		text += ", " + string(n.Kind) + " " + filepath.Base(n.Path)
	}
	return text
}

func (w *world) expect(what, sessions string) {
	w.Helper()
	if got := did(w.ingest()); got != what {
		w.Errorf("ingest: %s\n   want: %s", got, what)
	}
	if got := w.sessions(); got != sessions {
		w.Errorf("sessions: %s\n    want: %s", got, sessions)
	}
}
