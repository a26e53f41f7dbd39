package claude

import (
	"bytes"
	"cmp"
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"aburn/internal/agentcli"
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// The layouts of stores.
const (
	layoutSession = "session"
	layoutAgent   = "subagent"
)

// Find finds the transcripts below the client's projects folders, or below in.Paths.
func (Reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	if len(in.Paths) == 0 {
		for _, dir := range homes(in) {
			projects(s, filepath.Join(dir, "projects"))
		}
		return s.End()
	}
	s.Named(in.Paths, func(f draft.File) {
		if looksRight(f.Path) {
			meta, _ := draft.FileAt(metaOf(f.Path))
			s.Give(storeOf(f, meta))
		}
	}, func(dir string) {
		s.Walk(dir, func(e draft.Entry) bool {
			if !e.IsDir() && looksRight(e.Path()) {
				if f, ok := e.File(); ok { // links too: a person can name one
					meta, _ := e.Beside(metaOf(e.Name))
					s.Give(storeOf(f, meta))
				}
			}
			return true
		})
	})
	return s.End()
}

func projects(s *draft.Search, dir string) {
	var slugs, folders []string
	for e := range s.Entries(dir) {
		slugs = append(slugs, e.Path())
	}
	inParallel(s.Context(), len(slugs), func(i int) project { return projectAt(s, slugs[i]) }, func(p project) error {
		folders = append(folders, p.folders...)
		return s.Give(p.sessions...)
	})
	inParallel(s.Context(), len(folders), func(i int) []trace.Store { return agents(s, folders[i]) },
		func(stores []trace.Store) error {
			return s.Give(stores...)
		})
}

// inParallel calls look for 0 to n-1 on all processors, because stat calls mostly wait for the system. Meanwhile it
// passes the results to take in order, until take fails or ctx ends; it returns that error.
func inParallel[T any](ctx context.Context, n int, look func(i int) T, take func(T) error) (err error) {
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

// homes returns the client's folders: that of its variable alone if it is set, else ~/.claude and its XDG counterpart.
func homes(in trace.Places) []string {
	dir := agentcli.Claude.Home.Folder(in.Home, in.Getenv)
	if in.Getenv(agentcli.Claude.Home.Var) != "" {
		return []string{dir}
	}
	config := in.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(in.Home, ".config")
	}
	return []string{dir, filepath.Join(config, "claude")}
}

// project is the content of one project's folder: its sessions, and the folders that may hold their sub-agents.
type project struct {
	sessions []trace.Store
	folders  []string
}

func projectAt(s *draft.Search, dir string) (p project) {
	for e := range s.Entries(dir) {
		switch {
		case e.IsDir():
			p.folders = append(p.folders, filepath.Join(e.Path(), "subagents"))
		case e.IsRegular() && strings.HasSuffix(e.Name, transcriptEnd):
			if f, ok := e.File(); ok {
				p.sessions = append(p.sessions, storeOf(f, draft.File{}))
			}
		}
	}
	return p
}

func agents(s *draft.Search, dir string) (all []trace.Store) {
	s.Walk(dir, func(e draft.Entry) bool {
		if e.IsRegular() && strings.HasPrefix(e.Name, "agent-") && strings.HasSuffix(e.Name, transcriptEnd) {
			if f, ok := e.File(); ok {
				meta, _ := e.Beside(metaOf(e.Name))
				all = append(all, storeOf(f, meta))
			}
		}
		return true
	})
	return all
}

func storeOf(f, meta draft.File) trace.Store {
	layout := layoutSession
	if strings.HasPrefix(filepath.Base(f.Path), "agent-") {
		layout = layoutAgent
	}
	return draft.Store(source, layout, f, meta)
}

// looksRight reports whether a file lies where the client puts transcripts, or begins like one.
func looksRight(path string) bool {
	stem, ok := strings.CutSuffix(filepath.Base(path), transcriptEnd)
	if !ok || isUUID(stem) && strings.HasPrefix(filepath.Base(filepath.Dir(path)), "-") {
		return ok
	}
	line, _, _ := bytes.Cut(jsonl.Peek(path), []byte{'\n'})
	if !bytes.HasPrefix(line, []byte("{")) || bytes.Contains(line, []byte(`"projectHash"`)) ||
		bytes.Contains(line, []byte(`"payload"`)) {
		return false
	}
	if bytes.HasPrefix(line, []byte(`{"uuid":`)) && (bytes.Contains(line, []byte(`"provenance":`)) || bytes.Contains(line, []byte(`"agentName":`))) {
		return false // another client's, with the same members in another order
	}
	if bytes.HasPrefix(line, []byte(`{"type":"session.start","data":{`)) {
		return false // another client's
	}
	for _, has := range []string{`"sessionId"`, `"isSidechain"`, `"leafUuid"`, `"snapshot"`} {
		if bytes.Contains(line, []byte(has)) {
			return true
		}
	}
	return false
}
