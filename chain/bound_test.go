package chain_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/lab/drawn"
)

// between puts a filler of at least size bytes, tool calls of another session, between two drawings.
func between(t testing.TB, before string, size int, after string) *world {
	t.Helper()
	w := newWorld(t, before)
	filler, _ := drawn.Log("@other t*200")
	filler = filler[bytes.IndexByte(filler, '\n')+1:]
	tail, end := drawn.Log(after)
	f, err := os.OpenFile(filepath.Join(w.Project, ".oss", "workflow.log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n := 0; n < size; n += len(filler) {
		if _, err := f.Write(filler); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Write(tail); err != nil {
		t.Fatal(err)
	}
	w.end = end
	return w
}

// TestMissIsBounded: in a file that was never rotated a miss ends after 64 MiB and says so.
func TestMissIsBounded(t *testing.T) {
	w := between(t, "ideate. plan.", 65<<20, "build>")
	q := w.query(".", "plan")
	if r := w.last(q); r.Found || !r.Bounded {
		t.Errorf("found %v, bounded %v: the whole file was searched", r.Found, r.Bounded)
	}
	q.All = true
	if r := w.last(q); !r.Found || r.Bounded {
		t.Errorf("with --all: found %v, bounded %v", r.Found, r.Bounded)
	}
	small := between(t, "ideate. plan.", 1<<20, "build>")
	if r := small.last(small.query(".", "ship")); r.Found || r.Bounded {
		t.Errorf("a small log: found %v, bounded %v", r.Found, r.Bounded)
	}
}

// TestPredecessorIsBounded: for what went before a hit only a little more is read, and nothing is said about what was
// not read.
func TestPredecessorIsBounded(t *testing.T) {
	for size, want := range map[int]string{512 << 10: "done #1 predecessor_failed", 2 << 20: "done #1"} {
		w := between(t, "ideate. ideate!", size, "plan.")
		if got := verdict(w.last(w.query(".", "plan"))); got != want {
			t.Errorf("%d bytes before the hit: %s, want %s", size, got, want)
		}
	}
}
