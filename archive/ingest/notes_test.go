package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// notes is a reader for tests: files *.notes below HOME/notes, one session each, with lines such as {"say":"…"},
// {"call":"c1"}, {"result":"c1"}, {"root":"r"}, {"agent":"parent"}, {"spawn":"agent","call":"c1"}.
type notes struct {
	slow time.Duration // for each line
	hold string        // a file; while it is there, nothing is read
	many int           // so many further sessions in each file, all alike
	// again says that it never goes on.
	again bool
}

// note is one line.
type note struct {
	ID, Say, Call, Result, Root, Agent, Spawn, Bad string
	At                                             time.Time
}

func (notes) Name() string { return "notes" }

func (notes) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	paths := in.Paths
	if len(paths) == 0 {
		paths = []string{filepath.Join(in.Home, "notes")}
	}
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".notes") {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			return found(trace.Store{Reader: "notes", Path: path, Layout: "lines", Size: info.Size(), ModTime: info.ModTime()})
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (r notes) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	first := make([]byte, 16)
	if n, _ := f.ReadAt(first, 0); bytes.HasPrefix(first[:n], []byte("v2")) {
		return &trace.UnknownLayout{Agent: "notes", Version: "2", Path: s.Path, Why: "it begins with v2"}
	}
	if r.again {
		s.Cursor = trace.Cursor{}
	}
	if _, err := f.Seek(s.Cursor.Offset, io.SeekStart); err != nil {
		return err
	}
	id := strings.TrimSuffix(filepath.Base(s.Path), ".notes")
	if at := s.Cursor.State; at != nil {
		id = string(at)
	}
	b := draft.New("notes", id, "notes", s.Path)
	if s.Cursor.Offset > 0 {
		before, err := sink.Previous(id)
		if err != nil {
			return err
		}
		b = draft.Resume(before)
	}
	for r.hold != "" {
		if _, err := os.Stat(r.hold); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	end, err := jsonl.Read(ctx, f, s.Cursor.Offset, s.Cursor.Line, func(l jsonl.Line) error {
		time.Sleep(r.slow)
		sink.Progress(l.Size)
		r.line(b, l, sink)
		return nil
	})
	if err != nil {
		return err
	}
	t, err := b.Finish()
	if err != nil {
		return err
	}
	sink.Done(trace.Cursor{Offset: end.Offset, Line: end.Line, State: []byte(t.ID)}, end.Torn)
	nothing := s.Cursor.Offset > 0 && end.Offset == s.Cursor.Offset // what it gave before holds
	if len(t.Events) == 0 || nothing {
		return nil
	}
	for i := range r.many {
		one := *t
		one.ID = fmt.Sprintf("%s-%d", id, i)
		one.Relationships = slices.Clone(t.Relationships)
		one.Relationships[0].Session = one.ID
		if err := sink.Trace(&one); err != nil {
			return err
		}
	}
	return sink.Trace(t)
}

func (r notes) line(b *draft.Builder, l jsonl.Line, sink trace.Sink) {
	e := trace.Event{Ref: trace.Ref{Line: l.N, Offset: l.Offset}}
	var n note
	if err := json.Unmarshal(l.Data, &n); err != nil {
		sink.Damaged(trace.Damage{Ref: e.Ref, Reason: err.Error() + " in " + string(l.Data)})
		return
	}
	e.Time, e.Record = n.At, n.Root
	t := b.Trace()
	switch {
	case n.ID != "":
		t.ID = n.ID
	case n.Root != "":
		t.Lineage.Root = n.Root
	case n.Agent != "":
		b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: n.Agent, AgentID: t.ID, Provenance: trace.Explicit})
	case n.Spawn != "":
		e.Body = &trace.SubagentSpawn{Call: n.Call, AgentID: n.Spawn}
		b.Add(e)
	case n.Say != "":
		e.Body = &trace.UserMessage{Digest: draft.Digest([]byte(n.Say)), Head: draft.Head(n.Say, trace.UserHead)}
		b.Add(e)
	case n.Call != "":
		b.Call(e, &trace.ToolCall{Call: n.Call, Tool: "sh", Type: trace.ShellTool})
	case n.Result != "":
		b.Result(e, trace.ToolResultEvent{Call: n.Result, Status: trace.StatusCompleted, From: trace.FromToolResult})
	case n.Bad == "panic":
		panic("a bad line")
	case n.Bad == "trace":
		e.Body, e.Ref.File = &trace.UserMessage{}, 7
		b.Add(e)
	}
}
