// Package pi reads the sessions of pi: one file of appended records a session. It knows no other agent: everything behind trace is blind to
// the source. docs/formats/pi.md says what the files hold and how that is known.
//
// The records are a tree: what a person went back from stays in the file. Only the last record says which branch counts, so a file that grew
// is read again as a whole.
package pi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// name is the source of the traces, and their agent's name.
const name = "pi"

// layout is the one form of a store: the file of a session.
const layout = "session"

type reader struct{}

// New returns the reader for pi's sessions.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return name }

// Find finds one store per session.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	give := func(f draft.File) {
		if filepath.Ext(f.Path) == ".jsonl" && isOurs(f.Path) {
			s.Give(draft.Store(name, layout, f))
		}
	}
	below := func(dir string) {
		s.Walk(dir, func(e draft.Entry) bool {
			if e.IsDir() {
				return true
			}
			if f, ok := e.File(); ok {
				give(f)
			}
			return false
		})
	}
	s.Named(in.Paths, give, below)
	if len(in.Paths) == 0 {
		if dir := in.Getenv(agentcli.Pi.Store.Var); dir != "" {
			below(dir)
		}
		if home := agentcli.Pi.Home.Folder(in.Home, in.Getenv); home != "" {
			sessions := filepath.Join(home, "sessions")
			broken := func(error) { s.Give(draft.Store(name, layout, draft.File{Path: sessions})) } // Read returns the reason
			for project := range s.EntriesElse(sessions, broken) {
				if !project.IsDir() {
					continue
				}
				for e := range s.Entries(project.Path()) {
					if f, ok := e.File(); ok && filepath.Ext(e.Name) == ".jsonl" {
						s.Give(draft.Store(name, layout, f))
					}
				}
			}
		}
	}
	return s.End()
}

// isOurs reports whether a file begins like one of this client.
func isOurs(path string) bool {
	line, _, _ := bytes.Cut(jsonl.Peek(path), []byte("\n"))
	return bytes.HasPrefix(line, []byte(`{"type":"session","version":`)) && bytes.Contains(line, []byte(`"cwd":`))
}

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
	f := newSession(s.Path)
	lines := 0
	end, err := jsonl.Read(ctx, file, 0, 0, func(l jsonl.Line) error {
		sink.Progress(l.Size)
		if l.Data == nil || len(bytes.TrimSpace(l.Data)) > 0 {
			lines++
			f.line(l)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if lines > 0 && !f.known {
		return &trace.UnknownLayout{Agent: "pi", Version: f.layout, Path: s.Path, Why: "no record has a type and an id"}
	}
	if v := f.layout; v != "" && v != "3" {
		return &trace.UnknownLayout{Agent: "pi", Version: "of the layout " + v, Path: s.Path, Why: "aburn knows layout 3"}
	}
	for _, d := range f.b.Trace().Damaged {
		sink.Damaged(d)
	}
	if lines > 0 {
		t, err := f.finish()
		if err != nil {
			return err
		}
		if err := sink.Trace(t); err != nil {
			return err
		}
	}
	sink.Done(trace.Cursor{Offset: end.Offset}, end.Torn)
	return nil
}

// idOf is the session's id in a file's name: TIME_ID.jsonl.
func idOf(path string) string {
	base := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(path, `\`, "/")), ".jsonl")
	return base[strings.LastIndexByte(base, '_')+1:]
}

func (s *session) damaged(ref trace.Ref, why string) {
	t := s.b.Trace()
	t.Damaged = append(t.Damaged, trace.Damage{Ref: ref, Reason: why})
}

func (s *session) line(l jsonl.Line) {
	ref := trace.Ref{Line: l.N, Offset: l.Offset}
	if l.Data == nil {
		s.damaged(ref, fmt.Sprintf("the line is longer than %d bytes", jsonl.MaxLine))
		return
	}
	if !gjson.ValidBytes(l.Data) {
		s.damaged(ref, "the line is not JSON")
		return
	}
	x := gjson.ParseBytes(l.Data)
	kind, id := x.Get("type").Str, x.Get("id").Str
	if kind == "" || id == "" {
		s.damaged(ref, "the record has no type or id")
		return
	}
	s.known = true
	at := trace.Event{Time: draft.Time([]byte(x.Get("timestamp").Raw)), Ref: ref, Record: token(id)}
	if kind == "session" {
		s.started(x, at)
		return
	}
	s.begin(at)
	s.parents[at.Record], s.leaf = token(x.Get("parentId").Str), at.Record
	if s.origin != "" && at.Time.Before(s.born) {
		at.Copied = s.origin
	}
	s.record(kind, x, at)
}

// token returns an id as traces keep it, so that the Builder finds it again.
func token(s string) string { return strings.Clone(draft.Token(s)) }
