package codex

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

// File names: rollout-<local time>-<thread id>.jsonl, and rollout-<local time>-<thread id>_<segment id>.jsonl for what
// follows a rewind.
const (
	prefix     = "rollout-"
	suffix     = ".jsonl"
	compressed = ".jsonl.zst"
)

func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	walk := func(dir string) {
		s.Walk(dir, func(e draft.Entry) bool {
			if e.IsRegular() && isRollout(e.Name) {
				if f, ok := e.File(); ok { // otherwise it was just archived or removed
					s.Give(storeOf(f))
				}
			}
			return true
		})
	}
	s.Named(in.Paths, func(f draft.File) {
		if isRollout(filepath.Base(f.Path)) || looksRight(f.Path) {
			s.Give(storeOf(f))
		}
	}, walk)
	if len(in.Paths) == 0 {
		for _, dir := range homes(in) {
			walk(filepath.Join(dir, "sessions"))
			walk(filepath.Join(dir, "archived_sessions"))
		}
	}
	return s.End()
}

// homes returns the client's folder.
func homes(in trace.Places) []string {
	env := in.Getenv
	if env == nil {
		env = func(string) string { return "" }
	}
	return []string{agentcli.Codex.Home.Folder(in.Home, env)}
}

func isRollout(name string) bool {
	return strings.HasPrefix(name, prefix) && (strings.HasSuffix(name, suffix) || strings.HasSuffix(name, compressed))
}

// looksRight reports whether a file of another name begins like a rollout.
func looksRight(path string) bool {
	return strings.HasSuffix(path, suffix) && bytes.Contains(jsonl.Peek(path), []byte(`"type":"session_meta"`))
}

func storeOf(f draft.File) trace.Store {
	if strings.HasSuffix(f.Path, compressed) {
		return draft.Store(Name, layoutCompressed, f)
	}
	return draft.Store(Name, layoutRollout, f)
}

// segmentOf returns the segment's id in a rollout's name, "" if it has none.
func segmentOf(path string) string {
	name, ok := strings.CutSuffix(filepath.Base(path), suffix)
	if !ok || !strings.HasPrefix(name, prefix) {
		return ""
	}
	_, segment, _ := strings.Cut(name, "_")
	return segment
}
