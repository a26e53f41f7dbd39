package install

import (
	_ "embed" // of the extension
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
)

// Pi is the adapter for pi, which has no hooks but extensions. One that does not load keeps pi from starting, so the file has nothing that
// depends on pi's version.
var Pi = &Adapter{Agent: &agentcli.Pi, Session: piSession, Canary: piCanary, own: scriptFile{&agentcli.Pi, piExtension, nil}}

//go:embed pi.js
var piExtension string

// piCanary spells the fields of a payload as the extension does.
func piCanary(fields map[string]any) map[string]any {
	if fields["tool_name"] != nil {
		fields["tool_name"] = "bash"
	}
	if fields["tool_response"] != nil {
		fields["tool_response"] = map[string]any{"failed": false, "ran": true, "exit": 0}
	}
	return fields
}

// piSession reads a session's file: the first record is about the session, each has a time.
func piSession(s *Session, record gjson.Result) {
	at, _ := time.Parse(time.RFC3339, record.Get("timestamp").Str)
	if record.Get("type").Str == "session" {
		s.ID, s.Cwd, s.Started = strings.Clone(record.Get("id").Str), strings.Clone(record.Get("cwd").Str), at
	}
	if at.After(s.Last) {
		s.Last = at
	}
}
