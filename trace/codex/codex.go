// Package codex reads the rollouts of Codex: one file of JSON lines per thread, paginated (items) or legacy (events).
// It knows no other agent: everything behind trace is blind to the source.
//
// docs/formats/codex.md says which part of a rollout becomes which part of a trace, and on what evidence.
package codex

import (
	"context"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// Name is the Source of the traces, and their agent's name.
const Name = "codex"

const (
	layoutRollout    = "rollout"
	layoutCompressed = "compressed rollout"
)

// reportEvery is the number of bytes between two reports of progress.
const reportEvery = 1 << 20

type reader struct{}

// New returns the reader for Codex.
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
	var unreported int64
	end, err := jsonl.Read(ctx, f, at.Offset, at.Line, func(l jsonl.Line) error {
		if unreported += l.Size; unreported >= reportEvery {
			sink.Progress(unreported)
			unreported = 0
		}
		return s.read(l)
	})
	if err != nil {
		return err
	}
	sink.Progress(unreported)
	if end.Line > at.Line && s.Builder != nil {
		if err := sink.Trace(s.finish()); err != nil {
			return err
		}
	}
	kept, err := s.cursorState()
	if err != nil {
		return err
	}
	sink.Done(trace.Cursor{Offset: end.Offset, Line: end.Line, State: kept}, end.Torn)
	return nil
}
