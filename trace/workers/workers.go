// Package workers reads the ledgers of aburn's workers as one more source: how each was spawned, what its gates found, what
// it was told, and how it ended. It knows the words of a ledger and no worker. docs/formats/ledger.md says what an event is
// here.
package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"aburn/internal/jsonl"
	"aburn/internal/project"
	"aburn/trace"
	"aburn/trace/draft"
)

// Name is the Source of the traces.
const Name = "worker"

const (
	fileName = "ledger.jsonl"
	version  = 1 // of the format
	layout   = "ledger v1"
)

type reader struct{}

// New returns the reader for workers' ledgers.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return Name }

// Find finds the ledgers in the named places, else those of this user's workers.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	give := func(f draft.File) {
		if filepath.Base(f.Path) == fileName && s.Once(f.Path) {
			s.Give(draft.Store(Name, layout, f))
		}
	}
	s.Named(in.Paths, give, func(dir string) {
		s.Walk(dir, func(e draft.Entry) bool {
			if !e.IsDir() && e.Name == fileName {
				if f, ok := e.File(); ok {
					give(f)
				}
			}
			return e.Name != ".git" && e.Name != "node_modules"
		})
	})
	if len(in.Paths) > 0 {
		return s.End()
	}
	state := project.StateDir(func(name string) string {
		if name == "HOME" {
			return in.Home
		}
		return in.Getenv(name)
	})
	if state == "" {
		return s.End()
	}
	for of := range s.Entries(filepath.Join(state, "workers")) {
		if !of.IsDir() {
			continue
		}
		for e := range s.Entries(of.Path()) {
			if f, ok := draft.FileAt(filepath.Join(e.Path(), fileName)); e.IsDir() && e.Name[0] != '.' && ok {
				give(f)
			}
		}
	}
	return s.End()
}

// header is the first line of a ledger.
type header struct {
	Format  string `json:"aburn"`
	Version int    `json:"v"`
	Project string `json:"project"`
	Worker  string `json:"worker"`
}

// Read reads a whole ledger; it ignores the cursor. How a worker ended follows from all of its entries.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	file, err := jsonl.Open(s.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	dir := filepath.Dir(s.Path)
	l := &ledger{b: draft.New(Name, filepath.Base(dir)+"@"+filepath.Base(filepath.Dir(dir)), "aburn", s.Path), dir: dir, seen: map[uint64]bool{}}
	refuse := func(version, why string) error {
		return &trace.UnknownLayout{Agent: "aburn", Version: version, Path: s.Path, Why: why}
	}
	end, err := jsonl.Read(ctx, file, 0, 0, func(read jsonl.Line) error {
		sink.Progress(read.Size)
		ref := trace.Ref{Line: read.N, Offset: read.Offset}
		if read.N == 1 {
			err := json.Unmarshal(read.Data, &l.header)
			switch {
			case err != nil || l.header.Format != "ledger":
				l.header = header{}
				sink.Damaged(trace.Damage{Ref: ref, Reason: "the first line is no header of a ledger"})
			case l.header.Version > version:
				return refuse(fmt.Sprint(l.header.Version), "a newer aburn wrote it")
			}
			return nil
		}
		var e entry
		if err := json.Unmarshal(read.Data, &e); err != nil || e.Seq == 0 {
			sink.Damaged(trace.Damage{Ref: ref, Reason: "the line is no entry"})
			return nil
		}
		l.lines = append(l.lines, line{e, ref})
		return nil
	})
	if err != nil {
		return err
	}
	if len(l.lines) == 0 && l.header.Format == "" && end.Line > 0 {
		return refuse("", "no line of it is an entry")
	}
	if len(l.lines) > 0 {
		if err := sink.Trace(l.finish()); err != nil {
			return err
		}
	}
	sink.Done(trace.Cursor{Offset: end.Offset}, end.Torn)
	return nil
}
