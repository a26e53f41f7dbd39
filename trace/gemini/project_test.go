package gemini

import (
	"path/filepath"
	"testing"

	"aburn/internal/lab/tracetest"
)

// Which project a session belongs to is known from the folder, from the list of projects, or from a folder that the
// session names and whose hash is the project's; a name alone proves nothing.
func TestProject(t *testing.T) {
	const hash = "b1d0c5f6f5ca38efce05eb5bd1b4bd5f3b2a3e2c0d0f9e8d7c6b5a4f3e2d1c0b" // of nothing here
	header := func(kind, hash, more string) string {
		return `{"sessionId":"5c52c37e-0","projectHash":"` + hash + `","startTime":"2026-01-01T10:00:00Z","kind":"` + kind + `"` + more + "}\n"
	}
	context := `{"$set":{"messages":[{"id":"c","type":"user","content":"<session_context>\n- **Workspace Directories:**\n  - /work/other\n  - ` +
		`/work/p\n</session_context>"}]}}` + "\n"
	for name, c := range map[string]struct {
		files map[string]string // below .gemini
		want  string
	}{
		"folder": {map[string]string{"tmp/x/.project_root": "/work/p\n", "tmp/x/chats/session-1-5c52c37e.jsonl": header("main", hash, "")}, "/work/p"},
		"list": {map[string]string{"projects.json": `{"projects":{"/work/p":"x","/work/q":"y"}}`,
			"tmp/x/chats/session-1-5c52c37e.jsonl": header("main", hash, "")}, "/work/p"},
		"list by hash": {map[string]string{"projects.json": `{"projects":{"/work/q":"y","/work/p":"z"}}`,
			"tmp/" + ofP + "/chats/session-1-5c52c37e.jsonl": header("main", ofP, "")}, "/work/p"},
		"context":           {map[string]string{"tmp/x/chats/session-1-5c52c37e.jsonl": header("main", ofP, "") + context}, "/work/p"},
		"another's context": {map[string]string{"tmp/x/chats/session-1-5c52c37e.jsonl": header("main", hash, "") + context}, ""},
		"directories":       {map[string]string{"tmp/x/chats/5c52c37e-0/a.jsonl": header("subagent", ofP, `,"directories":["/work/q","/work/p"]`)}, "/work/p"},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			write(t, filepath.Join(dir, ".gemini", file), text)
		}
		sink := tracetest.Read(t, New(), dir)
		if len(sink.Traces) != 1 {
			t.Fatalf("%s: %d sessions, %v", name, len(sink.Traces), sink.Errors)
		}
		for _, s := range sink.Traces {
			if s.Project.Path != c.want {
				t.Errorf("%s: the project is %q, not %q", name, s.Project.Path, c.want)
			}
			if (s.Extra == nil) != (c.want != "") {
				t.Errorf("%s: what else is known is %s", name, s.Extra)
			}
		}
	}
}

// ofP is the SHA-256 of /work/p.
const ofP = "1eb39ff2d919a732f952aac9ea183bb78deace6b582fcc07894f4473fb92581a"
