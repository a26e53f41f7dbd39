package opencode

import (
	"bytes"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// changes returns the file changes of a successful call of an editing tool: write, edit, multiedit or apply_patch.
func changes(tool string, input, metadata []byte, dir string) []trace.FileChange {
	switch tool {
	case "write":
		return written(input, metadata, dir)
	case "edit":
		return edited(nil, member(metadata, "filediff"), dir)
	case "multiedit":
		var all []trace.FileChange
		jsonl.Elements(member(metadata, "results"), func(v []byte) bool {
			all = edited(all, member(v, "filediff"), dir)
			return true
		})
		return all
	case "apply_patch", "patch":
		return patched(metadata, dir)
	}
	return nil
}

// written returns the change of a write, whose input holds the whole new content.
func written(input, metadata []byte, dir string) []trace.FileChange {
	path := text(metadata, "filepath")
	if path == "" {
		path = text(input, "filePath")
	}
	content := []byte(text(input, "content"))
	c := trace.FileChange{Path: draft.Path(path, dir), Action: "unknown", Hash: draft.FileHash(content)}
	switch string(member(metadata, "exists")) {
	case "true":
		c.Action = "modified"
	case "false":
		added, none := draft.CountLines(content), 0
		c.Action, c.Added, c.Removed = "created", &added, &none
	}
	return appendChange(nil, c)
}

// edited appends the change in a filediff: {file, patch, additions, deletions}; older versions add the file before and
// after.
func edited(all []trace.FileChange, diff []byte, dir string) []trace.FileChange {
	c := trace.FileChange{Action: "modified"}
	jsonl.Members(diff, func(key, v []byte) bool {
		switch string(key) {
		case "file":
			c.Path = draft.Path(jsonl.Text(v), dir)
		case "additions":
			c.Added = count(v)
		case "deletions":
			c.Removed = count(v)
		case "patch": // a hunk from line 0: the file is new
			if bytes.Contains(v, []byte("@@ -0,0 +")) {
				c.Action = "created"
			}
		case "after":
			c.Hash = draft.FileHash([]byte(jsonl.Text(v)))
		}
		return true
	})
	return appendChange(all, c)
}

func patched(metadata []byte, dir string) []trace.FileChange {
	var all []trace.FileChange
	jsonl.Elements(member(metadata, "files"), func(v []byte) bool {
		c := trace.FileChange{Path: draft.Path(text(v, "filePath"), dir), Added: count(member(v, "additions")),
			Removed: count(member(v, "deletions"))}
		switch text(v, "type") {
		case "add":
			c.Action = "created"
		case "update":
			c.Action = "modified"
		case "delete":
			c.Action = "deleted"
		case "move":
			c.Action, c.From, c.Path = "renamed", c.Path, draft.Path(text(v, "movePath"), dir)
		default:
			c.Action = "unknown"
		}
		all = appendChange(all, c)
		return true
	})
	return all
}

// appendChange appends c if it names a file.
func appendChange(all []trace.FileChange, c trace.FileChange) []trace.FileChange {
	if c.Path == "" {
		return all
	}
	return append(all, c)
}

// count returns a number of lines; nil if v is none.
func count(v []byte) *int {
	n, ok := jsonl.Int(v)
	if !ok || n < 0 {
		return nil
	}
	lines := int(n)
	return &lines
}
