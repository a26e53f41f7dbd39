package opencode

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"aburn/trace"
	"aburn/trace/draft"
)

// Find finds each database. JSON files count only where no database lies beside them: the version that made it
// imported them and left them lying.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
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

// below searches a folder that a person named.
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

// dataFolder searches a data folder of opencode: a database per release channel, or JSON files.
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
		wal = draft.File{} // reading a database creates an empty log
	}
	s.Give(draft.Store(name, layoutDatabase, f, wal))
}

func sessions(s *draft.Search, root string) {
	for project := range s.Entries(filepath.Join(root, "session")) {
		dir := project.Path()
		s.Opened(dir)
		for _, id := range jsonFiles(dir) {
			if f, ok := draft.FileAt(filepath.Join(dir, id+".json")); ok {
				giveSession(s, f)
			}
		}
	}
}

// giveSession gives a session's file with its folders of messages and parts.
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

// isSessionFile reports whether a path ends in session/PROJECT/SESSION.json.
func isSessionFile(path string) bool {
	return strings.HasSuffix(path, ".json") && filepath.Base(filepath.Dir(filepath.Dir(path))) == "session"
}

// jsonFiles returns the names of the JSON files in a folder without .json, in order: ids begin with the time.
func jsonFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // missing or unreadable: it counts as empty
	}
	var names []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); ok && e.Type().IsRegular() {
			names = append(names, id)
		}
	}
	return names
}
