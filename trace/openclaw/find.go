package openclaw

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

const databaseFile = "openclaw-agent.sqlite"

// Find finds transcripts before databases, because databases hold what was imported from transcripts.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	s.Named(in.Paths, func(f draft.File) {
		switch {
		case isDatabase(f.Path):
			giveDatabase(s, f.Path)
		case isTranscript(filepath.Base(f.Path)) && isOurs(f.Path):
			s.Give(draft.Store(name, lines, f))
		}
	}, func(dir string) { below(s, dir) })
	if len(in.Paths) > 0 {
		return s.End()
	}
	var databases []string
	for agent := range s.Entries(filepath.Join(stateDir(in), "agents")) {
		if agent.IsDir() {
			transcripts(s, filepath.Join(agent.Path(), "sessions"))
		}
		databases = append(databases, filepath.Join(agent.Path(), "agent", databaseFile))
	}
	for _, path := range databases {
		giveDatabase(s, path)
	}
	return s.End()
}

// below searches a folder that a person named.
func below(s *draft.Search, dir string) {
	transcripts(s, dir)
	var databases []string
	s.Walk(dir, func(e draft.Entry) bool {
		switch {
		case e.IsDir():
			transcripts(s, e.Path())
		case e.Name == databaseFile:
			databases = append(databases, e.Path())
		}
		return true
	})
	for _, path := range databases {
		giveDatabase(s, path)
	}
}

// stateDir returns the client's folder, by the rules of its documentation.
func stateDir(in trace.Places) string {
	home := in.Home
	if dir := in.Getenv("OPENCLAW_HOME"); dir != "" {
		home = tilde(dir, in.Home)
	}
	if dir := in.Getenv("OPENCLAW_STATE_DIR"); dir != "" {
		return tilde(dir, home)
	}
	return filepath.Join(home, ".openclaw")
}

func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// isDatabase reports whether a file is a database of this client, under any name that contains the client's.
func isDatabase(path string) bool {
	return filepath.Base(path) == databaseFile || strings.Contains(filepath.Base(path), name) &&
		bytes.HasPrefix(jsonl.Peek(path), []byte("SQLite format 3\x00"))
}

// isTranscript reports whether a file's name is that of a transcript: not of a trajectory, a checkpoint before a
// compaction, or a deleted session.
func isTranscript(file string) bool {
	stem, end, ok := strings.Cut(file, ".jsonl")
	return ok && (end == "" || strings.HasPrefix(end, ".reset.") && !strings.HasSuffix(end, ".zst")) &&
		!strings.HasSuffix(stem, ".trajectory") && !strings.Contains(stem, ".checkpoint.")
}

// isOurs reports whether a file begins like a transcript of this client.
func isOurs(path string) bool {
	line, _, _ := bytes.Cut(jsonl.Peek(path), []byte("\n"))
	return bytes.Contains(line, []byte(`"type":"session"`)) && bytes.Contains(line, []byte(`"cwd":`))
}

// transcripts gives the transcripts in one folder; none if it is no folder of sessions.
func transcripts(s *draft.Search, dir string) {
	ours := false
	if filepath.Base(dir) == "sessions" {
		_, ours = draft.FileAt(filepath.Join(dir, index))
	}
	for e := range s.EntriesElse(dir, func(error) {
		s.Give(draft.Store(name, lines,
			draft.File{Path: dir}))
	}) { // Read then returns the reason
		if e.IsRegular() && isTranscript(e.Name) && (ours || isOurs(e.Path())) {
			if f, ok := e.File(); ok {
				s.Give(draft.Store(name, lines, f))
			}
		}
	}
}

// giveDatabase gives the database at path with its log, if it exists.
func giveDatabase(s *draft.Search, path string) {
	if f, ok := draft.FileAt(path); ok {
		wal, _ := draft.FileAt(path + "-wal")
		s.Give(draft.Store(name, database, f, wal))
	}
}
