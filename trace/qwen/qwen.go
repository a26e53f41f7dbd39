// Package qwen reads the sessions of Qwen Code: one file of appended records a session, and one for each of its
// sub-agents. It knows no other agent: everything behind trace is blind to the source. docs/formats/qwen-code.md says
// what the files hold and how that is known.
//
// A record can change what earlier ones said: a rewind abandons them, a report of a sub-agent ends its call. So a store
// that grew is read again as a whole.
package qwen

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// name is the source of the traces, and their agent's name.
const name = "qwen"

type reader struct{}

// New returns the reader for Qwen Code's sessions.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return name }

// Read reads a whole store; it ignores the cursor. Missing files are no error as long as one exists; without any, the
// error is fs.ErrNotExist.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	f := &storeReading{sink: sink, agents: map[string]bool{}}
	var paths []string
	for _, path := range append([]string{s.Path}, s.Parts...) {
		if strings.HasSuffix(path, metaSuffix) {
			continue // readMeta reads it with the file that it describes
		}
		paths = append(paths, path)
		f.agents[strings.TrimSuffix(filepath.Base(path), ".jsonl")] = true
	}
	end, err := draft.ReadFiles(paths, sink, func(path string) (jsonl.End, error) { return f.read(ctx, path) },
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

// storeReading is the reading of one store: a session and its sub-agents.
type storeReading struct {
	sink     trace.Sink
	sessions []*session
	agents   map[string]bool // names of the store's files, without .jsonl, and of others' that were read before
}

// traced reports whether a sub-agent has a trace with this id: of its file, or stored when there was one. The client
// deletes the files of sub-agents earlier than those of sessions.
func (f *storeReading) traced(id, agent string) bool {
	file := "agent-" + clean(agent)
	known, asked := f.agents[file]
	if !asked {
		t, err := f.sink.Previous(draft.SessionID(id))
		known = err == nil && t != nil
		f.agents[file] = known
	}
	return known
}

func (f *storeReading) read(ctx context.Context, path string) (jsonl.End, error) {
	file, err := jsonl.Open(path)
	if err != nil {
		return jsonl.End{}, err
	}
	defer file.Close()
	src := &source{storeReading: f, path: path}
	end, err := jsonl.Read(ctx, file, 0, 0, func(l jsonl.Line) error {
		f.sink.Progress(l.Size)
		src.line(l)
		return nil
	})
	if err == nil && src.session == nil && src.lines > 0 {
		err = &trace.UnknownLayout{Agent: "Qwen Code", Path: path, Why: "no record has a uuid, a sessionId and a type"}
	}
	return end, err
}

// finish relates the sub-agents to their callers and gives the traces to the sink. Two files with one id are one trace:
// the first counts.
func (f *storeReading) finish() error {
	seen := map[string]bool{}
	for _, c := range f.sessions {
		if c.agent != "" {
			c.relate(f.caller(c))
		}
	}
	for _, s := range f.sessions {
		t, err := s.finish()
		if err != nil {
			return err
		}
		if seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		if err := f.sink.Trace(t); err != nil {
			return err
		}
	}
	return nil
}

// caller returns the session or sub-agent that called the sub-agent c; nil if its file is not here.
func (f *storeReading) caller(c *session) *session {
	for _, s := range f.sessions {
		if s != c && s.id == c.id && s.agent == c.meta.parent {
			return s
		}
	}
	return nil
}

// source is a file being read.
type source struct {
	*storeReading
	path    string
	session *session
	lines   int // not empty ones
	early   []trace.Damage
}

func (s *source) line(l jsonl.Line) {
	if l.Data != nil && len(bytes.TrimSpace(l.Data)) == 0 {
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
	case r.uuid.Str() == "" || r.session.Str() == "" || !r.kind.IsString():
		s.damaged(ref, "the record has no uuid, sessionId or type")
	default:
		if s.session == nil {
			s.begin(r, ref)
		}
		s.session.record(r, ref)
	}
}

// begin begins the trace of the file with its first record.
func (s *source) begin(r record, ref trace.Ref) {
	s.session = newSession(s.storeReading, s.path, r)
	s.sessions = append(s.sessions, s.session)
	s.session.b.Add(trace.Event{Time: draft.TimeMS(r.time), Ref: ref, Record: draft.Token(r.uuid.ID()), Copied: r.copied(),
		Body: &trace.Session{Marker: trace.Started}})
	for _, d := range s.early {
		s.session.damaged(d.Ref, d.Reason)
	}
	s.early = nil
}

// damaged notes an unreadable record. It belongs to the file's session, even if that begins behind it.
func (s *source) damaged(ref trace.Ref, why string) {
	if s.session == nil {
		s.early = append(s.early, trace.Damage{Ref: ref, Reason: why})
		return
	}
	s.session.damaged(ref, why)
}
