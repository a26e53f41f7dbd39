package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	lab "aburn/internal/lab/world"
	"aburn/trace"
)

// child makes this test binary a process that ingests the home that it names.
const child = "ABURN_INGEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(childMain())
	}
	os.Exit(m.Run())
}

// order is what a child is told.
type order struct {
	Home, Dir string
	Slow      time.Duration // for each line
	Hold      string        // a file; while it is there, nothing is read
	Idle      bool
	FileSize  uint64 // the system's limit, 0 for none
}

// answer is what it says.
type answer struct {
	New, Updated, Runs int
	Error, Hint        string
	Busy               bool
}

func childMain() int {
	var o order
	if err := json.Unmarshal([]byte(os.Getenv(child)), &o); err != nil {
		panic(err)
	}
	limitFileSize(o.FileSize)
	var a answer
	busy := func() {}
	if o.Idle {
		busy = nil
	}
	err := ingest.Exclusively(context.Background(), o.Dir, busy, func() error {
		a.Runs++
		db, err := archive.Open(context.Background(), o.Dir)
		if err != nil {
			return err
		}
		defer db.Close()
		r, err := ingest.Run(context.Background(), ingest.Options{
			Archive: db, Readers: []trace.Reader{notes{slow: o.Slow, hold: o.Hold}}, Places: trace.Places{Home: o.Home, Getenv: os.Getenv},
		})
		if r != nil {
			a.New += r.Sources[0].New
			a.Updated += r.Sources[0].Updated
		}
		return err
	})
	a.Busy = errors.Is(err, ingest.ErrBusy)
	if err != nil && !a.Busy {
		a.Error = err.Error()
		var hinted interface{ Hint() string }
		if errors.As(err, &hinted) {
			a.Hint = hinted.Hint()
		}
	}
	json.NewEncoder(os.Stdout).Encode(a)
	return 0
}

// start starts a child; the returned function waits for its answer.
func (w *world) start(o order) (*exec.Cmd, func() answer) {
	w.Helper()
	cmd, wait := w.prepare(o)
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	return cmd, wait
}

// prepare is a child that is yet to be started.
func (w *world) prepare(o order) (*exec.Cmd, func() answer) {
	w.Helper()
	o.Home, o.Dir = w.home, w.dir
	text, err := json.Marshal(o)
	if err != nil {
		w.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+string(text))
	out := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	return cmd, func() answer {
		w.Helper()
		if err := cmd.Wait(); err != nil {
			w.Fatal(err)
		}
		var a answer
		if err := json.Unmarshal(out.Bytes(), &a); err != nil {
			w.Fatalf("%s: %v", out, err)
		}
		return a
	}
}

// fill writes sessions with their calls. Every fourth is a copy of the one before it, up to a place; every fifth a sub-agent.
func (w *world) fill(sessions, calls int) {
	for i := range sessions {
		lines := []string{fmt.Sprintf(`{"root":"r%d"}`, i), `{"say":"hello","at":"2026-11-01T10:00:00Z"}`}
		if i%5 == 4 {
			lines = append([]string{fmt.Sprintf(`{"agent":"s%d"}`, i-1)}, lines...)
		} else {
			lines = append(lines, fmt.Sprintf(`{"spawn":"s%d","call":"c0"}`, i+1))
		}
		for j := range calls {
			lines = append(lines, fmt.Sprintf(`{"call":"c%d","at":"2026-11-01T10:%02d:%02dZ"}`, j, i%60, j%60), fmt.Sprintf(`{"result":"c%d"}`, j))
		}
		w.write(fmt.Sprintf("s%d.notes", i), lines...)
	}
}

// events is the number of events of each session; it fails the test if the archive is not whole.
func (w *world) events() map[string]int {
	w.Helper()
	a, err := archive.Open(context.Background(), w.dir)
	if err != nil {
		w.Fatal(err)
	}
	defer a.Close()
	w.check(a)
	list, err := a.Sessions(context.Background(), archive.Filter{})
	if err != nil {
		w.Fatal(err)
	}
	all := map[string]int{}
	for _, s := range list {
		all[s.ID] = s.Counts.Events
	}
	return all
}

// stored is each session's trace as the archive gives it.
func (w *world) stored(dir string) map[string]string {
	w.Helper()
	a, err := archive.View(context.Background(), dir)
	if err != nil {
		w.Fatal(err)
	}
	defer a.Close()
	list, err := a.Sessions(context.Background(), archive.Filter{})
	if err != nil {
		w.Fatal(err)
	}
	all := map[string]string{}
	for _, s := range list {
		t, err := a.Trace(context.Background(), s.Key)
		if err != nil {
			w.Fatal(err)
		}
		text, err := t.MarshalJSON()
		if err != nil {
			w.Fatal(err)
		}
		all[s.ID] = string(text)
	}
	return all
}

