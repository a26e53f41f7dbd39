package install

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
)

// Qwen is the adapter for Qwen Code's settings.
var Qwen = &Adapter{Agent: &agentcli.Qwen, Likely: qwenLikely, Session: qwenSession, notes: qwenNotes}

// qwenNotes finds the switch that turns all hooks off, and duplicate keys.
func qwenNotes(d *document, at func(value, string, ...any)) {
	if m := d.root.last("disableAllHooks"); m != nil && m.value.kind == yes {
		at(m.value, "disableAllHooks is on: Qwen Code runs no hook at all")
	}
	d.duplicates(at)
}

func qwenLikely(Exam, *Session) string {
	return "Qwen Code runs no hooks in a folder that it does not trust, the user's neither"
}

// qwenSession reads a transcript, whose file name is the session's id. Records of the conversation have a folder and a
// time; others prove no activity.
func qwenSession(s *Session, r gjson.Result) {
	s.ID = strings.TrimSuffix(filepath.Base(s.Path), ".jsonl")
	if kind := r.Get("type").Str; kind != "user" && kind != "assistant" {
		return
	}
	if at, err := time.Parse(time.RFC3339, r.Get("timestamp").Str); err == nil {
		s.See(at)
	}
	if s.Cwd == "" {
		s.Cwd = r.Get("cwd").Str
	}
}
