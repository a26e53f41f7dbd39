package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
)

// TestCache: what is kept is what would be read, whatever is chosen, and is read again once the archive has changed.
func TestCache(t *testing.T) {
	w := newMCPWorld(t)
	dir := archive.Dir(w.env)
	k := &archiveCache{dir: dir}
	at := func(hour, minute int) time.Time { return time.Date(2025, 11, 20, hour, minute, 0, 123456, time.UTC) }
	names := func(list []digests.Session, err error) []string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range list {
			names = append(names, s.Source+"/"+s.ID)
		}
		return names
	}
	ends := names(k.load(t.Context(), archive.Filter{}))
	if len(ends) < 4 {
		t.Fatalf("%d sessions", len(ends))
	}
	for _, f := range []archive.Filter{
		{}, {Source: "claude"}, {Since: at(10, 5)}, {Until: at(10, 5)}, {Since: at(10, 0), Until: at(10, 30), Source: "claude"}, {Project: "/home/user/shop"},
		{Since: at(9, 0)}, {Until: at(9, 0)}, {},
	} {
		got, want := names(k.load(t.Context(), f)), names(digests.Load(t.Context(), dir, f, nil))
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	exact, err := digests.Load(t.Context(), dir, archive.Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []archive.Filter{{Since: exact[1].End}, {Until: exact[1].End}} { // the border itself
		if got, want := names(k.load(t.Context(), f)), names(digests.Load(t.Context(), dir, f, nil)); !slices.Equal(got, want) {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}

	again, _ := k.load(t.Context(), archive.Filter{})
	if same, _ := k.load(t.Context(), archive.Filter{}); &same[0] != &again[0] {
		t.Error("read twice")
	}
	if err := os.RemoveAll(filepath.Join(w.home, ".codex")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	w.must("ingest")
	if got := names(k.load(t.Context(), archive.Filter{})); len(got) >= len(ends) {
		t.Errorf("after the archive was made anew: %q", got)
	}
	for i := range 10 {
		k.load(t.Context(), archive.Filter{Project: fmt.Sprint(i)})
	}
	if len(k.digests) > cachedChoices {
		t.Errorf("%d choices are kept", len(k.digests))
	}
}

// TestCacheTime: a list is as good as it was for as long as nobody goes on in it; a session that goes on may have ended since.
func TestCacheTime(t *testing.T) {
	w := newMCPWorld(t)
	dir := archive.Dir(w.env)
	if _, err := digests.Load(t.Context(), dir, archive.Filter{}, nil); err != nil { // which writes those that were missing
		t.Fatal(err)
	}
	for _, live := range []bool{false, true} {
		k := &archiveCache{dir: dir}
		before, err := k.load(t.Context(), archive.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		k.digests[0].live, k.digests[0].at = live, time.Now().Add(-2*liveFor)
		after, err := k.load(t.Context(), archive.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if kept := &before[0] == &after[0]; kept == live {
			t.Errorf("with a session that goes on: %v, kept: %v", live, kept)
		}
	}
}
