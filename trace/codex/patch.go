package codex

import (
	"bytes"
	"net/url"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// fileChange adds a patch, applied or not.
func (s *session) fileChange(e trace.Event, it object) {
	changes := it.raw("changes")
	id := s.ensure(e, s.id(it, "id"), func() *trace.ToolCall {
		c := &trace.ToolCall{Tool: applyPatch, Type: trace.EditTool, Input: draft.Digest(changes)}
		if paths := pathsIn(changes); len(paths) == 1 {
			c.Path = s.pathOf(paths[0])
		}
		return c
	})
	s.patched(e, id, it, changes)
}

// patched adds the end of a patch, and the files that it changed.
func (s *session) patched(e trace.Event, id string, p object, changes []byte) {
	out := contentOf(p.raw("stdout"))
	out.addValue(p.raw("stderr"))
	r := trace.ToolResultEvent{Call: id, Message: e.Record, From: trace.FromToolResult, Content: out.digest()}
	setStatus(&r, p.raw("status"))
	s.setHead(&r, out)
	s.result(e, r)
	if r.Status != trace.StatusCompleted {
		return
	}
	jsonl.Members(changes, func(path, change []byte) bool {
		var o object
		o.parse(change)
		e.Body = s.changeOf(string(path), o, id)
		s.Add(e)
		return true
	})
}

func (s *session) changeOf(path string, o object, call string) *trace.FileChange {
	dir := s.Trace().Project.Path
	c := &trace.FileChange{Path: filePath(path, dir), Action: "unknown", Call: call}
	added, removed := 0, 0
	switch {
	case o.is("type", "add"):
		text := jsonl.AppendText(nil, o.raw("content"))
		c.Action, added = "created", draft.CountLines(text)
		c.Hash = draft.FileHash(text)
	case o.is("type", "delete"):
		c.Action = "deleted"
		if o.raw("content") == nil {
			return c
		}
		removed = draft.CountLines(jsonl.AppendText(nil, o.raw("content")))
	case o.is("type", "update"):
		c.Action = "modified"
		if to := o.raw("move_path"); to != nil {
			c.Action, c.From, c.Path = "renamed", c.Path, s.pathOf(to)
		}
		added, removed = diffLines(o.raw("unified_diff"))
	default:
		return c
	}
	c.Added, c.Removed = &added, &removed
	return c
}

// diffLines counts the lines that a diff adds and removes. It has no lines with file names. raw is a JSON string, in
// which a line break is two bytes, and a backslash too.
func diffLines(raw []byte) (added, removed int) {
	if len(raw) < 2 {
		return 0, 0
	}
	count := func(line []byte) {
		switch {
		case len(line) == 0:
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	rest := raw[1 : len(raw)-1]
	count(rest)
	for {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 >= len(rest) {
			return added, removed
		}
		escaped := rest[i+1]
		if rest = rest[i+2:]; escaped == 'n' {
			count(rest)
		}
	}
}

// pathsIn returns the paths that a patch changes, as JSON strings.
func pathsIn(changes []byte) (paths [][]byte) {
	jsonl.Members(changes, func(path, _ []byte) bool {
		paths = append(paths, append(append([]byte{'"'}, path...), '"'))
		return true
	})
	return paths
}

// lineBreak is a line break within a JSON string.
var lineBreak = []byte(`\n`)

// patchPath returns the file of a patch that concerns one file only, else "".
func (s *session) patchPath(input []byte) string {
	path := ""
	if len(input) < 2 {
		return ""
	}
	for rest := input[1 : len(input)-1]; len(rest) > 0; {
		line := rest
		end := bytes.Index(rest, lineBreak)
		if end < 0 {
			rest = nil
		} else {
			line, rest = rest[:end], rest[end+len(lineBreak):]
		}
		header, isHeader := bytes.CutPrefix(line, []byte("*** "))
		if !isHeader {
			continue
		}
		action, name, found := strings.Cut(string(header), " File: ")
		if !found || action != "Add" && action != "Update" && action != "Delete" {
			continue
		}
		if path != "" && name != path || strings.Contains(name, `\`) {
			return ""
		}
		path = name
	}
	return filePath(path, s.Trace().Project.Path)
}

// filePath returns a path or a file: URL as traces keep it.
func filePath(path, dir string) string {
	if strings.HasPrefix(path, "file:") {
		if u, err := url.Parse(path); err == nil {
			path = u.Path
		}
	}
	if path == "" {
		return ""
	}
	return draft.Path(path, dir)
}
