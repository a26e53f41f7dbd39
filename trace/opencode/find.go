package opencode

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// Find calls found for each database, and for each session of the JSON files where there is no database beside them: what
// made it took them over and left them lying.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, found)
	s.Named(in.Paths, func(f draft.File) {
		switch {
		case isSessionFile(f.Path):
			giveSession(s, f)
		case isDatabase(filepath.Base(f.Path)) || isOurs(ctx, f.Path):
			giveDatabase(s, f)
		}
	}, func(dir string) { below(s, dir) })
	if len(in.Paths) > 0 {
		return s.End()
	}
	dir := filepath.Join(dataHome(in), "opencode")
	if own := in.Getenv("OPENCODE_DB"); own != "" && own != ":memory:" {
		if !filepath.IsAbs(own) {
			own = filepath.Join(dir, own)
		}
		if f, ok := draft.FileAt(own); ok {
			giveDatabase(s, f)
		}
	}
	dataFolder(s, dir)
	return s.End()
}

func dataHome(in trace.Places) string {
	if dir := in.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(in.Home, ".local", "share")
}

// below finds what lies in a folder that a person named, and in those below it.
func below(s *draft.Search, dir string) {
	if filepath.Base(dir) == "storage" {
		sessions(s, dir)
		return
	}
	dataFolder(s, dir)
	s.Walk(dir, func(e draft.Entry) bool {
		switch e.Name {
		case "node_modules", ".git", "snapshot", "storage":
			return false
		}
		if e.IsDir() {
			dataFolder(s, e.Path())
		}
		return true
	})
}

// dataFolder finds what lies in a data folder of opencode: a database for each channel of its releases, or JSON files.
func dataFolder(s *draft.Search, dir string) {
	databases, storage := false, false
	for e := range s.Entries(dir) {
		storage = storage || e.Name == "storage"
		if isDatabase(e.Name) {
			databases = true
			if f, ok := e.File(); ok {
				giveDatabase(s, f)
			}
		}
	}
	if storage && !databases {
		sessions(s, filepath.Join(dir, "storage"))
	}
}

func isDatabase(file string) bool {
	return strings.HasPrefix(file, "opencode") && strings.HasSuffix(file, ".db")
}

func giveDatabase(s *draft.Search, f draft.File) {
	if !s.Once(f.Path) {
		return
	}
	wal, _ := draft.FileAt(f.Path + "-wal")
	if wal.Size == 0 {
		wal = draft.File{} // reading a database makes an empty one
	}
	s.Give(draft.Store(name, layoutDatabase, f, wal))
}

// sessions gives each session of a storage folder.
func sessions(s *draft.Search, root string) {
	for project := range s.Entries(filepath.Join(root, "session")) {
		dir := project.Path()
		for _, id := range jsonFiles(dir) {
			if f, ok := draft.FileAt(filepath.Join(dir, id+".json")); ok {
				giveSession(s, f)
			}
		}
	}
}

// giveSession gives the session of this file, with the files of its messages and their parts.
func giveSession(s *draft.Search, f draft.File) {
	if !s.Once(f.Path) {
		return
	}
	root := storage(f.Path).root
	var parts []draft.File
	add := func(dir, id string) {
		part, _ := draft.FileAt(filepath.Join(dir, id+".json"))
		parts = append(parts, part)
	}
	messages := filepath.Join(root, "message", f.Name())
	for _, message := range jsonFiles(messages) {
		add(messages, message)
		inside := filepath.Join(root, "part", message)
		for _, part := range jsonFiles(inside) {
			add(inside, part)
		}
	}
	s.Give(draft.Store(name, layoutFiles, f, parts...))
}

// isSessionFile says whether a path ends in session/PROJECT/SESSION.json.
func isSessionFile(path string) bool {
	return strings.HasSuffix(path, ".json") && filepath.Base(filepath.Dir(filepath.Dir(path))) == "session"
}

// jsonFiles is the names of the JSON files in a folder without their end, in order: ids begin with the time.
func jsonFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none, or what is in it counts for nothing
	}
	var names []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			names = append(names, id)
		}
	}
	return names
}
