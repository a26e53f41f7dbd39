// Package codex reads the rollouts of Codex: one file of JSON lines a thread, paginated (items) and legacy (events).
//
// What of a rollout becomes what of a trace, and on what evidence, is written down in docs/formats/codex.md.
package codex

import (
	"context"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// Name is the Source of the traces, and the agent's name in them.
const Name = "codex"

// The layouts of a Store.
const (
	layoutRollout    = "rollout"
	layoutCompressed = "compressed rollout"
)

// told is how many bytes are read between two tellings of progress.
const told = 1 << 20

type reader struct{}

// New is the reader of Codex.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return Name }

func (reader) Read(ctx context.Context, store trace.Store, sink trace.Sink) error {
	if strings.HasSuffix(store.Path, compressed) {
		return &trace.UnknownLayout{Agent: Name, Path: store.Path, Why: "compressed rollouts are not read"}
	}
	s, err := begin(store, sink)
	if err != nil {
		return err
	}
	f, err := jsonl.Open(store.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	at := store.Cursor
	if _, err := f.Seek(at.Offset, 0); err != nil {
		return err
	}
	var untold int64
	end, err := jsonl.Read(ctx, f, at.Offset, at.Line, func(l jsonl.Line) error {
		if untold += l.Size; untold >= told {
			sink.Progress(untold)
			untold = 0
		}
		return s.read(l)
	})
	if err != nil {
		return err
	}
	sink.Progress(untold)
	if end.Line > at.Line && s.Builder != nil {
		if err := sink.Trace(s.finish()); err != nil {
			return err
		}
	}
	kept, err := s.keep()
	if err != nil {
		return err
	}
	sink.Done(trace.Cursor{Offset: end.Offset, Line: end.Line, State: kept}, end.Torn)
	return nil
}
