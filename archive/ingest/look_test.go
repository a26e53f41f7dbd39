package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	lab "aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
)

// lookWorld is a home with so many transcripts that they are not searched each time.
type lookWorld struct {
	*testing.T
	home, dir string
	env       map[string]string
	finds     int
}

// countedFinds counts the searches of a reader.
type countedFinds struct {
	trace.Reader
	w *lookWorld
}

func (r countedFinds) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	r.w.finds++
	return r.Reader.Find(ctx, in, found)
}

func newLookWorld(t *testing.T, transcripts int) *lookWorld {
	w := &lookWorld{T: t, home: t.TempDir(), env: map[string]string{}}
	w.dir = filepath.Join(w.home, "archive")
	for i := range transcripts {
		w.transcript([]string{"shop", "bank"}[i%2], fmt.Sprintf("%08d", i), i)
	}
	return w
}

// transcript writes a session of so many prompts, and makes it and its folder look old.
func (w *lookWorld) transcript(project, id string, prompts int) string {
	w.Helper()
	var text strings.Builder
	for i := range prompts%3 + 1 {
		fmt.Fprintf(&text,
			`{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"do it"},"uuid":"u%d","timestamp":"2026-11-20T10:00:%02dZ",`+
				`"cwd":"/w/%s","sessionId":"%s-0000-4000-8000-000000000000","version":"2.1.329"}`+"\n", i, i, project, id)
	}
	path := filepath.Join(w.home, ".claude/projects/-w-"+project, id+"-0000-4000-8000-000000000000.jsonl")
	w.write(path, text.String(), time.Hour)
	return path
}

func (w *lookWorld) write(path, text string, age time.Duration) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
	w.age(path, age)
	for dir := filepath.Dir(path); len(dir) > len(w.home); dir = filepath.Dir(dir) {
		w.age(dir, age)
	}
}

func (w *lookWorld) age(path string, age time.Duration) {
	w.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		w.Fatal(err)
	}
}

func (w *lookWorld) getenv(name string) string { return w.env[name] }

// look looks, and reads what it found, as a command does. It returns the names of the files, sorted.
func (w *lookWorld) look(project string) string {
	w.Helper()
	ctx := context.Background()
	readers := []trace.Reader{countedFinds{claude.New(), w}, codex.New()} // they find side by side
	places := trace.Places{Home: w.home, Getenv: w.getenv}
	changes, err := ingest.Look(ctx, ingest.LookOptions{Dir: w.dir, Readers: readers, Places: places, Project: project})
	if err != nil {
		w.Fatal(err)
	}
	var names []string
	for _, s := range changes.Stores {
		names = append(names, strings.TrimSuffix(filepath.Base(s.Path), "-0000-4000-8000-000000000000.jsonl"))
	}
	if len(names) > 0 {
		db, err := archive.Open(ctx, w.dir)
		if err != nil {
			w.Fatal(err)
		}
		defer db.Close()
		if _, err := ingest.Run(ctx, ingest.Options{Archive: db, Readers: readers, Places: places, Stores: changes.Stores}); err != nil {
			w.Fatal(err)
		}
	}
	changes.Remember(ctx)
	slices.Sort(names)
	return strings.Join(names, " ")
}

