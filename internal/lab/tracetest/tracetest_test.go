package tracetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/jsonl"
	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/draft"
)

var update = flag.Bool("update", false, "write the golden files")

// notes reads files of {"say"}, {"call"}, {"result"} and {"rewind"}, in the way that its faults allow.
type notes struct {
	eatsTorn  bool // takes a last line that has no end
	forgets   bool // goes on without the trace that was read before
	foresight bool // a rewind changes the text of what it goes back over
	hindsight bool // and the status of results
}

func (notes) Name() string { return "notes" }

func (notes) Find(_ context.Context, in trace.Places, found func(trace.Store) error) error {
	for _, path := range in.Paths {
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			return found(trace.Store{Reader: "notes", Path: path, Layout: "lines", Size: info.Size(), ModTime: info.ModTime()})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r notes) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	id := strings.TrimSuffix(filepath.Base(s.Path), ".jsonl")
	b := draft.New("notes", id, "notes", s.Path)
	if s.Cursor.Offset > 0 && !r.forgets {
		before, err := sink.Previous(id)
		if err != nil {
			return err
		}
		b = draft.Resume(before)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(s.Cursor.Offset, io.SeekStart); err != nil {
		return err
	}
	end, err := jsonl.Read(ctx, f, s.Cursor.Offset, s.Cursor.Line, func(l jsonl.Line) error {
		r.line(b, l, sink)
		return nil
	})
	if err != nil {
		return err
	}
	if r.eatsTorn && end.Torn {
		r.line(b, jsonl.Line{Data: []byte(`{"say":"torn"}`), N: end.Line + 1, Offset: end.Offset}, sink)
	}
	if t, err := b.Finish(); err != nil {
		return err
	} else if len(t.Events) > 0 {
		if err := sink.Trace(t); err != nil {
			return err
		}
		sink.Done(trace.Cursor{Offset: end.Offset, Line: end.Line}, end.Torn)
	}
	return nil
}

func (r notes) line(b *draft.Builder, l jsonl.Line, sink trace.Sink) {
	e := trace.Event{Ref: trace.Ref{Line: l.N, Offset: l.Offset}}
	var n struct {
		Say, Call, Result string
		Rewind            int
		At                time.Time
	}
	if err := json.Unmarshal(l.Data, &n); err != nil {
		sink.Damaged(trace.Damage{Ref: e.Ref, Reason: "no JSON"})
		return
	}
	e.Time = n.At
	switch {
	case n.Say != "":
		e.Body = &trace.UserMessage{Digest: draft.Digest([]byte(n.Say)), Head: draft.Head(n.Say, trace.UserHead)}
		b.Add(e)
	case n.Call != "":
		b.Call(e, &trace.ToolCall{Call: n.Call, Tool: "sh", Type: trace.ShellTool})
	case n.Result != "":
		b.Result(e, trace.ToolResultEvent{Call: n.Result, Status: trace.StatusCompleted, From: trace.FromToolResult})
	case n.Rewind > 0:
		for i := range b.Trace().Events {
			e := &b.Trace().Events[i]
			e.Abandoned = i >= n.Rewind
			if u, ok := e.Body.(*trace.UserMessage); ok && r.foresight {
				u.Head = "rewound"
			}
		}
		for i := range b.Trace().Results {
			if r.hindsight {
				b.Trace().Results[i].Status = trace.StatusUnknown
			}
		}
	}
}

func TestReader(t *testing.T) {
	s := tracetest.Read(t, notes{}, "testdata/notes")
	tracetest.Truth(t, s, "testdata/notes.truth")
	tracetest.Golden(t, s.Ordered(), "testdata/golden/notes.json", *update)
	tracetest.Cuts(t, notes{}, "testdata/notes")
}

func FuzzReader(f *testing.F) {
	place := func(dir string) string { return filepath.Join(dir, "x.jsonl") }
	tracetest.Fuzz(f, notes{}, place, "testdata/notes/a.jsonl", "testdata/notes/sub/b.jsonl")
}

// watched is a test that notes that it failed.
type watched struct {
	testing.TB
	said []string
}

func (w *watched) Error(args ...any)            { w.said = append(w.said, fmt.Sprint(args...)) }
func (w *watched) Errorf(f string, args ...any) { w.said = append(w.said, fmt.Sprintf(f, args...)) }
func (w *watched) Fatalf(f string, args ...any) { w.Errorf(f, args...) }
func (w *watched) Failed() bool                 { return len(w.said) > 0 }

// A reader with a fault is found out.
func TestFaultsAreSeen(t *testing.T) {
	for name, c := range map[string]struct {
		r    notes
		want string
	}{
		"takes a torn line":          {notes{eatsTorn: true}, "is not as in the whole"},
		"does not go on":             {notes{forgets: true}, "read on, a is not as in the whole"},
		"changes what it gave":       {notes{foresight: true}, "event 1 is not as in the whole"},
		"changes a result":           {notes{hindsight: true}, "result 1 is not as in the whole"},
		"what nothing is wrong with": {notes{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := &watched{TB: t}
			tracetest.CutFile(w, c.r, "testdata/notes", "a.jsonl")
			if got := strings.Join(w.said, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("said %q, not %q", got, c.want)
			}
		})
	}
}

func TestTruthIsCompared(t *testing.T) {
	s := tracetest.Read(t, notes{}, "testdata/notes")
	for line, want := range map[string]string{
		"a prompts=3":          "prompts is 2, not 3",
		"a prompt=2":           "there is no prompt",
		"c prompts=2":          "there is no session c; there are a, b",
		"a prompts=2":          "has no line for session b",
		"a\nb\na":              "a has a line already",
		"a":                    "it says nothing about a",
		"a relation=fork":      "relation is root, not fork",
		"a outcome=completed":  "outcome is unknown, not completed",
		"# a prompts=2\n  # b": "has no line for session a",
	} {
		path := filepath.Join(t.TempDir(), "x.truth")
		if err := os.WriteFile(path, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		w := &watched{TB: t}
		tracetest.Truth(w, s, path)
		if got := strings.Join(w.said, "\n"); !strings.Contains(got, want) {
			t.Errorf("%q: said %q, not %q", line, got, want)
		}
	}
}

func TestGoldenIsCompared(t *testing.T) {
	s := tracetest.Read(t, notes{}, "testdata/notes")
	s.Traces["a"].Events[0].Body.(*trace.UserMessage).Head = "fix another"
	w := &watched{TB: t}
	tracetest.Golden(w, s.Ordered(), "testdata/golden/notes.json", false)
	if got := strings.Join(w.said, "\n"); !strings.Contains(got, `"head": "fix another"`) {
		t.Errorf("said %q", got)
	}
}

// A trace that breaks a rule is an error of whoever reads it, with the rule.
func TestInvalidIsSeen(t *testing.T) {
	s := tracetest.NewSink()
	made := draft.New("notes", "a", "notes", "a.jsonl")
	made.Add(trace.Event{Body: &trace.UserMessage{}}) // without a place
	tr, err := made.Finish()
	var invalid *trace.Invalid
	if !errors.As(err, &invalid) {
		t.Errorf("finish: %v", err)
	}
	if err := s.Trace(tr); err == nil || !strings.Contains(err.Error(), "where it was read") {
		t.Errorf("sink: %v", err)
	}
}
