package ingest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/internal/lab/synth/home"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/gemini"
	"aburn/trace/own"
)

// known is a home whose contents are known.
type known struct {
	*testing.T
	*home.Truth
	dir, home string
	sessions  []home.Session
}

// homeReaders are the readers of what package home makes.
func homeReaders() []trace.Reader {
	return []trace.Reader{claude.New(), codex.New(), gemini.New(), own.New()}
}

func newKnown(t *testing.T, o home.Options) *known {
	t.Helper()
	k := &known{T: t, dir: t.TempDir()}
	var err error
	if k.Truth, err = home.Make(k.dir, o); err == nil {
		k.sessions, err = home.Sessions(k.dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	k.home = filepath.Join(k.dir, "home")
	return k
}

// files are the home's files, relative to it.
func (k *known) files() []string {
	k.Helper()
	var all []string
	err := filepath.WalkDir(k.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, strings.TrimPrefix(path, k.home+"/"))
		}
		return err
	})
	if err != nil {
		k.Fatal(err)
	}
	return all
}

func (k *known) modified(file string) time.Time {
	info, err := os.Stat(filepath.Join(k.home, file))
	if err != nil {
		k.Fatal(err)
	}
	return info.ModTime()
}

// link puts a file of the home into another one.
func (k *known) link(file, home string) {
	k.Helper()
	to := filepath.Join(home, file)
	err := os.MkdirAll(filepath.Dir(to), 0o700)
	if err == nil {
		err = os.Link(filepath.Join(k.home, file), to)
	}
	if err != nil {
		k.Fatal(err)
	}
}

// traces are all traces of an archive, by "source/id".
func (k *known) traces(dir string) map[string]*trace.SessionTrace {
	k.Helper()
	all := map[string]*trace.SessionTrace{}
	k.each(dir, func(s archive.Session, t *trace.SessionTrace) { all[s.Source+"/"+s.ID] = t })
	return all
}

func (k *known) each(dir string, f func(archive.Session, *trace.SessionTrace)) {
	k.Helper()
	ctx := context.Background()
	a, err := archive.View(ctx, dir)
	if err != nil {
		k.Fatal(err)
	}
	defer a.Close()
	if faults, err := a.Check(ctx); err != nil || len(faults) > 0 {
		k.Errorf("the archive has %d faults: %.300q, %v", len(faults), faults[:min(len(faults), 2)], err)
	}
	list, err := a.Sessions(ctx, archive.Filter{Own: true})
	if err != nil {
		k.Fatal(err)
	}
	for _, s := range list {
		t, err := a.Trace(ctx, s.Key)
		if err != nil {
			k.Fatal(err)
		}
		f(s, t)
	}
}

// differs gathers how sessions differ from the truth: an example of each kind, and how many there are.
type differs map[string][]string

func (d differs) check(id, what string, got, want any) {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		d[what] = append(d[what], fmt.Sprintf("%s has %s, not %s", id, g, w))
	}
}

