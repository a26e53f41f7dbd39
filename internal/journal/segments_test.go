package journal

import (
	"os"
	"testing"
	"time"

	"aburn/logfmt"
)

// A listing made while the log is rotated misses no segment: what was there
// before is still there, under whatever name.
func TestSegmentsWhileRotating(t *testing.T) {
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
