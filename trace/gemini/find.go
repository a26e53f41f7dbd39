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
	var closed jsonl.Closed
	if len(in.Paths) > 0 {
		for _, path := range in.Paths {
			if err := named(ctx, path, &closed, found); err != nil {
				return err
			}
		}
		return closed.Join()
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
		if err := closed.Pass(chats(filepath.Join(home, ".gemini", "tmp", p.Name(), "chats"), found)); err != nil {
			return err
		}
	}
	return closed.Join()
}

// named finds what a person named: a file, or a folder at whatever height. What may not be read goes into closed.
func named(ctx context.Context, path string, closed *jsonl.Closed, found func(trace.Store) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return closed.Pass(err)
	}
	if !info.IsDir() {
		return closed.Pass(file(path, found))
	}
	return filepath.WalkDir(path, func(dir string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && dir == path:
			return closed.Pass(err)
		case err != nil || !d.IsDir():
			return nil
		case filepath.Base(filepath.Dir(dir)) == "chats" && dir != path:
			return fs.SkipDir // of sub-agents, and in the store of their session
		}
		return closed.Pass(chats(dir, found))
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
	return give(addFile(nil, path), found)
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

// part is a file of a store.
type part struct {
	path string
	jsonl.Stat
}

func byPath(a, b part) int { return strings.Compare(a.path, b.path) }

// addFile appends a file to all, unless it is deleted by now.
func addFile(all []part, path string) []part {
	if info, err := os.Stat(path); err == nil {
		return append(all, part{path, jsonl.Stat{Size: info.Size(), ModTime: info.ModTime()}})
	}
	return all
}

// addEntry is addFile for an entry of a folder.
func addEntry(all []part, folder *jsonl.Folder, i int) []part {
	if !folder.Entries[i].IsRegular() { // a link: what it leads to counts
		return addFile(all, folder.Path(i))
	}
	if stat, err := folder.Stat(i); err == nil {
		return append(all, part{folder.Path(i), stat})
	}
	return all
}

// chats finds the stores in one folder of sessions; none if there is no such folder. An error is found's, or says that the
// folder may not be read.
func chats(dir string, found func(trace.Store) error) error {
	folder, err := jsonl.OpenFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err != nil { // Read tells why
		return found(trace.Store{Reader: name, Layout: layout, Path: dir})
	}
	defer folder.Close()
	groups, folders := map[string][]part{}, map[string][]part{}
	var order []string
	for i, e := range folder.Entries {
		switch {
		case e.IsDir():
			folders[e.Name] = nil
		case e.IsRegular() && isSession(e.Name) && (filepath.Base(dir) == "chats" || isOurs(folder.Path(i))):
			id := short(e.Name)
			files := addEntry(groups[id], folder, i)
			if len(files) == 1 && groups[id] == nil {
				order = append(order, id)
			}
			groups[id] = files
		}
	}
	if len(order) > 0 || filepath.Base(dir) == "chats" {
		for name := range folders {
			folders[name] = agents(filepath.Join(dir, name))
		}
	}
	for _, id := range order {
		files := groups[id]
		for i := 0; i < len(files); i++ {
			for folder, inside := range folders {
				if i < len(groups[id]) && len(folder) > len(id) && strings.HasPrefix(folder, id) || stem(files[i].path) == folder {
					files = append(files, inside...)
					delete(folders, folder)
				}
			}
		}
		slices.SortFunc(files[len(groups[id]):], byPath)
		if err := give(files, found); err != nil {
			return err
		}
	}
	return orphans(dir, folders, found)
}

// orphans finds sub-agents whose session's file is gone, and those in a folder that a person named.
func orphans(dir string, folders map[string][]part, found func(trace.Store) error) error {
	var left [][]part
	if filepath.Base(dir) == "chats" {
		for _, files := range folders {
			left = append(left, files)
		}
	} else if filepath.Base(filepath.Dir(dir)) == "chats" {
		left = append(left, agents(dir))
	}
	left = slices.DeleteFunc(left, func(files []part) bool { return len(files) == 0 })
	slices.SortFunc(left, func(a, b []part) int { return slices.CompareFunc(a, b, byPath) })
	for _, files := range left {
		if err := give(files, found); err != nil {
			return err
		}
	}
	return nil
}

func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// agents is the sub-agents' files in a folder.
func agents(dir string) (files []part) {
	folder, err := jsonl.OpenFolder(dir)
	if err != nil {
		return nil
	}
	defer folder.Close()
	for i, e := range folder.Entries {
		if !e.IsDir() && strings.HasSuffix(e.Name, ".jsonl") && !isSession(e.Name) && isOurs(folder.Path(i)) {
			files = addEntry(files, folder, i)
		}
	}
	return files
}

// give makes a store of files, of which the first is there for as long as the session is.
func give(files []part, found func(trace.Store) error) error {
	if len(files) == 0 {
		return nil
	}
	s := trace.Store{Reader: name, Layout: layout, Path: files[0].path}
	for i, f := range files {
		if i > 0 {
			s.Parts = append(s.Parts, f.path)
		}
		s.Size += f.Size
		if f.ModTime.After(s.ModTime) {
			s.ModTime = f.ModTime
		}
	}
	return found(s)
}
