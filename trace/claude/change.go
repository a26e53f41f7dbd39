package claude

import (
	"bytes"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// change is what toolUseResult says about changed files.
type change struct {
	kind, path, content, original, from, to, edits, patch, bash []byte
	all, byUser                                                 bool
}

func (c *change) take(key, v []byte) {
	switch string(key) {
	case "type":
		c.kind = v
	case "filePath", "notebook_path":
		c.path = v
	case "content":
		c.content = v
	case "originalFile", "originalFileContents":
		c.original = v
	case "oldString":
		c.from = v
	case "newString":
		c.to = v
	case "edits":
		c.edits = v
	case "structuredPatch":
		c.patch = v
	case "replaceAll":
		c.all = isTrue(v)
	case "userModified":
		c.byUser = isTrue(v)
	case "bashEditDiff":
		c.bash = v
	}
}

// changed adds the file changes of a successful call. In sub-agents there is no toolUseResult: then only a Write's new
// content is known, and of other tools only the path.
func (m *conversation) changed(e trace.Event, id string, open *call, c *change, content []byte) {
	if c.bash != nil {
		m.bashChanged(e, id, c.bash)
		return
	}
	if open == nil || open.Path == "" {
		return
	}
	f := &trace.FileChange{Path: open.Path, Action: "modified", Call: id}
	if c.path != nil {
		f.Path = m.path(c.path)
	}
	write := open.Hash != ""
	if is(c.kind, "create") || c.path == nil && has(content, "File created successfully") {
		f.Action = "created"
	}
	if c.patch != nil {
		added, removed := countPatch(c.patch)
		f.Added, f.Removed = &added, &removed
		if write && f.Action == "created" && added == 0 {
			added = open.Lines
		}
	} else if write && f.Action == "created" {
		none := 0
		f.Added, f.Removed = &open.Lines, &none
	}
	switch {
	case write && !c.byUser:
		f.Hash = open.Hash
	case write && c.content != nil:
		m.scratch.Reset()
		m.scratch.Add(c.content)
		f.Hash = draft.FileHash(m.scratch.Bytes())
	case !write && !c.byUser && f.Added != nil:
		f.Hash = m.edited(c, *f.Added-*f.Removed)
	}
	e.Body = f
	m.b.Add(e)
}

// edited returns the hash of the file after an edit, if the source holds the file before it and the replaced texts.
// more is the number of lines by which the file grew, as the client says; a mismatch gives "".
func (m *conversation) edited(c *change, more int) string {
	if len(c.original) < 2 || c.original[0] != '"' {
		return ""
	}
	m.before.Reset()
	m.before.Add(c.original)
	text, ok := m.before.Bytes(), true
	count := draft.CountLines(text)
	if c.edits != nil {
		jsonl.Elements(c.edits, func(x []byte) bool {
			text, ok = replaced(text, member(x, "old_string"), member(x, "new_string"),
				isTrue(member(x, "replace_all")))
			return ok
		})
	} else {
		text, ok = replaced(text, c.from, c.to, c.all)
	}
	if !ok || draft.CountLines(text)-count != more {
		return ""
	}
	return draft.FileHash(text)
}

// replaced returns text after an edit, and false if text does not contain what the edit replaces.
func replaced(text, from, to []byte, all bool) ([]byte, bool) {
	if from == nil || to == nil {
		return nil, false
	}
	old := jsonl.AppendText(nil, from)
	if len(old) == 0 || !bytes.Contains(text, old) {
		return nil, false
	}
	n := 1
	if all {
		n = -1
	}
	return bytes.Replace(text, old, jsonl.AppendText(nil, to), n), true
}

// countPatch counts the lines that the hunks of a structuredPatch add and remove.
func countPatch(hunks []byte) (added, removed int) {
	jsonl.Elements(hunks, func(hunk []byte) bool {
		jsonl.Elements(member(hunk, "lines"), func(line []byte) bool {
			switch {
			case has(line, "+"):
				added++
			case has(line, "-"):
				removed++
			}
			return true
		})
		return true
	})
	return added, removed
}

// bashChanged adds the file changes of a shell command, as the client observed them.
func (m *conversation) bashChanged(e trace.Event, id string, diff []byte) {
	seen := map[string]bool{}
	jsonl.Elements(member(diff, "files"), func(file []byte) bool {
		f := &trace.FileChange{Path: m.path(member(file, "filePath")), Action: "modified", Call: id}
		switch {
		case isTrue(member(file, "created")):
			f.Action = "created"
		case isTrue(member(file, "deleted")):
			f.Action = "deleted"
		}
		if hunks := member(file, "hunks"); len(hunks) > 2 {
			added, removed := countPatch(hunks)
			f.Added, f.Removed = &added, &removed
		}
		seen[f.Path] = true
		e.Body = f
		m.b.Add(e)
		return true
	})
	jsonl.Elements(member(diff, "changedFiles"), func(path []byte) bool {
		if p := m.path(path); !seen[p] {
			e.Body = &trace.FileChange{Path: p, Action: "unknown", Call: id}
			m.b.Add(e)
		}
		return true
	})
}
