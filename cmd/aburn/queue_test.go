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
)

// Whatever another tool wrote into the queue, no command lets it move the terminal.
func TestHostileQueue(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Join(dir, "home")) // the mark of trust goes there
	t.Setenv("XDG_STATE_HOME", "")
	env := func(key string) string {
		return map[string]string{"HOME": filepath.Join(dir, "home")}[key]
	}
	var out bytes.Buffer
	run := func(args ...string) {
		a := &kit.App{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: env}
		run(context.Background(), a, append([]string{"aburn", "-C", dir}, args...))
	}
	run("init", "--here", "--force")
	task := map[string]any{"id": "id" + hostile, "prompt": hostile, "status": "pending", "extra" + hostile: hostile, "context": map[string]any{hostile: hostile}}
	for _, key := range []string{"source", "anomaly_type", "suggested_agent", "session", "scope", "signature", "hmac"} {
		task[key] = hostile
	}
	done := map[string]any{"id": "done" + hostile, "prompt": hostile, "status": hostile, "priority": hostile}
	file, err := json.Marshal(map[string]any{"tasks": []any{task, done, hostile, map[string]any{"id": "plain-1", "prompt": hostile, "status": "pending"}}})
	if err != nil {
		t.Fatal(err)
	}
	file = []byte(strings.NewReplacer(`\u2028`, "\u2028").Replace(string(file)))
	if err := os.WriteFile(filepath.Join(dir, ".oss", "queue.json"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"queue", "list"}, {"queue", "list", "--all"}, {"queue", "list", "--json"}, {"queue", "show", "id" + hostile}, {"queue", "show", "id" + hostile, "--json"},
		{"queue", "show", "none" + hostile}, {"queue", "show", "--generate-shell-completion"}, {"queue", "allow", "done" + hostile, "--project"},
		{"queue", "allow", "plain-1", "--project"}, {"queue", "allow", "id" + hostile, "--session", hostile}, {"queue", "drop", "done" + hostile, "id" + hostile},
		{"queue", "add", "--project", hostile},
	} {
		out.Reset()
		run(args...)
		if out.Len() == 0 {
			t.Errorf("%q says nothing", args)
		}
		for _, r := range out.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
				t.Errorf("%q prints %U:\n%q", args, r, out.String())
				break
			}
		}
	}
}
