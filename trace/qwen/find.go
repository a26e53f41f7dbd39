package qwen

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

// layout is the one form of a store: a session's file and those of its sub-agents.
const layout = "chats"

// The folders of a project, and of sessions that the user put away.
const (
	chatsDir   = "chats"
	agentsDir  = "subagents"
	archiveDir = "archive"
	metaSuffix = ".meta.json"
)

// Find finds one store per session, with its sub-agents. Sub-agents whose session's file is gone are a store too.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	s.Named(in.Paths, func(f draft.File) { storeOfFile(s, f) }, func(dir string) { named(s, dir) })
	if len(in.Paths) == 0 {
		for p := range s.Entries(filepath.Join(projectsHome(in), "projects")) {
			if p.IsDir() {
				storesOf(s, p.Path())
			}
		}
	}
	return s.End()
}

// projectsHome is the folder above the projects.
func projectsHome(in trace.Places) string {
	if dir := in.Getenv(agentcli.Qwen.Store.Var); dir != "" {
		return dir
	}
	return agentcli.Qwen.Home.Folder(in.Home, in.Getenv)
}

// storesOf gives the stores of a project's folder.
func storesOf(s *draft.Search, project string) {
	agents := map[string][]draft.File{}
	var order []string
	for e := range s.Entries(filepath.Join(project, agentsDir)) {
		if e.IsDir() {
			agents[e.Name] = agentFiles(s, e.Path())
			order = append(order, e.Name)
		}
	}
	chats := filepath.Join(project, chatsDir)
	give := func(e draft.Entry) {
		if f, ok := sessionFile(e); ok {
			s.Give(draft.Store(name, layout, f, agents[clean(f.Name())]...))
			delete(agents, clean(f.Name()))
		}
	}
	for e := range s.EntriesElse(chats, func(error) { s.Give(draft.Store(name, layout, draft.File{Path: chats})) }) { // Read returns the reason
		if e.IsDir() && e.Name == archiveDir {
			for archived := range s.Entries(e.Path()) {
				give(archived)
			}
		}
		give(e)
	}
	for _, session := range order {
		giveAgents(s, agents[session])
	}
}

// giveAgents gives the store of sub-agents that have no session's file.
func giveAgents(s *draft.Search, files []draft.File) {
	if len(files) > 0 {
		s.Give(draft.Store(name, layout, files[0], files[1:]...))
	}
}

func sessionFile(e draft.Entry) (draft.File, bool) {
	if e.IsDir() || !strings.HasSuffix(e.Name, ".jsonl") {
		return draft.File{}, false
	}
	return e.File()
}

// agentFiles returns the files of a session's sub-agents: each transcript, then what the client notes about it.
func agentFiles(s *draft.Search, dir string) (files []draft.File) {
	for e := range s.Entries(dir) {
		f, ok := sessionFile(e)
		if !ok || !strings.HasPrefix(e.Name, "agent-") {
			continue
		}
		files = append(files, f)
		if meta, ok := e.Beside(f.Name() + metaSuffix); ok {
			files = append(files, meta)
		}
	}
	return files
}

// clean is an id as the client makes file names of it.
func clean(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

// named gives the stores in a folder that a person named.
func named(s *draft.Search, dir string) {
	switch {
	case filepath.Base(dir) == chatsDir && holdsOurs(s, dir):
		storesOf(s, filepath.Dir(dir))
		return
	case filepath.Base(filepath.Dir(dir)) == agentsDir:
		if files := agentFiles(s, dir); len(files) > 0 && isOurs(files[0].Path) {
			giveAgents(s, files)
		}
		return
	}
	project := false
	var inside []string
	for e := range s.Entries(dir) {
		switch {
		case e.IsDir():
			project = project || e.Name == chatsDir && holdsOurs(s, e.Path()) || e.Name == agentsDir && holdsOurs(s, e.Path())
			inside = append(inside, e.Path())
		case strings.HasSuffix(e.Name, ".jsonl") && isOurs(e.Path()):
			if f, ok := e.File(); ok {
				storeOfFile(s, f)
			}
		}
	}
	if project {
		storesOf(s, dir)
	}
	for _, path := range inside {
		if base := filepath.Base(path); !project || base != chatsDir && base != agentsDir {
			named(s, path)
		}
	}
}

// holdsOurs reports whether a folder, or one in it, has a file of this client.
func holdsOurs(s *draft.Search, dir string) bool {
	for e := range s.Entries(dir) {
		if e.IsDir() && holdsOurs(s, e.Path()) || strings.HasSuffix(e.Name, ".jsonl") && isOurs(e.Path()) {
			return true
		}
	}
	return false
}

// storeOfFile gives the store of a file that a person named, with its sub-agents.
func storeOfFile(s *draft.Search, f draft.File) {
	if filepath.Ext(f.Path) != ".jsonl" || !isOurs(f.Path) {
		return
	}
	dir := filepath.Dir(f.Path)
	if filepath.Base(dir) == archiveDir {
		dir = filepath.Dir(dir)
	}
	if filepath.Base(dir) == chatsDir {
		s.Give(draft.Store(name, layout, f, agentFiles(s, filepath.Join(filepath.Dir(dir), agentsDir, clean(f.Name())))...))
		return
	}
	meta, _ := draft.FileAt(strings.TrimSuffix(f.Path, ".jsonl") + metaSuffix)
	s.Give(draft.Store(name, layout, f, meta))
}

// isOurs reports whether a file begins like one of this client, whose records begin with their uuid.
func isOurs(path string) bool {
	line, _, _ := bytes.Cut(jsonl.Peek(path), []byte("\n"))
	return bytes.HasPrefix(line, []byte(`{"uuid":"`)) && bytes.Contains(line, []byte(`,"parentUuid":`)) && bytes.Contains(line, []byte(`,"sessionId":"`))
}
