package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/trace"
)

// However many are looked at at once, what comes of them is taken in order; an error of who takes it ends that, and is returned.
func TestTogether(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		var got []int
		if err := inParallel(t.Context(), n, func(i int) int { return i * i }, func(v int) error {
			got = append(got, v)
			return nil
		}); err != nil || len(got) != n || !slices.IsSorted(got) {
			t.Errorf("of %d: %d, %v", n, len(got), err)
		}
	}
	enough, taken := errors.New("enough"), 0
	if err := inParallel(t.Context(), 1000, func(i int) int { return i }, func(i int) error {
		if taken++; i == 10 {
			return enough
		}
		return nil
	}); err != enough || taken != 11 {
		t.Errorf("%v, after %d", err, taken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inParallel(ctx, 1000, func(i int) int { return i }, func(int) error { return nil }); err != context.Canceled {
		t.Error(err)
	}
}

// Sub-agents of many sessions in many projects are all found, each with its own meta file, always in the same order.
func TestFindMany(t *testing.T) {
	world.SlowUnraced(t)
	home := t.TempDir()
	want := map[string]string{} // the meta file of each store
	put := func(path, meta string) {
		t.Helper()
		path = filepath.Join(home, ".claude", "projects", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want[path] = ""
		if meta != "" {
			want[path] = filepath.Join(filepath.Dir(path), meta)
			if err := os.WriteFile(want[path], []byte("{} "), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for p := range 20 {
		for s := range 10 {
			session := fmt.Sprintf("-p%d/%08d-0000-4000-8000-000000000000", p, s)
			put(session+".jsonl", "")
			put(session+"/subagents/agent-a.jsonl", "agent-a.meta.json")
			put(session+"/subagents/agent-a.k.jsonl", "")
			put(session+"/subagents/agent-ab.jsonl", "agent-ab.meta.json")
			put(session+"/subagents/workflows/w1/agent-a.jsonl", []string{"", "agent-a.meta.json"}[s%2])
		}
	}
	find := func() (stores []trace.Store) {
		in := trace.Places{Home: home, Getenv: func(string) string { return "" }}
		if err := New().Find(t.Context(), in, func(s trace.Store) error {
			stores = append(stores, s)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return stores
	}
	stores := find()
	if len(stores) != len(want) {
		t.Errorf("%d stores of %d", len(stores), len(want))
	}
	for _, s := range stores {
		meta, ok := want[s.Path]
		size := int64(3)
		if meta != "" {
			size = 6
		}
		if !ok || strings.Join(s.Parts, " ") != meta || s.Size != size {
			t.Errorf("%s has %q, %d bytes; want %q, %d", s.Path, s.Parts, s.Size, meta, size)
		}
		delete(want, s.Path)
	}
	again := find()
	if !slices.EqualFunc(stores, again, func(a, b trace.Store) bool { return a.Path == b.Path }) {
		t.Error("another order")
	}
}
