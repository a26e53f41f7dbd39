package claude

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// The layouts of stores.
const (
	layoutSession = "session"
	layoutAgent   = "subagent"
)

// Find finds the transcripts below the client's projects folders, or below in.Paths.
func (Reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	if len(in.Paths) > 0 {
		for _, path := range in.Paths {
			if err := named(ctx, path, found); err != nil {
				return err
			}
		}
		return nil
	}
	for _, dir := range homes(in) {
		stores, err := projects(ctx, filepath.Join(dir, "projects"))
		if err != nil {
			return err
		}
		for _, s := range stores {
			if err := found(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// projects is the transcripts below a projects folder. Looking at thousands of files is waiting for the system: as many
// projects are looked at at once as there are processors.
func projects(ctx context.Context, dir string) ([]trace.Store, error) {
	slugs, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := make([][]trace.Store, len(slugs))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(slugs)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(slugs) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				all[i] = project(filepath.Join(dir, slugs[i].Name()))
			}
		})
	}
	workers.Wait()
	return slices.Concat(all...), ctx.Err()
}

// homes is where the client keeps its files: CLAUDE_CONFIG_DIR, or .claude, or where XDG wants them.
func homes(in trace.Places) []string {
	if dir := in.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return []string{dir}
	}
	config := in.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(in.Home, ".config")
	}
	return []string{filepath.Join(in.Home, ".claude"), filepath.Join(config, "claude")}
}

// project is the transcripts of one project's folder: sessions, and in a folder of each session's name its sub-agents.
func project(dir string) (all []trace.Store) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // no folder, or gone, or not ours to read
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			all = append(all, agents(filepath.Join(path, "subagents"))...)
		case e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl"):
			all = appendStore(all, path, e, nil)
		}
	}
	return all
}

// agents is the sub-agents in a folder, and in those below it.
func agents(dir string) (all []trace.Store) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // most sessions have none
	}
	metas := map[string]fs.DirEntry{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".meta.json") {
			metas[filepath.Join(dir, e.Name())] = e
		}
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			all = append(all, agents(path)...)
		case e.Type().IsRegular() && strings.HasPrefix(e.Name(), "agent-") && strings.HasSuffix(e.Name(), ".jsonl"):
			all = appendStore(all, path, e, metas[metaOf(path)])
		}
	}
	return all
}

// appendStore appends a transcript, whose meta file, if it has one, changes with it.
func appendStore(all []trace.Store, path string, e, meta fs.DirEntry) []trace.Store {
	info, err := e.Info()
	if err != nil {
		return all // it went while we looked
	}
	s := trace.Store{Reader: source, Path: path, Layout: layoutSession, Size: info.Size(), ModTime: info.ModTime()}
	if strings.HasPrefix(filepath.Base(path), "agent-") {
		s.Layout = layoutAgent
	}
	if meta != nil {
		if m, err := meta.Info(); err == nil {
			s.Parts, s.Size, s.ModTime = []string{metaOf(path)}, s.Size+m.Size(), later(s.ModTime, m.ModTime())
		}
	}
	return append(all, s)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// named finds the transcripts at and below a path that a person named, and leaves what does not look like one.
func named(ctx context.Context, root string, found func(trace.Store) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 { // a person can name a link
			info, err := os.Stat(path)
			if err != nil {
				return nil
			}
			d = fs.FileInfoToDirEntry(info)
		}
		if !d.Type().IsRegular() || !looksRight(path) {
			return nil
		}
		var meta fs.DirEntry
		if info, err := os.Lstat(metaOf(path)); err == nil && info.Mode().IsRegular() {
			meta = fs.FileInfoToDirEntry(info)
		}
		for _, s := range appendStore(nil, path, d, meta) {
			return found(s)
		}
		return nil
	})
}

// sniffed is how much of a file is looked at to see what it is, in bytes.
const sniffed = 4 << 10

// looksRight is whether a file is where the client puts transcripts, or begins as they do.
func looksRight(path string) bool {
	if isUUID(strings.TrimSuffix(filepath.Base(path), ".jsonl")) && strings.HasPrefix(filepath.Base(filepath.Dir(path)), "-") {
		return true
	}
	f, err := jsonl.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	buf := make([]byte, sniffed)
	n, _ := f.Read(buf) // what is there tells enough
	line, _, _ := bytes.Cut(buf[:n], []byte{'\n'})
	if !bytes.HasPrefix(line, []byte("{")) || bytes.Contains(line, []byte(`"projectHash"`)) || bytes.Contains(line, []byte(`"payload"`)) {
		return false
	}
	for _, has := range []string{`"sessionId"`, `"isSidechain"`, `"leafUuid"`, `"snapshot"`} {
		if bytes.Contains(line, []byte(has)) {
			return true
		}
	}
	return false
}
