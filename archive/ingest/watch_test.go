package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"aburn/archive/ingest"
	"aburn/trace"
)

// watching runs a watch until the test ends; the channel has the report of each of its runs.
func (w *world) watching(p ingest.Pace) <-chan *ingest.Report {
	w.Helper()
	ctx, stop := context.WithCancel(context.Background())
	reports, ended := make(chan *ingest.Report, 1000), make(chan error, 1)
	go func() {
		o := ingest.Options{Readers: []trace.Reader{w.reader}, Places: trace.Places{Home: w.home, Getenv: os.Getenv}}
		ended <- ingest.Watch(ctx, w.dir, o, p, func() {}, func(r *ingest.Report, err error) {
			if err != nil {
				w.Error(err)
			}
			reports <- r
		})
	}()
	w.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			w.Error(err)
		}
	})
	return reports
}

// next is the next run that changed something.
func (w *world) next(reports <-chan *ingest.Report) *ingest.Source {
	w.Helper()
	for late := time.After(2 * time.Minute); ; {
		select {
		case r := <-reports:
			if r.Changed() {
				return &r.Sources[0]
			}
		case <-late:
			w.Fatal("nothing was seen")
		}
	}
}

// A watch sees what is written: by the system's word, and by looking where that says nothing.
func TestWatch(t *testing.T) {
	for name, p := range map[string]ingest.Pace{
		"told": {Settle: 10 * time.Millisecond, Spacing: 10 * time.Millisecond, Poll: time.Hour},
		"poll": {Settle: time.Hour, Spacing: 10 * time.Millisecond, Poll: 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("p/a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
			reports := w.watching(p)
			if s := w.next(reports); s.New != 1 {
				t.Errorf("first %s", did(s))
			}
			w.add("p/a.notes", `{"say":"on"}`)
			if s := w.next(reports); s.Updated != 1 || s.Read != 1 {
				t.Errorf("grown: %s", did(s))
			}
			w.write("q/b.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
			if s := w.next(reports); s.New != 1 {
				t.Errorf("in a new folder: %s", did(s))
			}
			if err := os.Remove(filepath.Join(w.home, "notes", "p", "a.notes")); err != nil {
				t.Fatal(err)
			}
			if s := w.next(reports); s.Gone != 1 {
				t.Errorf("deleted: %s", did(s))
			}
			if got := w.sessions(); got != "b 1, a 2 gone" && got != "a 2 gone, b 1" {
				t.Error(got)
			}
		})
	}
}

// Beside a watch another ingest has its turn.
func TestWatchLetsOthers(t *testing.T) {
	w := newWorld(t)
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	reports := w.watching(ingest.Pace{Settle: time.Hour, Spacing: time.Hour, Poll: time.Hour})
	w.next(reports)
	w.write("b.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	_, wait := w.start(order{})
	if a := wait(); a.Error != "" || a.Runs != 1 || len(w.events()) != 2 {
		t.Errorf("%+v, %v", a, w.events())
	}
}
