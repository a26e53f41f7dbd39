// Package claude reads the transcripts of Claude Code, which only ever grow: one file per session and one per
// sub-agent. It knows no other agent: everything behind trace is blind to the source.
package claude

import (
	"context"
	"errors"
	"io"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// source is the name of the reader and of the agent in its traces, as in the workflow log.
const source = "claude"

// errAgain says that new lines change what was read before the cursor, so that the file must be read from its
// beginning.
var errAgain = errors.New("read it from the beginning")

// Reader is the trace.Reader of Claude Code.
type Reader struct{}

// New returns the reader for Claude Code.
func New() trace.Reader { return Reader{} }

// Name is claude.
func (Reader) Name() string { return source }

// Read reads one transcript. A rewind or an inline sub-agent after the cursor makes it read the whole file again.
func (Reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	f, err := jsonl.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := begin(s, sink, s.Cursor)
	if err != nil {
		return err
	}
	if err = t.readOn(ctx, f); errors.Is(err, errAgain) {
		reportedTo := t.reportedTo
		if t, err = begin(s, sink, trace.Cursor{}); err != nil {
			return err
		}
		t.reportedTo = reportedTo
		t.chain.keepAll()
		err = t.readOn(ctx, f)
	}
	return err
}

func (t *transcript) readOn(ctx context.Context, f io.ReadSeeker) error {
	if _, err := f.Seek(t.at.Offset, io.SeekStart); err != nil {
		return err
	}
	end, err := jsonl.Read(ctx, f, t.at.Offset, t.at.Line, t.line)
	if err != nil {
		return err
	}
	return t.finish(end)
}
