package look

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/drawn"
	lab "aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/internal/queue"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// world is a project that this user trusts.
type world struct {
	*lab.World
	t       *testing.T
	root    *os.Root
	proj    *project.Project
	key     []byte
	set     settings.Settings
	journal *journal.Journal
	all     []*logfmt.Entry // that were drawn
	now     time.Time       // as drawn
}

// newWorld makes one whose issues reach the queue easily.
func newWorld(t *testing.T, allowed ...string) *world {
	t.Helper()
	w := &world{World: lab.New(t), t: t, now: drawn.Epoch}
	oss, dir := w.Oss(), w.Project
	w.Write(".config/aburn/"+settings.File, `{"supervisor":{"queue_above":0.5}}`)
	w.Enter(t)
	if err := project.Mark(dir); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.proj, err = project.At(dir, os.Getenv); err != nil {
		t.Fatal(err)
	}
	if w.key, err = w.proj.Key(); err != nil {
		t.Fatal(err)
	}
	if w.root, err = w.proj.OpenOss(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.root.Close() })
	w.set = settings.LoadIn(w.root, w.proj, os.Getenv)
	w.journal = journal.New(w.root, journal.Options{By: journal.Command, Sync: journal.SyncNone, Now: func() time.Time { return w.now }})
	journaltest.Check(t, oss, allowed...)
	return w
}

func (w *world) options(by journal.By) Options {
	return Options{Root: w.root, Project: w.proj, Journal: w.journal, Settings: &w.set, Key: w.key, By: by}
}

// draw appends what is drawn, going on where the last drawing ended.
func (w *world) draw(drawing string) {
	w.t.Helper()
	entries := w.drawn(drawing)
	w.all = append(w.all, entries...)
	w.append(entries...)
}

func (w *world) drawn(drawing string) (entries []*logfmt.Entry) {
	w.t.Helper()
	d, err := drawn.Draw(w.all, drawing)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, l := range d.Lines {
		entries = append(entries, l.Entry)
	}
	w.now = d.End
	return entries
}

func (w *world) append(entries ...*logfmt.Entry) {
	w.t.Helper()
	if _, err := w.journal.Append(func(journal.Tail) []*logfmt.Entry { return entries }); err != nil {
		w.t.Fatal(err)
	}
}

// once looks as a command that was just started does.
func (w *world) once() Result {
	w.t.Helper()
	r, err := New(w.options(journal.Command)).Once(context.Background(), w.now, time.Time{})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(r.Warnings) > 0 || !r.Complete {
		w.t.Fatalf("look: %+v", r)
	}
	return r
}

// logged are the supervisor's entries as "EVENT type level seen", one a line.
func (w *world) logged() string {
	w.t.Helper()
	var b strings.Builder
	for rec, err := range w.journal.Entries(journal.Position{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		if e := rec.Value; e.Cmd == logfmt.SupervisorCmd {
			b.WriteString(string(e.Event) + " " + string(e.Session) + " " + string(e.Data) + "\n")
		}
	}
	return b.String()
}

func (w *world) tasks() []queue.Task {
	w.t.Helper()
	f, err := queue.New(w.root, w.key).Read()
	if err != nil {
		w.t.Fatal(err)
	}
	return f.Tasks
}

// files is the content of .oss, names with bytes.
func (w *world) files() string {
	w.t.Helper()
	names, err := filepath.Glob(filepath.Join(w.root.Name(), "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			w.t.Fatal(err)
		}
		b.WriteString(filepath.Base(name) + "\n" + string(data) + "\n")
	}
	return b.String()
}

func (w *world) path(name string) string { return filepath.Join(w.root.Name(), name) }

// signatures are those of the issues, in their order.
func (r *Result) signatures() string {
	var b strings.Builder
	for _, is := range r.Issues {
		b.WriteString(is.Signature + "\n")
	}
	return b.String()
}