// Whenever a process is killed, what it had committed is there, the archive is whole, and the next one goes on. In the end
// everything is as if one had read it all.
func TestKilled(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	w.fill(60, 20)
	r := rand.New(rand.NewPCG(1, 2))
	before := map[string]int{}
	kills := 0
	rounds := lab.Storm(20)
	for round := range rounds {
		cmd, _ := w.start(order{Slow: 300 * time.Microsecond})
		if round > 0 && round%4 == 0 {
			w.add(fmt.Sprintf("s%d.notes", r.IntN(60)), `{"call":"more"}`, `{"result":"more"}`)
		}
		time.Sleep(time.Duration(5+r.IntN(900)) * time.Millisecond)
		if err := cmd.Process.Kill(); err == nil {
			kills++
		}
		cmd.Wait()
		now := w.events()
		for id, n := range before {
			if now[id] < n {
				t.Fatalf("round %d: %s had %d events, and has %d", round, id, n, now[id])
			}
		}
		before = now
	}
	_, wait := w.start(order{})
	if a := wait(); a.Error != "" {
		t.Fatal(a.Error)
	}
	if len(w.events()) != 60 {
		t.Errorf("%d sessions", len(w.events()))
	}
	got := w.stored(w.dir)
	w.dir = filepath.Join(w.home, "fresh")
	w.ingest()
	for id, want := range w.stored(w.dir) {
		if got[id] != want {
			t.Errorf("%s after %d kills:\n%s\nnot:\n%s", id, kills, got[id], want)
		}
	}
}

// Several at once read everything once.
func TestAtOnce(t *testing.T) {
	w := newWorld(t)
	w.fill(40, 10)
	var waits []func() answer
	for range 4 {
		_, wait := w.start(order{Slow: 10 * time.Microsecond})
		waits = append(waits, wait)
	}
	read := 0
	for _, wait := range waits {
		a := wait()
		if a.Error != "" {
			t.Error(a.Error)
		}
		read += a.New
	}
	if read != 40 || len(w.events()) != 40 {
		t.Errorf("%d sessions were new, and %d are there", read, len(w.events()))
	}
}

// One that does not wait leaves at once, and the one that runs sees what it wanted to have read.
func TestIfIdle(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	w.fill(8, 3)
	hold := filepath.Join(w.TempDir(), "hold")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, wait := w.start(order{Hold: hold})
	for deadline := time.Now().Add(2 * time.Minute); ; {
		if _, err := os.Stat(filepath.Join(w.dir, archive.Name+"-wal")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not begin")
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // it has found its stores by now, or reads this one too
	w.write("late.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	_, second := w.start(order{Idle: true})
	if a := second(); !a.Busy {
		t.Fatalf("the second did not leave: %+v", a)
	}
	if err := os.Remove(hold); err != nil {
		t.Fatal(err)
	}
	a := wait()
	if a.Runs < 2 || w.events()["late"] != 1 {
		t.Errorf("%+v, %v", a, w.events())
	}
	_, third := w.start(order{Idle: true})
	if a := third(); a.Busy || a.Runs != 1 {
		t.Errorf("alone: %+v", a)
	}
}

// While a file grows it is read, again and again; in the end all of it is there.
func TestGrownWhileRead(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.home, "notes", "a.notes")
	w.write("a.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`)
	writer := exec.Command("sh", "-c", `for i in $(seq 1 400); do printf '{"call":"c%s"}\n{"res' $i; printf 'ult":"c%s"}\n' $i; done >> "$0"`, path)
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- writer.Wait() }()
	for writing := true; writing; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			writing = false
		default:
		}
		if s := w.ingest(); len(s.Skipped) > 0 || s.DamagedAll > 0 {
			t.Fatalf("%s, %d damaged", did(s), s.DamagedAll)
		}
	}
	if n := w.events()["a"]; n != 801 {
		t.Errorf("%d events", n)
	}
}

// A full disk ends the run with what was committed, and says so; with room again the next run goes on.
func TestDiskFull(t *testing.T) {
	w := newWorld(t)
	w.fill(150, 40)
	_, wait := w.start(order{FileSize: 400 << 10})
	a := wait()
	if !strings.Contains(a.Error, archive.Name) || !strings.Contains(a.Hint, "full") {
		t.Errorf("%+v", a)
	}
	w.events()
	_, wait = w.start(order{})
	if a := wait(); a.Error != "" || len(w.events()) != 150 {
		t.Errorf("%+v, %d sessions", a, len(w.events()))
	}
}

// A run that is interrupted stores what it has read and says so; the next one reads the rest.
func TestInterrupted(t *testing.T) {
	w := newWorld(t)
	w.fill(40, 20)
	w.reader.slow = 300 * time.Microsecond
	a, err := archive.Open(context.Background(), w.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var last ingest.Progress
	r, err := ingest.Run(ctx, ingest.Options{
		Archive: a, Readers: []trace.Reader{w.reader}, Places: trace.Places{Home: w.home, Getenv: os.Getenv},
		Progress: func(p ingest.Progress) {
			if last = p; p.FilesDone > 2 {
				stop()
			}
		},
	})
	stop()
	if err != nil || !r.Interrupted || r.Sources[0].New == 0 || r.Sources[0].New == 40 {
		t.Errorf("%+v, %v", r, err)
	}
	if last.Files != 40 || last.Bytes == 0 || last.BytesDone == 0 || last.BytesDone > last.Bytes || last.Took <= 0 {
		t.Errorf("the last progress: %+v", last)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	n := len(w.events())
	if n != r.Sources[0].New {
		t.Errorf("%d sessions are there, and %d were told", n, r.Sources[0].New)
	}
	w.reader.slow = 0
	if s := w.ingest(); s.New != 40-n || s.Unchanged != n {
		t.Errorf("%d were there; then %s", n, did(s))
	}
}
