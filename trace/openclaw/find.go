package openclaw

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// databaseFile is the name of an agent's database.
const databaseFile = "openclaw-agent.sqlite"

// maxHeader is how much of a file is read to see whether it is one of ours, in bytes.
const maxHeader = 4 << 10

// Find implements trace.Reader. Files of lines come before databases, which have what was taken over from them.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	var closed jsonl.Closed
	if len(in.Paths) > 0 {
		for _, path := range in.Paths {
			if err := named(ctx, path, &closed, found); err != nil {
				return err
			}
		}
		return closed.Join()
	}
	agents := filepath.Join(stateDir(in), "agents")
	list, err := os.ReadDir(agents)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, agent := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !agent.IsDir() {
			continue
		}
		if err := closed.Pass(transcripts(filepath.Join(agents, agent.Name(), "sessions"), found)); err != nil {
			return err
		}
	}
	for _, agent := range list {
		if err := give(filepath.Join(agents, agent.Name(), "agent", databaseFile), database, found); err != nil {
			return err
		}
	}
	return closed.Join()
}

// stateDir is where the client keeps what it has, as its own documentation says.
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

// named finds what a person named: a file, or a folder at whatever height. What may not be read goes into closed.
func named(ctx context.Context, path string, closed *jsonl.Closed, found func(trace.Store) error) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return closed.Pass(err)
	case info.IsDir():
	case isDatabase(path):
		return give(path, database, found)
	case isTranscript(filepath.Base(path)) && isOurs(path):
		return give(path, lines, found)
	default:
		return nil
	}
	var databases []string
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && at == path:
			return closed.Pass(err)
		case err != nil:
			return nil
		case d.IsDir():
			return closed.Pass(transcripts(at, found))
		case d.Name() == databaseFile:
			databases = append(databases, at)
		}
		return nil
	})
	for _, at := range databases {
		if err == nil {
			err = give(at, database, found)
		}
	}
	return err
}

// isDatabase says whether a file is a database of this client, whatever its name: other agents have databases too.
func isDatabase(path string) bool {
	return filepath.Base(path) == databaseFile || strings.Contains(filepath.Base(path), name) && bytes.HasPrefix(beginning(path), []byte("SQLite format 3\x00"))
}

// isTranscript says whether a file's name is one of a transcript: not of a trajectory, of what was before a compaction, or
// of a session that was deleted.
func isTranscript(file string) bool {
	stem, end, ok := strings.Cut(file, ".jsonl")
	return ok && (end == "" || strings.HasPrefix(end, ".reset.") && !strings.HasSuffix(end, ".zst")) &&
		!strings.HasSuffix(stem, ".trajectory") && !strings.Contains(stem, ".checkpoint.")
}

// isOurs says whether a file begins as ours do.
func isOurs(path string) bool {
	line, _, _ := bytes.Cut(beginning(path), []byte("\n"))
	return bytes.Contains(line, []byte(`"type":"session"`)) && bytes.Contains(line, []byte(`"cwd":`))
}

// beginning is the beginning of a file, empty if it cannot be read.
func beginning(path string) []byte {
	f, err := jsonl.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, maxHeader)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return data[:n]
}

// transcripts finds the transcripts in one folder; none if it is no folder of sessions. An error is found's, or says that the
// folder may not be read.
func transcripts(dir string, found func(trace.Store) error) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err != nil { // Read tells why
		return found(trace.Store{Reader: name, Layout: lines, Path: dir})
	}
	ours := filepath.Base(dir) == "sessions" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == index })
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type().IsRegular() && isTranscript(e.Name()) && (ours || isOurs(path)) {
			if err := give(path, lines, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// give gives a store, if it is there.
func give(path, layout string, found func(trace.Store) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // there is none, or it was deleted since
	}
	s := trace.Store{Reader: name, Layout: layout, Path: path, Size: info.Size(), ModTime: info.ModTime()}
	if log, err := os.Stat(path + "-wal"); err == nil && layout == database {
		s.Parts = append(s.Parts, path+"-wal")
		s.Size += log.Size()
		if log.ModTime().After(s.ModTime) {
			s.ModTime = log.ModTime()
		}
	}
	return found(s)
}
