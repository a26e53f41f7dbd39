package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/cmd/aburn/internal/archiving"
	"aburn/cmd/internal/kit"
	"aburn/internal/mcpserver"
	"aburn/trace"
)

// TestCache: what is kept is what would be read, whatever is chosen, and is read again once the archive has changed.
func TestCache(t *testing.T) {
	home, dir := ingested(t)
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
	if err := os.RemoveAll(filepath.Join(home, ".codex")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	ingestHome(t, home)
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
	_, dir := ingested(t)
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

// ingested is a home with sessions that have ended, and the folder of its archive.
func ingested(t *testing.T) (home, archiveDir string) {
	t.Helper()
	home = t.TempDir()
	if err := os.CopyFS(home, os.DirFS("../../testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
	return home, ingestHome(t, home)
}

// ingestHome reads what is new in a home and says where its archive is.
func ingestHome(t *testing.T, home string) (archiveDir string) {
	t.Helper()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	var errs bytes.Buffer
	a := &kit.App{Stdout: io.Discard, Stderr: &errs, Getenv: env}
	root := func() *cli.Command {
		return &cli.Command{Name: "aburn", Flags: []cli.Flag{&cli.StringFlag{Name: "C", Value: home}}, Commands: []*cli.Command{archiving.IngestCommand(a)}}
	}
	if code := a.Run(t.Context(), root, []string{"aburn", "ingest"}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	return archive.Dir(env)
}

// TestTracePages: a long trace is read in pages, and every event is in one of them.
func TestTracePages(t *testing.T) {
	long := &trace.SessionTrace{V: 1, Source: "claude", ID: "s"}
	for i := range 3000 {
		long.Events = append(long.Events, trace.Event{Seq: i + 1, Body: &trace.AgentMessage{}, Record: strings.Repeat("x", 100)})
	}
	next, pages := 1, 0
	for next > 0 {
		text, err := pageOf(long, next)
		if err != nil || len(text) > mcpserver.MaxResource {
			t.Fatalf("from %d: %d bytes, %v", next, len(text), err)
		}
		var page struct {
			Next   int
			Events []struct{ Seq int }
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || page.Events[0].Seq != next {
			t.Fatalf("from %d: %v, begins with %d", next, err, page.Events[0].Seq)
		}
		last := page.Events[len(page.Events)-1].Seq
		if page.Next != 0 && page.Next != last+1 || page.Next == 0 && last != 3000 {
			t.Fatalf("from %d to %d, next %d", next, last, page.Next)
		}
		next, pages = page.Next, pages+1
	}
	if pages < 5 {
		t.Errorf("%d pages", pages)
	}
	empty := &trace.SessionTrace{V: 1, Source: "claude", ID: "s"}
	if text, err := pageOf(empty, 1); err != nil || !strings.Contains(text, `"events":[]`) {
		t.Errorf("of an empty trace: %v %s", err, text)
	}
}
