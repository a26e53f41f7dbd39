package archive

import (
	"context"
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/scrub"
	"aburn/trace"
)

// A recorded end counts more than an event of a moment ago.
func TestRecordedEnd(t *testing.T) {
	world.Unshared(t)
	own := func(minute int, words string) *trace.SessionTrace { return story(t, "own", "s", minute, words) }
	store := func(words string) *trace.SessionTrace { return story(t, "claude", "s", 10, words) }
	child := func(words string) *trace.SessionTrace {
		return subagent(story(t, "claude", "s/x", 10, words), "s", "x")
	}
	for _, c := range []struct {
		name   string
		traces []*trace.SessionTrace
		live   string // which of them may be going on
	}{
		{"no end is recorded", []*trace.SessionTrace{store("ask call done stop")}, "claude/s"},
		{"by its store", []*trace.SessionTrace{store("ask call done end")}, ""},
		{"by the hooks", []*trace.SessionTrace{store("ask call done"), own(10, "ask call done end")}, ""},
		{"by the hooks, and results follow", []*trace.SessionTrace{store("ask call done"), own(10, "ask call end done")}, ""},
		{"and it was resumed", []*trace.SessionTrace{store("ask call done"), own(10, "ask end begin")}, "claude/s"},
		{"and it was resumed without hooks", []*trace.SessionTrace{store("ask call done end ask"), own(9, "ask end")}, "claude/s"},
		{"with its sub-agent", []*trace.SessionTrace{store("ask call"), child("call"), own(10, "ask call end")}, ""},
		{"a sub-agent's turn, its only end", []*trace.SessionTrace{store("ask call"), child("call done stop")}, "claude/s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := create(t)
			a.store(t, c.traces...)
			a.now = func() time.Time { return at(12) }
			for _, f := range []Filter{{}, {Limit: 9}} {
				list, err := a.Sessions(context.Background(), f)
				var live []Session
				for _, s := range list {
					if s.Live {
						live = append(live, s)
					}
				}
				if got := ids(live); err != nil || got != c.live {
					t.Errorf("%+v: %q may be going on, want %q, %v", f, got, c.live, err)
				}
				err = a.Digests(f, 1, func(d Digest) error {
					if want := d.Source+"/"+d.ID == c.live; d.Live != want {
						t.Errorf("digest of %s: live %v, want %v", d.ID, d.Live, want)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// The time of an event makes a session live, its own or one that hooks recorded, and not that of its file: a store that was
// copied or restored just now is not running.
func TestCopiedStore(t *testing.T) {
	for _, c := range []struct {
		name   string
		traces []*trace.SessionTrace
		live   string
	}{
		{"copied", []*trace.SessionTrace{story(t, "claude", "s", 10, "ask call")}, ""},
		{"hooks record it", []*trace.SessionTrace{story(t, "claude", "s", 10, "ask call"), story(t, "own", "s", 50, "call")}, "own/s claude/s"},
		{"hooks recorded it", []*trace.SessionTrace{story(t, "claude", "s", 10, "ask call"), story(t, "own", "s", 11, "call")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := create(t)
			for _, tr := range c.traces {
				p, err := Pack(tr)
				if err != nil {
					t.Fatal(err)
				}
				r := NewReading(Cursor{Known: Known{Reader: tr.Source, Path: tr.Sources[0].Path, Scrub: scrub.Version, Modified: at(51), Sessions: 1}}, true)
				r.Traces = []*Packed{p}
				if err := a.Write([]*Reading{r}); err != nil {
					t.Fatal(err)
				}
			}
			a.now = func() time.Time { return at(52) }
			for _, f := range []Filter{{Own: true}, {Own: true, Limit: 9}} {
				list, err := a.Sessions(context.Background(), f)
				live := slices.DeleteFunc(list, func(s Session) bool { return !s.Live })
				if got := ids(live); err != nil || got != c.live {
					t.Errorf("%+v: %q may be going on, want %q, %v", f, got, c.live, err)
				}
			}
		})
	}
}
