package claude

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
	var closed jsonl.Closed
	if len(in.Paths) > 0 {
		for _, path := range in.Paths {
			if err := closed.Pass(named(ctx, path, found)); err != nil {
				return err
			}
		}
		return closed.Join()
	}
	for _, dir := range homes(in) {
		if err := closed.Pass(projects(ctx, filepath.Join(dir, "projects"), found)); err != nil {
			return err
		}
	}
	return closed.Join()
}

// projects finds the transcripts below a projects folder, also where it returns an error because some folders could not be
// read.
func projects(ctx context.Context, dir string, found func(trace.Store) error) error {
	slugs, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var folders []string
	var closed []error
	err = together(ctx, len(slugs), func(i int) project { return projectAt(filepath.Join(dir, slugs[i].Name())) }, func(p project) error {
		folders, closed = append(folders, p.folders...), append(closed, p.err)
		return each(p.sessions, found)
	})
	if err == nil {
		err = together(ctx, len(folders), func(i int) []trace.Store { return agents(folders[i], nil) }, func(stores []trace.Store) error {
			return each(stores, found)
		})
	}
	if err != nil {
		return err
	}
	return errors.Join(closed...)
}

func each(stores []trace.Store, found func(trace.Store) error) error {
	for _, s := range stores {
		if err := found(s); err != nil {
			return err
		}
	}
	return nil
}

// together calls look for 0 to n-1, as many at once as there are processors: looking at thousands of files is waiting for
// the system. What comes of it take gets meanwhile, in order, until it returns an error or ctx ends, which is then returned.
func together[T any](ctx context.Context, n int, look func(i int) T, take func(T) error) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all, over := make([]T, n), make(chan int, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				all[i] = look(i)
				over <- i
			}
		})
	}
	go func() {
		workers.Wait()
		close(over)
	}()
	done, taken := make([]bool, n), 0
	for i := range over {
		for done[i] = true; err == nil && taken < n && done[taken]; taken++ {
			if err = take(all[taken]); err != nil {
				stop()
			}
		}
	}
	return cmp.Or(err, ctx.Err())
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

// project is what is in one project's folder: its sessions, and where their sub-agents are, if they have any.
type project struct {
	sessions []trace.Store
	folders  []string
	err      error // it may not be read
}

func projectAt(dir string) (p project) {
	folder, err := jsonl.OpenFolder(dir)
	switch {
	case errors.Is(err, fs.ErrPermission): // somebody else ran the client here: what he wrote is missing
		p.err = err
		return p
	case err != nil: // no folder, or gone
		return p
	}
	defer folder.Close()
	p.sessions = make([]trace.Store, 0, len(folder.Entries))
	for i, e := range folder.Entries {
		switch {
		case e.IsDir():
			p.folders = append(p.folders, filepath.Join(folder.Path(i), "subagents"))
		case e.IsRegular() && strings.HasSuffix(e.Name, ".jsonl"):
			if stat, err := folder.Stat(i); err == nil { // else it went while we looked
				p.sessions = append(p.sessions, storeOf(folder.Path(i), stat))
			}
		}
	}
	return p
}

// agents appends to all the sub-agents in a folder, and in those below it.
func agents(dir string, all []trace.Store) []trace.Store {
	folder, err := jsonl.OpenFolder(dir)
	if err != nil {
		return all // most sessions have none
	}
	defer folder.Close()
	for i, e := range folder.Entries {
		switch {
		case e.IsDir():
			all = agents(folder.Path(i), all)
		case e.IsRegular() && strings.HasPrefix(e.Name, "agent-") && strings.HasSuffix(e.Name, ".jsonl"):
			stat, err := folder.Stat(i)
			if err != nil {
				continue // it went while we looked
			}
			s := storeOf(folder.Path(i), stat)
			if meta := metaAt(folder, i); meta > 0 {
				if stat, err := folder.Stat(meta); err == nil {
					addMeta(&s, folder.Path(meta), stat)
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// metaAt is where the meta file of a sub-agent's transcript is among the entries, which are in order; 0 if it has none.
func metaAt(folder *jsonl.Folder, transcript int) int {
	stem := strings.TrimSuffix(folder.Entries[transcript].Name, transcriptEnd)
	for i := transcript + 1; i < len(folder.Entries); i++ {
		end, ok := strings.CutPrefix(folder.Entries[i].Name, stem)
		if !ok {
			break
		}
		if end == metaEnd {
			return i
		}
	}
	return 0
}

// storeOf is the store of a transcript.
func storeOf(path string, stat jsonl.Stat) trace.Store {
	s := trace.Store{Reader: source, Path: path, Layout: layoutSession, Size: stat.Size, ModTime: stat.ModTime}
	if strings.HasPrefix(filepath.Base(path), "agent-") {
		s.Layout = layoutAgent
	}
	return s
}

// addMeta adds to a sub-agent's store its meta file, which changes with it.
func addMeta(s *trace.Store, path string, meta jsonl.Stat) {
	s.Parts, s.Size, s.ModTime = []string{path}, s.Size+meta.Size, later(s.ModTime, meta.ModTime)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// named finds the transcripts at and below a path that a person named, and leaves what does not look like one.
func named(ctx context.Context, root string, found func(trace.Store) error) error {
	var closed []error // folders that may not be read; what lies beside them may
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) && path != root {
			closed = append(closed, err)
			return nil
		}
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
		info, err := d.Info()
		if err != nil {
			return nil // it went while we looked
		}
		s := storeOf(path, jsonl.Stat{Size: info.Size(), ModTime: info.ModTime()})
		if meta, err := os.Lstat(metaOf(path)); err == nil && meta.Mode().IsRegular() {
			addMeta(&s, metaOf(path), jsonl.Stat{Size: meta.Size(), ModTime: meta.ModTime()})
		}
		return found(s)
	})
	return errors.Join(append(closed, err)...)
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
