package openclaw

import (
	"strings"

	"github.com/tidwall/gjson"

	"aburn/trace"
	"aburn/trace/draft"
)

// changes takes the file changes that the details of a result tell.
func (s *session) changes(c *trace.ToolCall, d gjson.Result, at trace.Event) {
	if c.Type != trace.EditTool {
		return
	}
	if c.Tool == "apply_patch" {
		for _, list := range []struct{ key, action string }{{"added", "created"}, {"modified", "modified"}, {"deleted", "deleted"}} {
			d.Get("summary." + list.key).ForEach(func(_, path gjson.Result) bool {
				if path.Str != "" {
					at.Body = &trace.FileChange{Path: s.path(path.Str), Action: list.action, Call: c.Call}
					s.b.Add(at)
				}
				return true
			})
		}
		return
	}
	patch := d.Get("patch").Str
	path := c.Path
	if path == "" {
		path = s.path(target(patch))
	}
	if changed := d.Get("changed"); path == "" || !d.Get("diff").Exists() && patch == "" || changed.Exists() && !changed.Bool() {
		return
	}
	f := &trace.FileChange{Path: path, Action: "modified", Call: c.Call, Hash: s.told[c.Call]}
	if d.Get("created").Bool() {
		f.Action = "created"
	}
	if patch != "" {
		added, removed := draft.CountDiff(patch)
		f.Added, f.Removed = &added, &removed
	}
	at.Body = f
	s.b.Add(at)
}

// target is the file that a patch makes.
func target(patch string) string {
	_, rest, ok := strings.Cut(patch, "\n+++ ")
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	path, _, _ := strings.Cut(line, "\t")
	return path
}
