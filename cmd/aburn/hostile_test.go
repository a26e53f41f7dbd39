package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/lab/world"
)

// hostile moves a terminal: an escape sequence, its one-byte form, a
// bidirectional override, an invisible space, a line separator.
const hostile = "a\x1b]0;mine\x07b\u009b31mc\u202ed\u200be\u2028f\r\ng"

// hostileLog has hostile texts wherever an entry can have one, as \u escapes and
// as they are, and lines that are no entries.
func hostileLog(t *testing.T) []byte {
	t.Helper()
	var log bytes.Buffer
	for _, cmd := range []string{"plan", "c" + hostile} {
		for _, ev := range []string{"START", "TOOL_START", "TOOL", "TOOL_FAILED", "PROMPT", "NOTIFY", "AGENT_SPAWN", "FAILED", "COMPLETE", "e" + hostile} {
			line, err := json.Marshal(map[string]any{
				"ts": "2026-11-21T11:00:00.000Z", "cmd": cmd, "event": ev, "session": "s" + hostile, "id": ev + cmd, "source": hostile, "branch": hostile,
				"data": map[string]any{
					"summary": hostile, "error": hostile, "head": hostile, "path": hostile, "tool": hostile, "task": hostile, "type": hostile,
					"next_suggested": hostile, "outputs": []any{hostile, map[string]any{"path": hostile, "sha256": hostile}}, "metrics": map[string]any{hostile: hostile},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			log.Write(line)
			log.WriteString("\n" + strings.NewReplacer(`\u2028`, "\u2028").Replace(string(line)) + "\n")
		}
	}
	log.WriteString("# note " + hostile + "\n{\"ts\":\"" + hostile + "\n")
	return log.Bytes()
}

// Whatever stands in a log, no command lets it move the terminal.
func TestHostileTextStaysText(t *testing.T) {
	world.Unshared(t)
	dir := t.TempDir()
	env := func(key string) string {
		return map[string]string{"HOME": filepath.Join(dir, "home")}[key]
	}
	var out bytes.Buffer
	run := func(args ...string) int {
		a := &kit.App{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: env}
		return run(context.Background(), a, append([]string{"aburn", "-C", dir}, args...))
	}
	if code := run("init", "--here", "--force"); code != fault.ExitOK {
		t.Fatalf("init: exit %d\n%s", code, out.String())
	}
	if err := os.WriteFile(filepath.Join(dir, ".oss", "workflow.log"), hostileLog(t), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"tail", "tail --json", "query", "query --json", "query --get data --json", "log stats", "log stats --json", "status", "status --json", "supervisor",
		"supervisor --json", "supervisor --at 2026-11-21T11:01:00Z",
		"supervisor --at 2026-11-21T11:01:00Z --json", "supervisor --at 2026-11-21T11:01:00Z --explain explicit",
		"supervisor --at 2026-11-21T11:01:00Z --explain explicit --json", "supervisor report", "verify", "verify --json",
		"chain", "chain --json", "chain plan", "chain plan --json", "chain plan --get data", "chain plan --get data.summary", "chain plan --get data.outputs.1",
		"chain plan --get branch", "chain --get commands", "chain plan --session s", "chain --expect build", "doctor --json",
	} {
		out.Reset()
		run(strings.Fields(line)...)
		if out.Len() == 0 {
			t.Errorf("%s says nothing", line)
		}
		moves := func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
		if i := strings.IndexFunc(out.String(), moves); i >= 0 {
			t.Errorf("%s prints %q", line, out.String()[max(0, i-40):min(out.Len(), i+20)])
		}
	}
}
