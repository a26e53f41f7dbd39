// Package gemini reads the sessions of Gemini CLI: files of records that are appended, rewritten by later records,
// split over several files and deleted at the next start. It knows no other agent: everything behind trace is blind to
// the source. docs/formats/gemini-cli.md says what the files hold and how that is known.
//
// The reader takes records in their order, each for what it adds. A message that is written again adds the calls that
// have ended since. A rewritten history marks what it drops as abandoned; nothing that once happened is taken back.
// Because a record can change what earlier ones said, a store that grew is read again as a whole.
package gemini

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// name is the source of the traces, and their agent's name.
const name = "gemini"

// maxUpdateOnly exceeds the length of any record that only updates the time, in bytes.
const maxUpdateOnly = 64

type reader struct{}

// New returns the reader for Gemini CLI's sessions.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return name }

// Read reads a whole store; it ignores the cursor. Missing files are no error as long as one exists; without any, the
// error is fs.ErrNotExist.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	f := &storeReading{sink: sink, sessions: map[string]*session{}, started: map[string]start{}}
	end, err := draft.ReadFiles(append([]string{s.Path}, s.Parts...), sink, func(path string) (jsonl.End, error) { return f.read(ctx, path) },
		func() bool { return len(f.sessions) > 0 })
	if err != nil {
		return err
	}
	if err := f.finish(); err != nil {
		return err
	}
	sink.Done(trace.Cursor{Offset: end.Offset}, end.Torn)
	return nil
}

// storeReading is the reading of one store: a session that a person started, and its sub-agents.
type storeReading struct {
	sink     trace.Sink
	sessions map[string]*session // by their own id
	order    []*session
	started  map[string]start // sub-agents that a call names, by their id
}

// start is what the caller's file says about a sub-agent.
type start struct {
	call, agentType, description string
	end                          string // why it ended, in Gemini's word
}

func (f *storeReading) read(ctx context.Context, path string) (jsonl.End, error) {
	file, err := jsonl.Open(path)
	if err != nil {
		return jsonl.End{}, err
	}
	defer file.Close()
	if filepath.Ext(path) == ".json" {
		return f.readLegacy(path, file)
	}
	src := &source{storeReading: f, path: path}
	end, err := jsonl.Read(ctx, file, 0, 0, func(l jsonl.Line) error {
		f.sink.Progress(l.Size)
		src.line(l)
		return nil
	})
	if err == nil && src.session == nil && src.lines > 0 {
		err = &trace.UnknownLayout{Agent: "Gemini CLI", Path: path,
			Why: "no record with a sessionId stands before the first message"}
	}
	return end, err
}

// finish gives the traces to the sink, sub-agents behind their caller.
func (f *storeReading) finish() error {
	for _, s := range f.order {
		if s.child {
			s.relate(f.started[s.id])
		}
	}
	for _, s := range f.order {
		for _, c := range f.order {
			if _, named := f.started[c.id]; c.child && c.parent == s.id && !named {
				s.addInferredSpawn(c)
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

// source is a file being read.
type source struct {
	*storeReading
	path    string
	session *session // the owner of the next records
	lines   int      // not empty ones
	early   []trace.Damage
}

// updateOnly begins a record that only says when the file was last written. Every third record is one.
var updateOnly = []byte(`{"$set":{"lastUpdated":`)

func (s *source) line(l jsonl.Line) {
	if l.Data != nil && len(bytes.TrimSpace(l.Data)) == 0 || len(l.Data) < maxUpdateOnly &&
		bytes.HasPrefix(l.Data, updateOnly) && bytes.HasSuffix(l.Data, []byte(`"}}`)) {
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
		s.header(r, ref)
	case s.session == nil:
		s.damaged(ref, "no record with a sessionId stands before it")
	default:
		ref.File = s.session.file
		s.session.record(r, ref)
	}
}

// header takes the record that begins a file. Another one follows each time the session is resumed.
func (s *source) header(r record, ref trace.Ref) {
	id := r.sessionID.Str()
	x, again := s.sessions[id]
	if !again {
		x = newSession(s.storeReading, id, s.path, r)
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

// damaged notes an unreadable record. It belongs to the session around it, or to the one that follows.
func (s *source) damaged(ref trace.Ref, why string) {
	if s.session == nil {
		s.early = append(s.early, trace.Damage{Ref: ref, Reason: why})
		return
	}
	ref.File = s.session.file
	s.session.damaged(ref, why)
}
