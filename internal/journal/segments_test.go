package journal

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/logfmt"
)

// A listing made while the log is rotated misses no segment: what was there
// before is still there, under whatever name.
func TestSegmentsWhileRotating(t *testing.T) {
	world.SlowUnraced(t)
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	o := Options{By: Command, Sync: SyncNone}
	e := &logfmt.Entry{Time: time.Now(), Cmd: "session", Event: logfmt.Tool}
	if _, err := New(root, o).Append(func(Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		j := New(root, o)
		for range 200 {
			if err := j.Rotate(); err != nil {
				t.Errorf("rotate: %v", err)
			}
		}
	}()
	j := New(root, o)
	var before []Segment
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		all, err := j.Segments()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range before {
			if indexOf(all, s.info) < 0 {
				t.Fatalf("%s is in none of %d segments", s.Name, len(all))
			}
		}
		before = all
	}
	if len(before) != 201 {
		t.Errorf("%d segments at the end", len(before))
	}
}

// TestManySegments: a log of very many segments is read in a time that grows with their number, in both directions; listing all of
// them for each would take an hour.
func TestManySegments(t *testing.T) {
	many := world.Storm(1000)
	dir := t.TempDir()
	for i := 1; i <= many; i++ {
		name := Name
		if i < many {
			name = fmt.Sprintf("%s.%d", Name, i)
		}
		line := fmt.Sprintf(`{"ts":"2026-11-21T10:00:00.000Z","cmd":"x","event":"START","seq":%d,"id":"%016x"}`+"\n", i, i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	j := New(root, Options{By: Command})
	for what, lines := range map[string]iter.Seq2[Line, error]{"backwards": j.Backward(BackwardOptions{}), "forwards": j.Forward(Position{})} {
		n := 0
		for _, err := range lines {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != many {
			t.Errorf("%s: %d entries", what, n)
		}
	}
}
