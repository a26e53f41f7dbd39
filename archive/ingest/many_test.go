package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	lab "aburn/internal/lab/world"
)

// manyStores is enough for the archive to list their cursors.
const manyStores = 220

// age makes a file look as if nobody had written to it for a month, so that it is dropped if nothing about it is new. No
// two calls give the same time.
func (w *world) age(path string) {
	w.Helper()
	w.aged++
	at := time.Now().AddDate(0, 0, -30).Add(time.Duration(w.aged) * time.Second)
	if err := os.Chtimes(path, at, at); err != nil {
		w.Fatal(err)
	}
}

// many writes stores, and has them read and listed.
func many(t *testing.T) *world {
	w := newWorld(t)
	for i := range manyStores {
		w.age(w.write(fmt.Sprintf("p%d/s%03d.notes", i%7, i), `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `{"call":"1"}`))
	}
	if s := w.ingest(); s.New != manyStores {
		t.Fatal(did(s))
	}
	if n := w.number("SELECT count(*) FROM unlisted"); n != 0 {
		t.Fatalf("%d cursors are not listed", n)
	}
	return w
}

// Among many old stores that are as they were, whatever happened to one of them is seen.
func TestOneOfMany(t *testing.T) {
	lab.Slow(t)
	for what, c := range map[string]struct {
		do   func(w *world, path string)
		want string
	}{
		"nothing": {func(*world, string) {}, "new 0 updated 0 unchanged 220 gone 0, read 0"},
		"grown": {func(w *world, path string) {
			w.put(path, `{"say":"more"}`+"\n", os.O_APPEND)
		}, "new 0 updated 1 unchanged 219 gone 0, read 1"},
		"cut": {func(w *world, path string) {
			w.put(path, `{"say":"hello","at":"2026-11-01T10:00:00Z"}`+"\n", os.O_TRUNC)
		}, "new 0 updated 1 unchanged 219 gone 0, read 1, truncated s100.notes"},
		"rewritten": {func(w *world, path string) {
			w.put(path, `{"say":"adieu","at":"2026-11-01T10:00:00Z"}`+"\n"+`{"call":"2"}`+"\n", os.O_TRUNC)
		}, "new 0 updated 1 unchanged 219 gone 0, read 1, rewritten s100.notes"},
		"replaced": {func(w *world, path string) {
			w.put(path+".other", `{"say":"other","at":"2026-11-01T10:00:00Z"}`+"\n", os.O_TRUNC)
			if err := os.Rename(path+".other", path); err != nil {
				w.Fatal(err)
			}
		}, "new 0 updated 1 unchanged 219 gone 0, read 1, replaced s100.notes"},
		"moved": {func(w *world, path string) {
			if err := os.Rename(path, filepath.Join(w.home, "notes", "s100.notes")); err != nil {
				w.Fatal(err)
			}
		}, "new 0 updated 1 unchanged 219 gone 0, read 1, moved s100.notes"},
		"deleted": {func(w *world, path string) {
			if err := os.Remove(path); err != nil {
				w.Fatal(err)
			}
		}, "new 0 updated 0 unchanged 219 gone 1, read 0"},
		"new": {func(w *world, path string) {
			w.age(w.write("p2/other.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`))
		}, "new 1 updated 0 unchanged 220 gone 0, read 1"},
		"copied": {func(w *world, path string) {
			w.age(w.write("p9/s100.notes", `{"say":"hello","at":"2026-11-01T10:00:00Z"}`, `{"call":"1"}`, `{"say":"on"}`))
		}, "new 0 updated 1 unchanged 220 gone 0, read 1"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := many(t)
			path := filepath.Join(w.home, "notes", "p2", "s100.notes")
			c.do(w, path)
			if _, err := os.Stat(path); err == nil && what != "nothing" && what != "new" && what != "copied" {
				w.age(path)
			}
			if got := did(w.ingest()); got != c.want {
				t.Errorf("%s\nwant: %s", got, c.want)
			}
			again := did(w.ingest())
			if !strings.HasPrefix(again, "new 0 updated 0 ") || !strings.Contains(again, " gone 0, read 0") {
				t.Errorf("looked once more: %s", again)
			}
		})
	}
}

// Whatever happens to many stores, in whatever order: what is archived, step by step, is what is on the disk.
func TestManyChanges(t *testing.T) {
	lab.Slow(t)
	w := many(t)
	r := rand.New(rand.NewPCG(7, 7))
	var paths []string
	for i := range manyStores {
		paths = append(paths, filepath.Join(w.home, "notes", fmt.Sprintf("p%d/s%03d.notes", i%7, i)))
	}
	fresh := 0
	for round := range 5 {
		for range 1 + r.IntN(60) {
			i := r.IntN(len(paths))
			path := paths[i]
			switch r.IntN(7) {
			case 0, 1:
				w.put(path, `{"say":"more"}`+"\n", os.O_APPEND)
			case 2:
				w.put(path, `{"say":"hello","at":"2026-11-01T10:00:00Z"}`+"\n", os.O_TRUNC)
			case 3:
				w.put(path+".other", strings.Repeat(`{"say":"other","at":"2026-11-01T10:00:00Z"}`+"\n", 1+r.IntN(4)), os.O_TRUNC)
				if err := os.Rename(path+".other", path); err != nil {
					t.Fatal(err)
				}
			case 4:
				to := filepath.Join(w.home, "notes", fmt.Sprintf("q%d", r.IntN(5)), filepath.Base(path))
				if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(path, to); err != nil {
					t.Fatal(err)
				}
				paths[i], path = to, to
			case 5:
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				paths = slices.Delete(paths, i, i+1)
				continue
			case 6:
				fresh++
				path = w.write(fmt.Sprintf("p%d/n%03d.notes", r.IntN(7), fresh), `{"say":"new","at":"2026-11-01T10:00:00Z"}`)
				paths = append(paths, path)
			}
			w.age(path)
		}
		w.ingest()
		have := onDisk(w)
		dir := w.dir
		w.dir = filepath.Join(w.home, fmt.Sprintf("archive%d", round))
		w.ingest()
		want := onDisk(w)
		w.dir = dir
		if have != want || strings.Count(want, ",") != len(paths)-1 {
			t.Fatalf("round %d: archived are\n%s\nread anew they are\n%s", round, have, want)
		}
	}
}

// onDisk is the sessions whose stores exist, in the order of their names.
func onDisk(w *world) string {
	w.Helper()
	list := strings.Split(w.sessions(), ", ")
	list = slices.DeleteFunc(list, func(s string) bool { return strings.HasSuffix(s, " gone") })
	slices.Sort(list)
	return strings.Join(list, ", ")
}
