package opencode

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aburn/trace"
)

// Find calls found for each database, and for each session of the JSON files where there is no database beside them: what
// made it took them over and left them lying.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	f := finder{ctx: ctx, found: found, seen: map[string]bool{}}
	for _, path := range in.Paths {
		if err := f.named(path); err != nil {
			return err
		}
	}
	if len(in.Paths) > 0 {
		return nil
	}
	dir := filepath.Join(dataHome(in), "opencode")
	if own := in.Getenv("OPENCODE_DB"); own != "" && own != ":memory:" {
		if !filepath.IsAbs(own) {
			own = filepath.Join(dir, own)
		}
		if err := f.database(own); err != nil {
			return err
		}
	}
	return f.folder(dir)
}

func dataHome(in trace.Places) string {
	if dir := in.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(in.Home, ".local", "share")
}

// finder tells each store once.
type finder struct {
	ctx   context.Context
	found func(trace.Store) error
	seen  map[string]bool
}

// named looks at what a person named: a database, which can have any name, a session's file, or a folder with those below it.
func (f *finder) named(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		switch {
		case isSessionFile(path):
			return f.file(path)
		case isDatabase(filepath.Base(path)) || isOurs(f.ctx, path):
			return f.database(path)
		}
		return nil
	}
	if filepath.Base(path) == "storage" && isDir(filepath.Join(path, "session")) {
		return f.files(path)
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir // it cannot be read
		case err != nil || !d.IsDir():
			return f.ctx.Err()
		case d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "snapshot" || d.Name() == "storage":
			return fs.SkipDir
		}
		return f.folder(path)
	})
}

// folder finds what lies in a data folder of opencode: a database for each channel of its releases, or JSON files.
func (f *finder) folder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	databases := 0
	for _, e := range entries {
		if isDatabase(e.Name()) {
			databases++
			if err := f.database(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if databases == 0 && isDir(filepath.Join(dir, "storage", "session")) {
		return f.files(filepath.Join(dir, "storage"))
	}
	return nil
}

func isDatabase(file string) bool {
	return strings.HasPrefix(file, "opencode") && strings.HasSuffix(file, ".db")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// database tells of one, if it is there.
func (f *finder) database(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || f.seen[path] {
		return f.ctx.Err()
	}
	f.seen[path] = true
	s := trace.Store{Reader: name, Path: path, Layout: layoutDatabase, Size: info.Size(), ModTime: info.ModTime()}
	addPart(&s, path+"-wal")
	return f.found(s)
}

// addPart adds the file at path to the store, if there is one. An empty log is none: reading a database makes one.
func addPart(s *trace.Store, path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	s.Parts = append(s.Parts, path)
	s.Size += info.Size()
	if info.ModTime().After(s.ModTime) {
		s.ModTime = info.ModTime()
	}
}

// files tells of each session of a storage folder.
func (f *finder) files(root string) error {
	projects, err := os.ReadDir(filepath.Join(root, "session"))
	if err != nil {
		return err
	}
	for _, p := range projects {
		dir := filepath.Join(root, "session", p.Name())
		for _, id := range jsonFiles(dir) {
			if err := f.file(filepath.Join(dir, id+".json")); err != nil {
				return err
			}
		}
	}
	return nil
}

// file tells of the session whose file this is, with those of its messages and parts.
func (f *finder) file(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || f.seen[path] {
		return f.ctx.Err()
	}
	f.seen[path] = true
	s := trace.Store{Reader: name, Path: path, Layout: layoutFiles, Size: info.Size(), ModTime: info.ModTime()}
	root, id := storage(path).root, strings.TrimSuffix(filepath.Base(path), ".json")
	for _, message := range jsonFiles(filepath.Join(root, "message", id)) {
		addPart(&s, filepath.Join(root, "message", id, message+".json"))
		for _, part := range jsonFiles(filepath.Join(root, "part", message)) {
			addPart(&s, filepath.Join(root, "part", message, part+".json"))
		}
	}
	if err := f.ctx.Err(); err != nil {
		return err
	}
	return f.found(s)
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
