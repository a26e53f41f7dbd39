// Package gemini reads the sessions of Gemini CLI: files of records that are appended, rewritten by later records, split
// over several files and deleted at the next start. docs/formats/gemini-cli.md says what they hold and how that is known.
//
// Records are taken in their order, each for what it adds: a message that is written again adds the calls that have ended
// since, a history that is rewritten marks what it drops as abandoned, and nothing that once happened is taken back. As a
// record may change what earlier ones said, a store that grew is read again as a whole.
package gemini

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// name is the source and the agent of the traces.
const name = "gemini"

// maxTouched is longer than any record that touched begins, in bytes.
const maxTouched = 64

type reader struct{}

// New is the reader of Gemini CLI's sessions.
func New() trace.Reader { return reader{} }

// Name implements trace.Reader.
func (reader) Name() string { return name }

// Read implements trace.Reader. It ignores the cursor. Files of the store that are gone are no error as long as one is
// there; without any, the error is fs.ErrNotExist.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	f := &family{sink: sink, sessions: map[string]*session{}, started: map[string]start{}}
	var size int64
	torn, gone, unknown := false, 0, error(nil)
	paths := append([]string{s.Path}, s.Parts...)
	for _, path := range paths {
		end, err := f.read(ctx, path)
		var layout *trace.UnknownLayout
		switch {
		case errors.Is(err, fs.ErrNotExist):
			gone++
			continue
		case errors.As(err, &layout):
			unknown = err
		case err != nil:
			return err
		}
		size += end.Offset
		torn = torn || end.Torn
	}
	switch {
	case gone == len(paths):
		return fmt.Errorf("%s is gone: %w", s.Path, fs.ErrNotExist)
	case unknown != nil && len(f.sessions) == 0:
		return unknown
	case unknown != nil:
		sink.Damaged(trace.Damage{Ref: trace.Ref{Line: 1}, Reason: unknown.Error()})
	}
	if err := f.finish(); err != nil {
		return err
	}
	sink.Done(trace.Cursor{Offset: size}, torn)
	return nil
}

// family is the sessions of one store: one that a person started, and the sub-agents of it.
type family struct {
	sink     trace.Sink
	sessions map[string]*session // by their own id
	order    []*session
	started  map[string]start // sub-agents that a call names, by their id
}

// start is what the caller's file says of a sub-agent.
type start struct {
	call, agentType, description string
	end                          string // why it ended, in Gemini's word
}

// read reads one file.
func (f *family) read(ctx context.Context, path string) (jsonl.End, error) {
	file, err := jsonl.Open(path)
	if err != nil {
		return jsonl.End{}, err
	}
	defer file.Close()
	if filepath.Ext(path) == ".json" {
		return f.readLegacy(path, file)
	}
	src := &source{family: f, path: path}
	end, err := jsonl.Read(ctx, file, 0, 0, func(l jsonl.Line) error {
		f.sink.Progress(l.Size)
		src.line(l)
		return nil
	})
	if err == nil && src.session == nil && src.lines > 0 {
		err = &trace.UnknownLayout{Agent: "Gemini CLI", Path: path, Why: "no record with a sessionId stands before the first message"}
	}
	return end, err
}

// finish gives the traces to the sink, those of sub-agents behind the one that called them.
func (f *family) finish() error {
	for _, s := range f.order {
		if s.child {
			s.belong(f.started[s.id])
		}
	}
	for _, s := range f.order {
		for _, c := range f.order {
			if _, told := f.started[c.id]; c.child && c.parent == s.id && !told {
				s.spawned(c)
			}
		}
	}
	for _, s := range f.order {
		t, err := s.finish()
		if err != nil {
			return err
		}
		if err := f.sink.Trace(t); err != nil {
			return err
		}
	}
	return nil
}

// source is a file while it is read.
type source struct {
	*family
	path    string
	session *session // whose records follow
	lines   int      // that are not empty
	early   []trace.Damage
}

// touched begins a record that says when the file was written last, which is every third one and tells us nothing.
var touched = []byte(`{"$set":{"lastUpdated":`)

// line takes one record.
func (s *source) line(l jsonl.Line) {
	if l.Data != nil && len(bytes.TrimSpace(l.Data)) == 0 || len(l.Data) < maxTouched && bytes.HasPrefix(l.Data, touched) && bytes.HasSuffix(l.Data, []byte(`"}}`)) {
		return
	}
	s.lines++
	ref := trace.Ref{Line: l.N, Offset: l.Offset}
	if l.Data == nil {
		s.damaged(ref, fmt.Sprintf("the line is longer than %d bytes", jsonl.MaxLine))
		return
	}
	r, why := parse(l.Data)
	switch {
	case why != "":
		s.damaged(ref, why)
	case r.header():
		s.head(r, ref)
	case s.session == nil:
		s.damaged(ref, "no record with a sessionId stands before it")
	default:
		ref.File = s.session.file
		s.session.record(r, ref)
	}
}

// head takes the record that begins a file, and another one each time that the session is resumed.
func (s *source) head(r record, ref trace.Ref) {
	id := r.sessionID.str()
	x, again := s.sessions[id]
	if !again {
		x = newSession(s.family, id, s.path, r)
		s.sessions[id] = x
		s.order = append(s.order, x)
	}
	x.file = x.b.File(s.path, "")
	ref.File = x.file
	x.begin(r, ref, again)
	s.session = x
	for _, d := range s.early {
		d.Ref.File = x.file
		x.damaged(d.Ref, d.Reason)
	}
	s.early = nil
}

// damaged notes a record that cannot be read. It belongs to the session that it stands in, or to the one that follows.
func (s *source) damaged(ref trace.Ref, why string) {
	if s.session == nil {
		s.early = append(s.early, trace.Damage{Ref: ref, Reason: why})
		return
	}
	ref.File = s.session.file
	s.session.damaged(ref, why)
}