// compare compares an archive with the truth.
func (k *known) compare(dir string) {
	k.Helper()
	truth := map[string]*home.Session{}
	for i := range k.sessions {
		truth[k.sessions[i].Source+"/"+k.sessions[i].ID] = &k.sessions[i]
	}
	d := differs{}
	totals := map[string]*home.Held{}
	k.each(dir, func(s archive.Session, t *trace.SessionTrace) {
		id := s.Source + "/" + s.ID
		want := truth[id]
		if want == nil {
			d["sessions that are not there"] = append(d["sessions that are not there"], id)
			return
		}
		delete(truth, id)
		d.session(id, s, t, want)
		if totals[s.Source] == nil {
			totals[s.Source] = &home.Held{}
		}
		totals[s.Source].Add(held(s, t))
	})
	for id := range truth {
		d["sessions that are missing"] = append(d["sessions that are missing"], id)
	}
	for source, want := range k.Totals {
		if totals[source] == nil {
			d["sources"] = append(d["sources"], source+" is missing")
			continue
		}
		want.Parallel, want.Queued, want.Repeats, want.Dropped, want.Reviews, want.Legacy = 0, 0, 0, 0, 0, 0 // no trace tells these apart
		d.check(source, "totals", asJSON(totals[source]), asJSON(&want.Held))
	}
	for _, what := range slices.Sorted(maps.Keys(d)) {
		slices.Sort(d[what])
		k.Errorf("seed %d: %s: %d sessions differ:\n  %s", k.Seed, what, len(d[what]), strings.Join(d[what][:min(3, len(d[what]))], "\n  "))
	}
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// session compares one session.
func (d differs) session(id string, s archive.Session, t *trace.SessionTrace, want *home.Session) {
	got := held(s, t)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"prompts", got.Prompts, want.Prompts}, {"responses", got.Responses, want.Responses}, {"calls", got.Calls, want.Calls}, {"failed", got.Failed, want.Failed},
		{"denied", got.Denied, want.Denied}, {"no result", got.NoResult, want.NoResult}, {"spawned", got.Spawned, want.Spawned},
		{"background", got.Background, want.Background},
		{"changes", got.Changes, want.Changes}, {"errors", got.Errors, want.Errors}, {"interrupts", got.Interrupts, want.Interrupts},
		{"compacted", got.Compacted, want.Compacted},
		{"resumed", got.Resumed, want.Resumed}, {"notified", got.Notified, want.Notified}, {"abandoned", got.Abandoned, want.Abandoned},
		{"containers", got.Containers, want.Containers},
		{"user calls", got.UserCalls, want.UserCalls}, {"copied", got.Copied, want.Copied}, {"tools", got.Tools, want.Tools},
		{"failed by tool", got.FailedBy, want.FailedBy},
		{"usage", got.Usage, want.Usage}, {"outcome", s.Stated, want.Outcome}, {"start", s.Start.UnixMilli(), want.Start},
		{"path", strings.HasSuffix(s.Path, want.File), true},
	} {
		d.check(id, c.what, c.got, c.want)
	}
	var is *trace.SessionRelationship
	for i := range t.Relationships {
		if r := &t.Relationships[i]; r.Kind == want.Kind {
			is = r
		}
	}
	if is == nil || len(t.Relationships) != 1 {
		d["relationships"] = append(d["relationships"], fmt.Sprintf("%s is %+v, not %s", id, t.Relationships, want.Kind))
		return
	}
	d.check(id, "related", is.Related, want.Related)
	d.check(id, "parent call", is.ParentCall, want.Call)
	if want.Kind == trace.Fork {
		d.check(id, "provenance", is.Provenance == trace.Explicit, want.Linked)
	}
	if want.Kind == trace.Subagent && want.Source == "claude" {
		d.check(id, "agent", is.AgentID+" "+is.AgentType, want.AgentID+" "+want.AgentType)
	}
}

// held counts again, from the trace alone, what the truth has; the counts that the archive shows are its own.
func held(s archive.Session, t *trace.SessionTrace) *home.Held {
	c := s.Counts
	h := &home.Held{Prompts: c.Prompts, Responses: c.Responses, Calls: c.Calls, Failed: c.Failed, Denied: c.Denied, NoResult: c.NoResult, Spawned: c.Subagents,
		Changes: c.Changes,
		Errors:  c.Errors, Interrupts: c.Interrupts, Compacted: c.Compacted, Usage: s.Usage, Tools: map[string]int{}, FailedBy: map[string]int{}}
	for i := range t.Events {
		e := &t.Events[i]
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			switch {
			case b.Machine == "" && e.By == "" && e.Copied != "":
				h.Copied.Prompts++
			case b.Machine == "task_notification" && e.Copied == "":
				h.Notified++
			}
		case *trace.SubagentSpawn:
			if b.Background && e.Copied == "" {
				h.Background++
			}
		case *trace.Session:
			if b.Marker == trace.Resumed && e.Copied == "" {
				h.Resumed++
			}
		}
	}
	for i := range t.Responses {
		if t.Responses[i].Copied != "" {
			h.Copied.Responses++
		}
	}
	for _, c := range t.Calls() {
		switch {
		case c.Call.Container:
			h.Containers++
		case c.Event.By != "":
			h.UserCalls++
		case c.Event.Copied != "":
			h.Copied.Calls++
		default:
			h.Tools[c.Call.Tool]++
			if last := c.Last(); last != nil && last.Status != trace.StatusRunning && last.Failed() {
				h.FailedBy[c.Call.Tool]++
			}
			if c.Event.Abandoned {
				h.Abandoned++
			}
		}
	}
	return h
}

// differences is where two traces differ, for people: the fields, and the first event.
func differences(a, b *trace.SessionTrace) string {
	var out []string
	x, y := *a, *b
	for i := range min(len(a.Events), len(b.Events)) {
		if ea, eb := asJSON(a.Events[i]), asJSON(b.Events[i]); ea != eb {
			out = append(out, fmt.Sprintf("event %d: %s\n      not: %s", i+1, eb, ea))
			break
		}
	}
	out = append(out, fmt.Sprintf("%d events, not %d", len(b.Events), len(a.Events)))
	for i := range min(len(a.Results), len(b.Results)) {
		if ra, rb := asJSON(a.Results[i]), asJSON(b.Results[i]); ra != rb {
			out = append(out, fmt.Sprintf("result %d: %s\n      not: %s", i, rb, ra))
			break
		}
	}
	x.Events, x.Results, y.Events, y.Results = nil, nil, nil, nil
	if ja, jb := asJSON(&x), asJSON(&y); ja != jb {
		out = append(out, jb, "not", ja)
	}
	return "  " + strings.Join(out, "\n  ")
}
