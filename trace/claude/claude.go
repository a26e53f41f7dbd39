// Package claude reads the transcripts of Claude Code: one file a session, one a sub-agent, which the client only ever
// appends to.
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

// errAgain says that the file must be read from its beginning: what came now changes what was read before the cursor.
var errAgain = errors.New("read it from the beginning")

// Reader is the trace.Reader of Claude Code.
type Reader struct{}

// New is the reader.
func New() trace.Reader { return Reader{} }

// Name is claude.
func (Reader) Name() string { return source }

// Read reads one transcript. A rewind and an inline sub-agent behind a cursor make it read the file from its beginning.
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
		told := t.told
		if t, err = begin(s, sink, trace.Cursor{}); err != nil {
			return err
		}
		t.told = told
		t.chain.keepAll()
		err = t.readOn(ctx, f)
	}
	return err
}

// readOn reads what follows the cursor and gives the traces that came of it to the sink.
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