// A look that follows another one searches nothing where nothing changed, and finds each kind of change.
func TestLookFindsWhatChanged(t *testing.T) {
	lab.Unshared(t)
	w := newLookWorld(t, 40)
	if got := len(strings.Fields(w.look(""))); got != 40 {
		t.Fatalf("the first look found %d of 40", got)
	}
	w.look("") // folders that had just been made are searched once more
	steps := []struct {
		name   string
		change func()
		want   string
		search bool
	}{
		{"nothing", func() {}, "", false},
		{"a session in a known folder", func() { w.transcript("shop", "aaaaaaaa", 1) }, "aaaaaaaa", true},
		{"nothing after that", func() {}, "", false},
		{"a session in a new folder", func() { w.transcript("mill", "bbbbbbbb", 1) }, "bbbbbbbb", true},
		{"a session that went on", func() { w.transcript("shop", "00000000", 2) }, "00000000", true},
		{"a session that went on, with a sub-agent in a folder that was there", func() {
			w.transcript("shop", "00000000", 1)
			w.write(filepath.Join(w.home, ".claude/projects/-w-shop/00000000-0000-4000-8000-000000000000/subagents/agent-cc.jsonl"),
				`{"isSidechain":true,"agentId":"cc","type":"user","message":{"role":"user","content":"look"},"uuid":"a","timestamp":"2026-11-20T10:00:09Z",`+
					`"cwd":"/w/shop","sessionId":"00000000-0000-4000-8000-000000000000"}`+"\n", time.Minute)
		}, "00000000 agent-cc.jsonl", true},
		{"a file that is no session's", func() { w.write(filepath.Join(w.home, ".claude/projects/-w-shop/notes.txt"), "x", 2*time.Minute) }, "", true},
		{"a session that was deleted", func() {
			if err := os.Remove(w.transcript("bank", "00000001", 1)); err != nil {
				t.Fatal(err)
			}
			w.age(filepath.Join(w.home, ".claude/projects/-w-bank"), 3*time.Minute)
		}, "", true},
		{"nothing at the end", func() {}, "", false},
	}
	for _, s := range steps {
		s.change()
		w.finds = 0
		if got := w.look(""); got != s.want || (w.finds > 0) != s.search {
			t.Errorf("%s: found %q with %d searches, want %q", s.name, got, w.finds, s.want)
		}
	}
	w.env["CLAUDE_CONFIG_DIR"] = filepath.Join(w.home, "elsewhere")
	w.write(filepath.Join(w.home, "elsewhere/projects/-w-shop/dddddddd-0000-4000-8000-000000000000.jsonl"),
		`{"type":"user","message":{"role":"user","content":"x"},"uuid":"d","timestamp":"2026-11-20T10:00:00Z","cwd":"/w/shop",`+
			`"sessionId":"dddddddd-0000-4000-8000-000000000000"}`+"\n", time.Hour)
	if got := w.look(""); got != "dddddddd" {
		t.Errorf("in another folder of the agent's: found %q", got)
	}
	delete(w.env, "CLAUDE_CONFIG_DIR")
	for _, spoil := range []func(){
		func() { w.write(filepath.Join(w.dir, "looks"), "aburn looks 1\n\x00damaged", 0) },
		func() { os.Rename(filepath.Join(w.dir, archive.Name), filepath.Join(w.home, "away")) },
	} {
		spoil()
		w.finds = 0
		if w.look(""); w.finds == 0 {
			t.Error("damaged notes, or those of another archive, were believed")
		}
	}
}

// Who asks about one project gets what is new in it. The others' sessions are left, and found when somebody asks.
func TestLookIsAboutOneProject(t *testing.T) {
	w := newLookWorld(t, 40)
	if got := strings.Fields(w.look("/w/shop")); len(got) != 20 || got[0] != "00000000" || got[1] != "00000002" {
		t.Errorf("of the shop: %q", got)
	}
	w.transcript("bank", "00000001", 2)
	if got := w.look("/w/shop"); got != "" {
		t.Errorf("nothing is new in the shop, and it found %q", got)
	}
	if got := strings.Fields(w.look("/w")); len(got) != 20 || got[0] != "00000001" {
		t.Errorf("left of all below /w: %q", got)
	}
	w.transcript("bank", "00000001", 1)
	if got := w.look("/w/shop"); got != "" {
		t.Errorf("a session of the bank went on, and it found %q", got)
	}
	if got := w.look(""); got != "00000001" {
		t.Errorf("found %q of all", got)
	}
}

// Reading ends in time. What is left is counted, and read by the next run.
func TestReadingEndsInTime(t *testing.T) {
	w := newWorld(t)
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	w.write("b.notes", `{"say":"hi","at":"2026-11-02T10:00:00Z"}`)
	r := w.run(ingest.Options{Within: time.Nanosecond})
	if r.Left != 2 || r.Interrupted || w.sessions() != "" {
		t.Errorf("left %d of 2, interrupted %v, archived %q", r.Left, r.Interrupted, w.sessions())
	}
	if r := w.run(ingest.Options{Within: time.Hour}); r.Left != 0 || len(strings.Split(w.sessions(), ", ")) != 2 {
		t.Errorf("left %d, archived %q", r.Left, w.sessions())
	}
}

// A look that has no time says so, and the next one begins anew.
func TestLookEndsInTime(t *testing.T) {
	w := newLookWorld(t, 40)
	o := ingest.LookOptions{Dir: w.dir, Readers: []trace.Reader{claude.New()}, Places: trace.Places{Home: w.home, Getenv: w.getenv}, Until: time.Unix(1, 0)}
	changes, err := ingest.Look(t.Context(), o)
	if err != nil || !changes.Partial || len(changes.Stores) > 1 {
		t.Fatalf("found %d stores, partial %v, %v", len(changes.Stores), changes.Partial, err)
	}
	changes.Remember(t.Context())
	if got := len(strings.Fields(w.look(""))); got != 40 {
		t.Errorf("afterwards it found %d of 40", got)
	}
}
