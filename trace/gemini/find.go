package gemini

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// layout is the one form of a store: a session's files and those of its sub-agents.
const layout = "chats"

// Find finds one store per session, with its sub-agents. The agent splits a session over several files of one folder,
// whose names end in the first eight characters of the session's id.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	s.Named(in.Paths, func(f draft.File) { storeOfFile(s, f) }, func(dir string) {
		storesOf(s, dir)
		s.Walk(dir, func(e draft.Entry) bool {
			if !e.IsDir() || filepath.Base(filepath.Dir(e.Path())) == "chats" {
				return false // sub-agents belong to their session's store
			}
			storesOf(s, e.Path())
			return true
		})
	})
	if len(in.Paths) == 0 {
		for p := range s.Entries(filepath.Join(agentcli.Gemini.Home.Folder(in.Home, in.Getenv), "tmp")) {
			if p.IsDir() {
				storesOf(s, filepath.Join(p.Path(), "chats"))
			}
		}
	}
	return s.End()
}

// storeOfFile gives the store of a file that a person named.
func storeOfFile(s *draft.Search, f draft.File) {
	if !isSession(filepath.Base(f.Path)) {
		if filepath.Ext(f.Path) == ".jsonl" && isOurs(f.Path) {
			s.Give(storeOf([]draft.File{f}))
		}
		return
	}
	for _, store := range storesIn(s, filepath.Dir(f.Path)) {
		if store.Path == f.Path || slices.Contains(store.Parts, f.Path) {
			s.Give(store)
		}
	}
}

// storesOf gives the stores in one folder of sessions.
func storesOf(s *draft.Search, dir string) { s.Give(storesIn(s, dir)...) }

// isSession reports whether a file's name is that of a session which a person started.
func isSession(file string) bool {
	ext := filepath.Ext(file)
	return strings.HasPrefix(file, "session-") && (ext == ".json" || ext == ".jsonl") && short(file) != ""
}

// short returns the part of the session's id in a session file's name.
func short(file string) string {
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	return stem[strings.LastIndexByte(stem, '-')+1:]
}

// isOurs reports whether a file begins like one of this client, for names that do not show it.
func isOurs(path string) bool {
	head := bytes.TrimLeft(jsonl.Peek(path), "{ \r\n\t")
	return bytes.HasPrefix(head, []byte(`"sessionId":`)) && bytes.Contains(head, []byte(`"projectHash":`))
}

func byPath(a, b draft.File) int { return strings.Compare(a.Path, b.Path) }

// storesIn returns the stores in one folder of sessions; none if it is no such folder.
func storesIn(s *draft.Search, dir string) (stores []trace.Store) {
	groups, folders := map[string][]draft.File{}, map[string][]draft.File{}
	var order []string
	for e := range s.EntriesElse(dir, func(error) {
		stores = append(stores,
			storeOf([]draft.File{{Path: dir}}))
	}) { // Read then returns the reason
		switch {
		case e.IsDir():
			folders[e.Name] = nil
		case e.IsRegular() && isSession(e.Name) && (filepath.Base(dir) == "chats" || isOurs(e.Path())):
			if f, ok := e.File(); ok {
				id := short(e.Name)
				if groups[id] == nil {
					order = append(order, id)
				}
				groups[id] = append(groups[id], f)
			}
		}
	}
	if len(order) > 0 || filepath.Base(dir) == "chats" {
		for name := range folders {
			folders[name] = agents(s, filepath.Join(dir, name))
		}
	}
	for _, id := range order {
		files := groups[id]
		for i := 0; i < len(files); i++ {
			for folder, inside := range folders {
				if i < len(groups[id]) && len(folder) > len(id) && strings.HasPrefix(folder, id) ||
					files[i].Name() == folder {
					files = append(files, inside...)
					delete(folders, folder)
				}
			}
		}
		slices.SortFunc(files[len(groups[id]):], byPath)
		stores = append(stores, storeOf(files))
	}
	return append(stores, orphans(s, dir, folders)...)
}

// orphans returns the stores of sub-agents whose session's file is gone, or whose folder a person named.
func orphans(s *draft.Search, dir string, folders map[string][]draft.File) (stores []trace.Store) {
	var left [][]draft.File
	if filepath.Base(dir) == "chats" {
		left = slices.Collect(maps.Values(folders))
	} else if filepath.Base(filepath.Dir(dir)) == "chats" {
		left = [][]draft.File{agents(s, dir)}
	}
	left = slices.DeleteFunc(left, func(files []draft.File) bool { return len(files) == 0 })
	slices.SortFunc(left, func(a, b []draft.File) int { return slices.CompareFunc(a, b, byPath) })
	for _, files := range left {
		stores = append(stores, storeOf(files))
	}
	return stores
}

// agents returns the sub-agents' files in a folder, through links.
func agents(s *draft.Search, dir string) (files []draft.File) {
	for e := range s.Entries(dir) {
		if !e.IsDir() && strings.HasSuffix(e.Name, ".jsonl") && !isSession(e.Name) && isOurs(e.Path()) {
			if f, ok := e.File(); ok {
				files = append(files, f)
			}
		}
	}
	return files
}

// storeOf makes the store of files. The first one exists as long as the session does.
func storeOf(files []draft.File) trace.Store {
	return draft.Store(name, layout, files[0], files[1:]...)
}
