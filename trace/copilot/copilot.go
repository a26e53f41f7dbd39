// Package copilot reads the sessions of the Copilot CLI: one file of appended records a session, in which its sub-agents
// stand too. It knows no other agent: everything behind trace is blind to the source. docs/formats/copilot.md says what
// the files hold and how that is known.
//
// A record can end a call of any sub-agent, so a store that grew is read again as a whole.
package copilot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// name is the source of the traces, and their agent's name.
const name = "copilot"

type reader struct{}

// New returns the reader for the Copilot CLI's sessions.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return name }

// Read reads a whole store; it ignores the cursor. The error is fs.ErrNotExist if the file is gone.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	file, err := jsonl.Open(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is gone: %w", s.Path, err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	f := &reading{sink: sink, path: s.Path, agents: map[string]*session{}, owners: map[string]*session{}, shells: map[string]string{}}
	end, err := jsonl.Read(ctx, file, 0, 0, func(l jsonl.Line) error {
		sink.Progress(l.Size)
		f.line(l)
		return nil
	})
	if err != nil {
		return err
	}
	if f.root == nil && f.lines > 0 {
		return &trace.UnknownLayout{Agent: "Copilot CLI", Path: s.Path, Why: "no record has a type, an id and data"}
	}
	if err := f.finish(); err != nil {
		return err
	}
	sink.Done(trace.Cursor{Offset: end.Offset}, end.Torn)
	return nil
}

// reading is the reading of one file: a session with its sub-agents.
type reading struct {
	sink   trace.Sink
	path   string
	root   *session
	order  []*session          // root, then its sub-agents as they begin
	agents map[string]*session // of the sub-agents, by their ids
	owners map[string]*session // who made a call, by its id
	shells map[string]string   // the call that started a shell which runs on, by the shell's id
	lines  int                 // not empty ones
	early  []trace.Damage
}

// record is one line of a file. Its texts hold the whole line in memory: what a trace keeps is a copy.
type record struct {
	kind  string
	agent string // the sub-agent, "" for the session itself
	data  gjson.Result
}

func (f *reading) line(l jsonl.Line) {
	if l.Data != nil && len(bytes.TrimSpace(l.Data)) == 0 {
		return
	}
	f.lines++
	ref := trace.Ref{Line: l.N, Offset: l.Offset}
	if l.Data == nil {
		f.damaged(ref, fmt.Sprintf("the line is longer than %d bytes", jsonl.MaxLine))
		return
	}
	if !gjson.ValidBytes(l.Data) {
		f.damaged(ref, "the line is not JSON")
		return
	}
	x := gjson.ParseBytes(l.Data)
	r := record{kind: x.Get("type").Str, agent: x.Get("agentId").Str, data: x.Get("data")}
	id := x.Get("id").Str
	if r.kind == "" || id == "" || !r.data.IsObject() {
		f.damaged(ref, "the record has no type, id or data")
		return
	}
	at := trace.Event{Time: draft.Time([]byte(x.Get("timestamp").Raw)), Ref: ref, Record: token(id)}
	if f.root == nil {
		f.begin(r, at)
	}
	f.session(r, at).record(r, at)
}

// begin begins the session's trace with the first record. Its id is also the folder's name, which a file without its
// first record still has.
func (f *reading) begin(r record, at trace.Event) {
	id := r.data.Get("sessionId").Str
	if r.kind != "session.start" || id == "" {
		id = folderName(f.path)
	}
	f.root = newSession(f, strings.Clone(id), "")
	f.order = append(f.order, f.root)
	if r.kind != "session.start" {
		at.Body = &trace.Session{Marker: trace.Started}
		f.root.b.Add(at)
	}
	for _, d := range f.early {
		f.damaged(d.Ref, d.Reason)
	}
	f.early = nil
}

// folderName is the id in a file's path: <id>/events.jsonl, or <id>.jsonl.
func folderName(path string) string {
	if filepath.Base(path) == eventsFile {
		return filepath.Base(filepath.Dir(path))
	}
	return strings.TrimSuffix(filepath.Base(path), ".jsonl")
}

// session returns whom a record belongs to. A sub-agent's id is one that no other session has, so it names its trace.
func (f *reading) session(r record, at trace.Event) *session {
	if r.agent == "" || r.agent == f.root.id {
		return f.root
	}
	s := f.agents[r.agent]
	if s == nil {
		id := strings.Clone(r.agent)
		s = newSession(f, id, id)
		s.b.Trace().Agent.Version = f.root.b.Trace().Agent.Version
		s.b.Trace().Project.Path = f.root.b.Trace().Project.Path
		s.branch = f.root.branch
		f.agents[id] = s
		f.order = append(f.order, s)
		at.Body = &trace.Session{Marker: trace.Started, Detail: "subagent"}
		s.b.Add(at)
	}
	return s
}

// damaged notes an unreadable record. It belongs to the file's session, even if that begins behind it.
func (f *reading) damaged(ref trace.Ref, why string) {
	d := trace.Damage{Ref: ref, Reason: why}
	if f.root == nil {
		f.early = append(f.early, d)
		return
	}
	t := f.root.b.Trace()
	t.Damaged = append(t.Damaged, d)
	f.sink.Damaged(d)
}

// finish gives the traces to the sink.
func (f *reading) finish() error {
	for _, s := range f.order {
		if s.agent != "" {
			s.b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: cmp.Or(s.caller, f.root.id), AgentID: s.agent,
				AgentType: s.agentType, Description: s.description, ParentCall: s.call, Time: s.b.Trace().Events[0].Time, Provenance: trace.Explicit})
		}
		t := s.b.Trace()
		t.Outcome, t.OutcomeFrom = s.outcome()
		t, err := s.b.Finish()
		if err != nil {
			return err
		}
		if err := f.sink.Trace(t); err != nil {
			return err
		}
	}
	return nil
}

// token returns an id as traces keep it, so that the Builder finds it again.
func token(s string) string { return strings.Clone(draft.Token(s)) }
