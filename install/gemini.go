package install

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
)

// Gemini is the adapter for Gemini CLI's settings.
var Gemini = &Adapter{Agent: &agentcli.Gemini, Session: geminiSession, notes: geminiNotes}

// geminiNotes finds the switches that turn hooks off, and duplicate keys. A file that does not parse needs no note: with
// one the client does not start.
func geminiNotes(d *document, at func(value, string, ...any)) {
	if config := d.root.last("hooksConfig"); config != nil {
		if m := config.under("enabled"); m != nil && m.value.kind == no {
			at(m.value, "hooksConfig.enabled is off: Gemini CLI runs no hook at all")
		}
		if m := config.under("disabled"); m != nil && d.names(m.value, handlerName) {
			at(m.value, "hooksConfig.disabled names %s: Gemini CLI does not run aburn's hooks", quote(handlerName))
		}
	}
	d.duplicates(at)
}

// names reports whether a list holds this string.
func (d *document) names(list value, name string) bool {
	for _, e := range list.elems {
		if e.kind == text && unquote(d.data[e.start:e.end]) == name {
			return true
		}
	}
	return false
}

// geminiSession reads a transcript. Its first record names the session, a file beside the folder its project. Resuming
// a session writes a file with nothing but that record, which proves no activity.
func geminiSession(s *Session, r gjson.Result) {
	if id := r.Get("sessionId").Str; id != "" && s.ID == "" {
		s.ID, s.Part = id, r.Get("kind").Str != "main"
		s.Cwd = geminiProject(s.Path)
		return
	}
	if at, err := time.Parse(time.RFC3339, r.Get("timestamp").Str); err == nil && r.Get("type").Exists() {
		s.See(at)
	}
}

// geminiProject is the folder whose sessions lie beside this one; "" if nothing tells it.
func geminiProject(session string) string {
	data, err := ReadSettings(filepath.Join(filepath.Dir(filepath.Dir(session)), ".project_root"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
