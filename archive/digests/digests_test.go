package digests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/internal/scrub"
	"aburn/trace"
	"aburn/trace/draft"
)

// at is a time in the tests, in minutes.
func at(minute int) time.Time { return time.Date(2026, 11, 1, 10, minute, 0, 0, time.UTC) }

// story is a trace of a session: each word is an event: "ask", "say", "call:N", "done:N", "fail:N", or a marker of the workflow,
// "command_started:build".
func story(t *testing.T, source, id string, minute int, words string) *trace.SessionTrace {
	t.Helper()
	b := draft.New(source, id, source, "/stores/"+source+"/"+id)
	for i, word := range strings.Fields(words) {
		e := trace.Event{Time: at(minute).Add(time.Duration(i) * time.Second), Ref: trace.Ref{Line: int64(i + 1)}, Record: fmt.Sprintf("%s-%d", id, i)}
		word, of, _ := strings.Cut(word, ":")
		switch word {
		case "say":
			e.Body = &trace.AgentMessage{Digest: draft.Digest([]byte(word))}
			b.Add(e)
		case "ask":
			e.Body = &trace.UserMessage{Digest: draft.Digest([]byte(word)), Head: "please"}
			b.Add(e)
		case "call":
			b.Call(e, &trace.ToolCall{Call: "call-" + of, Tool: "Bash", Type: trace.ShellTool, Head: "make"})
		case "done", "fail":
			wrong := word == "fail"
			status := map[bool]trace.Status{false: trace.StatusCompleted, true: trace.StatusErrored}[wrong]
			b.Result(e, trace.ToolResultEvent{Call: "call-" + of, Status: status, IsError: &wrong, From: trace.FromToolResult})
		default:
			e.Body = &trace.Session{Marker: trace.Marker(word), Command: of}
			b.Add(e)
		}
	}
	tr, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// subagent makes t one of parent's.
func subagent(t *trace.SessionTrace, parent string) *trace.SessionTrace {
	_, agent, _ := strings.Cut(t.ID, "/")
	t.Relationships = []trace.SessionRelationship{{
		V: trace.Version, Kind: trace.Subagent, Source: t.Source, Session: t.ID, Related: parent, AgentID: agent, ParentCall: "call-1",
		Provenance: trace.Explicit,
	}}
	return t
}

// store is an archive in a new folder, to which write adds sessions, each as if it were the only one of a store.
func store(t *testing.T, traces ...*trace.SessionTrace) (dir string, a *archive.Archive) {
	t.Helper()
	dir = t.TempDir()
	a, err := archive.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		faults, err := a.Check(context.Background())
		if err != nil || len(faults) > 0 {
			t.Errorf("the archive: %q, %v", faults, err)
		}
		a.Close()
	})
	write(t, a, traces...)
	return dir, a
}

func write(t *testing.T, a *archive.Archive, traces ...*trace.SessionTrace) {
	t.Helper()
	var readings []*archive.Reading
	for _, tr := range traces {
		p, err := archive.Pack(tr)
		if err != nil {
			t.Fatal(err)
		}
		r := archive.NewReading(archive.Cursor{Known: archive.Known{Reader: tr.Source, Path: tr.Sources[0].Path, Scrub: scrub.Version, Modified: tr.End}}, true)
		r.Traces = []*archive.Packed{p}
		readings = append(readings, r)
	}
	if err := a.Write(readings); err != nil {
		t.Fatal(err)
	}
}

// list is what Load gives, as "source/id" in its order.
func list(t *testing.T, dir string, f archive.Filter) (names string, all []Session) {
	t.Helper()
	all, err := Load(context.Background(), dir, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		names += " " + s.Source + "/" + s.ID
	}
	return strings.TrimSpace(names), all
}

func TestLoad(t *testing.T) {
	dir, _ := store(t, story(t, "claude", "a", 1, "ask call:1 done:1"), subagent(story(t, "claude", "a/x", 9, "ask"), "a"),
		story(t, "codex", "b", 5, "ask"), story(t, "own", "a", 1, "call:1 done:1"), story(t, "own", "c", 3, "call:1"))
	for _, c := range []struct {
		f    archive.Filter
		want string
	}{
		{archive.Filter{}, "claude/a/x codex/b own/c claude/a"},
		{archive.Filter{Limit: 2}, "claude/a/x codex/b"},
		{archive.Filter{Since: at(2), Until: at(6)}, "codex/b own/c"},
		{archive.Filter{Source: "claude"}, "claude/a/x claude/a"},
		{archive.Filter{Source: "nobody"}, ""},
	} {
		for range 2 { // made, and kept
			if got, _ := list(t, dir, c.f); got != c.want {
				t.Errorf("%+v: %s, want %s", c.f, got, c.want)
			}
		}
	}
	_, all := list(t, dir, archive.Filter{})
	for i, hooked := range []bool{false, false, true, true} {
		if all[i].Hooked != hooked || all[i].Live {
			t.Errorf("%s: hooked %v, live %v", all[i].ID, all[i].Hooked, all[i].Live)
		}
	}
}

// Where there is no archive that is said, as by archive.View.
// Sessions that ended at once come by source and id, whichever was archived first.
func TestLoadOrder(t *testing.T) {
	traces := []*trace.SessionTrace{story(t, "claude", "a", 1, "ask"), story(t, "claude", "b", 1, "ask"), story(t, "codex", "a", 1, "ask")}
	for range 2 {
		slices.Reverse(traces)
		dir, _ := store(t, traces...)
		if got, _ := list(t, dir, archive.Filter{}); got != "claude/a claude/b codex/a" {
			t.Error(got)
		}
		if got, _ := list(t, dir, archive.Filter{Limit: 2}); got != "claude/a claude/b" {
			t.Errorf("of two: %s", got)
		}
	}
}

func TestNoArchive(t *testing.T) {
	var missing *archive.NotFound
	if _, err := Load(context.Background(), t.TempDir(), archive.Filter{}, nil); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
}

func TestProgress(t *testing.T) {
	var all []*trace.SessionTrace
	for i := range 150 {
		all = append(all, story(t, "claude", fmt.Sprint("s", i), 1, "ask call:1 done:1"))
	}
	dir, _ := store(t, all...)
	told := 0
	if _, err := Load(context.Background(), dir, archive.Filter{}, func(done, total int) {
		if done <= told || done > 150 || total != 150 {
			t.Errorf("%d of %d after %d", done, total, told)
		}
		told = done
	}); err != nil || told != 150 {
		t.Errorf("told %d, %v", told, err)
	}
}
