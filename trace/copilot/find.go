package copilot

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// layout is the one form of a store: the file of a session.
const layout = "events"

// The folder of sessions, each of which has a folder with this file.
const (
	sessionsDir = "session-state"
	eventsFile  = "events.jsonl"
)

// Find finds one store per session.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	s.Named(in.Paths, func(f draft.File) {
		if isOurs(f.Path) {
			s.Give(draft.Store(name, layout, f))
		}
	}, func(dir string) { named(s, dir) })
	if home := agentcli.Copilot.Home.Folder(in.Home, in.Getenv); len(in.Paths) == 0 && home != "" {
		sessions := filepath.Join(home, sessionsDir)
		broken := func(error) { s.Give(draft.Store(name, layout, draft.File{Path: sessions})) } // Read returns the reason
		for e := range s.EntriesElse(sessions, broken) {
			if e.IsDir() && !strings.HasPrefix(e.Name, ".") {
				give(s, e.Path())
			}
		}
	}
	return s.End()
}

// give gives the store in a session's folder. The client makes the folder some time before the file.
func give(s *draft.Search, dir string) {
	path := filepath.Join(dir, eventsFile)
	f, ok := draft.FileAt(path)
	if !ok {
		s.Opened(dir)
		f, ok = draft.FileAt(path)
	}
	if ok {
		s.Give(draft.Store(name, layout, f))
	}
}

// named gives the stores below a folder that a person named.
func named(s *draft.Search, dir string) {
	s.Walk(dir, func(e draft.Entry) bool {
		if e.IsDir() {
			return true
		}
		if f, ok := e.File(); ok && strings.HasSuffix(e.Name, ".jsonl") && isOurs(f.Path) {
			s.Give(draft.Store(name, layout, f))
		}
		return false
	})
}

// isOurs reports whether a file begins like one of this client, whose first record names the client's version.
func isOurs(path string) bool {
	line, _, _ := bytes.Cut(jsonl.Peek(path), []byte("\n"))
	return bytes.HasPrefix(line, []byte(`{"type":"session.start","data":{`)) && bytes.Contains(line, []byte(`"copilotVersion":`))
}
