package draft

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// tree makes files, each of which holds its name, and links, which are named "link > target".
func tree(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		name, target, link := strings.Cut(name, " > ")
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if link {
			err = errors.Join(err, os.Symlink(target, path))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte(name), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Folders are walked in order, through a link to the first of them and no other; links to files lead to files.
func TestWalk(t *testing.T) {
	dir := tree(t, "a/1", "a/2", "a.x", "b > a", "c > a.x", "d > gone", "skipped/1")
	way := filepath.Join(t.TempDir(), "way")
	if err := os.Symlink(dir, way); err != nil {
		t.Skip(err)
	}
	var got []string
	s := NewSearch(t.Context(), trace.Places{}, nil)
	s.Walk(way, func(e Entry) bool {
		f, ok := e.File()
		if !ok && f.Path != "" || ok && (f.Path != e.Path() || f.Size == 0 || f.ModTime.IsZero()) {
			t.Errorf("%s is %+v, %t", e.Name, f, ok)
		}
		if _, there := e.Beside("2"); there != (filepath.Base(filepath.Dir(e.Path())) == "a") {
			t.Errorf("beside %s: %t", e.Path(), there)
		}
		name := strings.TrimPrefix(e.Path(), way+"/")
		if ok {
			name += "+"
		}
		got = append(got, name)
		return e.Name != "skipped"
	})
	if err := s.End(); err != nil || strings.Join(got, " ") != "a a/1+ a/2+ a.x+ b c+ d skipped" {
		t.Errorf("%q, %v", got, err)
	}
}

// What is not there and what is no folder has no entries; what cannot be read is told once, and what a person named must be there.
func TestUnread(t *testing.T) {
	dir := tree(t, "file", "loop > loop")
	s := NewSearch(t.Context(), trace.Places{}, nil)
	entries := 0
	for _, name := range []string{"none", "file", "loop", "loop"} {
		for range s.Entries(filepath.Join(dir, name)) {
			entries++
		}
	}
	var broken []error
	for range s.EntriesElse(filepath.Join(dir, "file"), func(err error) { broken = append(broken, err) }) {
		entries++
	}
	s.Named([]string{filepath.Join(dir, "none"), dir, filepath.Join(dir, "file")},
		func(f File) { entries += int(f.Size) }, func(at string) {
			if at == dir {
				entries += 10
			}
		})
	err := s.End()
	if err == nil || strings.Count(err.Error(), "loop") != 1 || !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("told is %v", err)
	}
	if entries != 14 || len(broken) != 1 {
		t.Errorf("%d entries, broken %v", entries, broken)
	}
}

// After an error of who takes the stores there is no other, nor an entry. It is the error of the search; so is the context's.
func TestSearchEnds(t *testing.T) {
	dir := tree(t, "1", "2", "3")
	enough, taken := errors.New("enough"), 0
	s := NewSearch(t.Context(), trace.Places{}, func(trace.Store) error {
		if taken++; taken == 2 {
			return enough
		}
		return nil
	})
	for e := range s.Entries(dir) {
		f, _ := e.File()
		if err := s.Give(Store("x", "", f)); (err == enough) != (taken == 2) {
			t.Errorf("after %d: %v", taken, err)
		}
	}
	if err := s.Give(trace.Store{}, trace.Store{}); err != enough || taken != 2 {
		t.Errorf("%v, after %d", err, taken)
	}
	if err := s.End(); err != enough {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = NewSearch(ctx, trace.Places{}, nil)
	for e := range s.Entries(dir) {
		t.Errorf("entry %s", e.Name)
	}
	if err := s.Give(trace.Store{}); err != context.Canceled || s.End() != context.Canceled {
		t.Error(err)
	}
}

// A store has the bytes of its file and parts together, and the time of the latest; a part that is not there is none.
func TestStore(t *testing.T) {
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	main := File{"/x/main.jsonl", jsonl.Stat{Size: 1, ModTime: early}}
	got := Store("r", "l", main, File{"/x/b", jsonl.Stat{Size: 2, ModTime: late}}, File{}, File{"/x/a", jsonl.Stat{Size: 4, ModTime: early}})
	if got.Reader != "r" || got.Layout != "l" || got.Path != main.Path || !slices.Equal(got.Parts, []string{"/x/b", "/x/a"}) || got.Size != 7 ||
		!got.ModTime.Equal(late) {
		t.Errorf("%+v", got)
	}
	if got := Store("r", "l", main, File{}); got.Parts != nil || got.Size != 1 || main.Name() != "main" {
		t.Errorf("%+v", got)
	}
	s := NewSearch(t.Context(), trace.Places{}, nil)
	if !s.Once("a") || s.Once("a") || !s.Once("b") || s.End() != nil {
		t.Error("a path is asked about once")
	}
}
