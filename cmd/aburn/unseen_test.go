package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/lab/world"
)

// unseen is one character of each kind that a model must not be shown.
var unseen = []rune{0x00, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x6dd, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x180f, 0x200b, 0x200c, 0x200d,
	0x200e, 0x2028, 0x2029,
	0x202e, 0x2060, 0x2066, 0x206a, 0x2800, 0x3164, 0xe000, 0xfdd0, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xffff, 0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe007f,
	0xe0100, 0xe01ef, 0xe0fff, 0xf0000, 0x10ffff}

// isUnseen goes by the tables of the standard library, not by those of internal/plain.
func isUnseen(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	if r == 0x2800 {
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Noncharacter_Code_Point)
}

// unseenLog appends what a foreign writer could: every such character in every place, as itself and as an escape.
func (w *mcpWorld) unseenLog() (path string) {
	w.Helper()
	path = "docs/✔\ufe0f" + strings.Join(strings.Split(string(unseen), ""), "x") + ".md"
	log, err := os.OpenFile(filepath.Join(w.dir, ".oss", "workflow.log"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		w.Fatal(err)
	}
	defer log.Close()
	for _, event := range []string{"START", "TOOL_FAILED", "COMPLETE"} {
		line, err := json.Marshal(map[string]any{
			"v": 1, "ts": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "cmd": "plan", "event": event, "session": "s1" + path, "source": "claude", "branch": path,
			"data": map[string]any{"summary": path, "outputs": []any{path, map[string]any{"path": path}}, "next_suggested": path, "path": path, "head": path,
				"metrics": map[string]any{path: path}},
		})
		if err != nil {
			w.Fatal(err)
		}
		escaped := strings.NewReplacer("\ufe0f", `\ufe0f`, "\u3164", `\u3164`, "\u202e", `\u202e`, "\U000e0041", `\udb40\udc41`).Replace(string(line))
		fmt.Fprintf(log, "%s\n%s\n", line, escaped)
	}
	return path
}

// TestNothingUnseenReachesAModel: neither as itself nor, where the client takes JSON apart, as an escape.
func TestNothingUnseenReachesAModel(t *testing.T) {
	world.Unshared(t)
	w := newMCPWorld(t)
	path := w.unseenLog()
	check := func(what, text string) {
		t.Helper()
		if i := strings.IndexFunc(text, isUnseen); i >= 0 {
			t.Errorf("%s: %+q", what, text[max(0, i-40):min(len(text), i+20)])
		}
		if !strings.Contains(text, "docs/✔") {
			t.Errorf("%s does not show the path: %.300s", what, text)
		}
	}
	for _, args := range [][]string{
		{"chain"}, {"chain", "plan"}, {"chain", "--json"}, {"chain", "plan", "--json"}, {"chain", "plan", "--get", "data.outputs"},
		{"chain", "plan", "--get", "data"}, {"tail", "--json"}, {"query", "--json"},
	} {
		out, _, _ := w.run(args...)
		check(strings.Join(args, " "), out)
	}
	s := w.dial()
	for _, arguments := range []map[string]any{nil, {"command": "plan"}} {
		r, a := w.ask(s, "chain", arguments, nil)
		check("chain over MCP", textOf(r))
		check("its answer", decoded(t, a.Answer))
	}
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://log/tail"})
	if err != nil {
		t.Fatal(err)
	}
	check("log", r.Contents[0].Text)
	for line := range strings.Lines(r.Contents[0].Text) {
		if strings.Contains(line, "docs/") {
			check("line of the log", decoded(t, []byte(line)))
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://digest/claude/docs%2F%E2%9C%94%EF%B8%8F%E3%85%A4"}); err == nil {
		t.Error("there is a digest of " + path)
	} else {
		check("error", err.Error())
	}
}

// decoded is every string of JSON, names of members too.
func decoded(t *testing.T, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	var b strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for name, one := range v {
				b.WriteString(name + "\n")
				walk(one)
			}
		}
	}
	walk(v)
	return b.String()
}
