package gemini

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

// layout is the only one of Store.Layout: a session's files and those of its sub-agents.
const layout = "chats"

// Find implements trace.Reader. A store is all files of one session and of its sub-agents: the agent splits a session over
// several files of one folder, whose names end in the first eight characters of its id.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	if len(in.Paths) > 0 {
		for _, path := range in.Paths {
			if err := named(ctx, path, found); err != nil {
				return err
			}
		}
		return nil
	}
	home := in.Home
	if dir := in.Getenv("GEMINI_CLI_HOME"); dir != "" {
		home = dir
	}
	projects, err := os.ReadDir(filepath.Join(home, ".gemini", "tmp"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range projects {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !p.IsDir() {
			continue
		}
		if err := chats(filepath.Join(home, ".gemini", "tmp", p.Name(), "chats"), found); err != nil {
			return err
		}
	}
	return nil
}

// named finds what a person named: a file, or a folder at whatever height.
func named(ctx context.Context, path string, found func(trace.Store) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return file(path, found)
	}
	return filepath.WalkDir(path, func(dir string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && dir == path:
			return err
		case err != nil || !d.IsDir():
			return nil
		case filepath.Base(filepath.Dir(dir)) == "chats" && dir != path:
			return fs.SkipDir // of sub-agents, and in the store of their session
		}
		return chats(dir, found)
	})
}

// file finds the store that a file is part of.
func file(path string, found func(trace.Store) error) error {
	dir := filepath.Dir(path)
	if isSession(filepath.Base(path)) {
		return chats(dir, func(s trace.Store) error {
			if s.Path == path || slices.Contains(s.Parts, path) {
				return found(s)
			}
			return nil
		})
	}
	if filepath.Ext(path) != ".jsonl" || !isOurs(path) {
		return nil
	}
	return give([]string{path}, found)
}

// isSession says whether a file's name is one of a session that a person started.
func isSession(file string) bool {
	ext := filepath.Ext(file)
	return strings.HasPrefix(file, "session-") && (ext == ".json" || ext == ".jsonl") && short(file) != ""
}

// short is what a session file's name has of the session's id.
func short(file string) string {
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	return stem[strings.LastIndexByte(stem, '-')+1:]
}

// isOurs says whether a file begins as ours do. It is asked where the name does not tell.
func isOurs(path string) bool {
	f, err := jsonl.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, maxHeader)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	head = bytes.TrimLeft(head[:n], "{ \r\n\t")
	return bytes.HasPrefix(head, []byte(`"sessionId":`)) && bytes.Contains(head, []byte(`"projectHash":`))
}

// chats finds the stores in one folder of sessions; none if there is no such folder.
func chats(dir string, found func(trace.Store) error) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // Read tells why
		return found(trace.Store{Reader: name, Layout: layout, Path: dir})
	}
	groups, folders := map[string][]string{}, map[string][]string{}
	var order []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			folders[e.Name()] = nil
		case e.Type().IsRegular() && isSession(e.Name()) && (filepath.Base(dir) == "chats" || isOurs(path)):
			id := short(e.Name())
			if groups[id] == nil {
				order = append(order, id)
			}
			groups[id] = append(groups[id], path)
		}
	}
	if len(order) > 0 || filepath.Base(dir) == "chats" {
		for folder := range folders {
			folders[folder] = agents(filepath.Join(dir, folder))
		}
	}
	for _, id := range order {
		files := groups[id]
		for i := 0; i < len(files); i++ {
			for folder, inside := range folders {
				if i < len(groups[id]) && len(folder) > len(id) && strings.HasPrefix(folder, id) || stem(files[i]) == folder {
					files = append(files, inside...)
					delete(folders, folder)
				}
			}
		}
		slices.Sort(files[len(groups[id]):])
		if err := give(files, found); err != nil {
			return err
		}
	}
	return orphans(dir, folders, found)
}

// orphans finds sub-agents whose session's file is gone, and those in a folder that a person named.
func orphans(dir string, folders map[string][]string, found func(trace.Store) error) error {
	var left [][]string
	if filepath.Base(dir) == "chats" {
		for _, files := range folders {
			left = append(left, files)
		}
	} else if filepath.Base(filepath.Dir(dir)) == "chats" {
		left = append(left, agents(dir))
	}
	left = slices.DeleteFunc(left, func(files []string) bool { return len(files) == 0 })
	slices.SortFunc(left, slices.Compare)
	for _, files := range left {
		if err := give(files, found); err != nil {
			return err
		}
	}
	return nil
}

func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// agents is the sub-agents' files in a folder.
func agents(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(escape(dir), "*.jsonl")) // the pattern is good
	return slices.DeleteFunc(files, func(path string) bool { return isSession(filepath.Base(path)) || !isOurs(path) })
}

// escape makes a pattern that matches only path.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// give makes a store of files, of which the first is there for as long as the session is.
func give(files []string, found func(trace.Store) error) error {
	s := trace.Store{Reader: name, Layout: layout}
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			continue // deleted since
		}
		if s.Path == "" {
			s.Path = path
		} else {
			s.Parts = append(s.Parts, path)
		}
		s.Size += info.Size()
		if info.ModTime().After(s.ModTime) {
			s.ModTime = info.ModTime()
		}
	}
	if s.Path == "" {
		return nil
	}
	return found(s)
}
