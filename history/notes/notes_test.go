package notes

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Notes in the forms of Git AI 1.1 to 1.6: prompts or sessions as authors, people, quoted paths.
func TestParse(t *testing.T) {
	n, err := Parse(`src/server auth.ts
  abcd1234abcd1234 10-24,31-33
"docs/a b.md"
  s_52d0732141ad88::t_70f6f84bf4d21c 509
  h_9e71e8b09f7cf2 1-8
---
{"schema_version": "authorship/3.0.0", "git_ai_version": "1.6.22", "base_commit_sha": "x",
 "prompts": {"abcd1234abcd1234": {"agent_id": {"tool": "claude", "id": "cb947e5b", "model": "claude-sonnet-4-5"}, "messages": [{"type": "user", "text": "x"}]}},
 "sessions": {"s_52d0732141ad88": {"agent_id": {"tool": "opencode", "id": "ses_1", "model": "big-pickle"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := &Note{
		Files: []File{
			{"src/server auth.ts", []Entry{{"abcd1234abcd1234", []Range{{10, 24}, {31, 33}}}}},
			{"docs/a b.md", []Entry{{"s_52d0732141ad88", []Range{{509, 509}}}, {"h_9e71e8b09f7cf2", []Range{{1, 8}}}}}},
		Authors: map[string]Author{"abcd1234abcd1234": {Tool: "claude", Session: "cb947e5b", Model: "claude-sonnet-4-5"},
			"s_52d0732141ad88": {Tool: "opencode", Session: "ses_1", Model: "big-pickle"}, "h_9e71e8b09f7cf2": {Person: true}}}
	if !reflect.DeepEqual(n, want) {
		t.Errorf("%+v", n)
	}
	if n.Lines() != 15+3+1+8 {
		t.Error(n.Lines())
	}
	if n, err := Parse("---\n{\"schema_version\": \"authorship/3.1.0\"}"); err != nil || len(n.Files) != 0 {
		t.Error(n, err)
	}
	for _, bad := range []string{"", "a note by a person\n", "a.go\n  k 1\n---\n{", "a.go\n  k 1\n---\n{\"schema_version\": \"authorship/4.0.0\"}",
		"  k 1\n---\n{\"schema_version\": \"authorship/3.0.0\"}", "a.go\n  k 2-1\n---\n{\"schema_version\": \"authorship/3.0.0\"}",
		"a.go\n  k\n---\n{\"schema_version\": \"authorship/3.0.0\"}"} {
		if n, err := Parse(bad); err == nil {
			t.Errorf("%q: %+v", bad, n)
		}
	}
}

func sample() *Note {
	key := Key("claude", "7b1c2f91")
	return &Note{Files: []File{{"a b.go", []Entry{{key, []Range{{1, 3}, {7, 7}}}}}, {"a.go", []Entry{{key, []Range{{2, 2}}}}}},
		Authors: map[string]Author{key: {Tool: "claude", Session: "7b1c2f91", Model: "claude-opus-5-5"}}}
}

// What is written is read again.
func TestRoundTrip(t *testing.T) {
	n := sample()
	text, err := n.Format("c0ffee")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, "\"a b.go\"\n  "+Key("claude", "7b1c2f91")+" 1-3,7\na.go\n") {
		t.Error(text)
	}
	again, err := Parse(text)
	if err != nil || !reflect.DeepEqual(again, n) {
		t.Errorf("%v\n%+v\n%+v", err, again, n)
	}
}

// Records fit the constraints of the published schema (agent-trace.dev, schemas/trace-record.json as of 33e84942), written down anew.
func TestTraceFitsTheSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/trace-record.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []*Note{sample(), {}} {
		text, err := json.Marshal(n.Trace("c0ffee", time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), TraceTool{"aburn", "1.2.3"}))
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if err := resolved.Validate(map[string]any{"version": "1.0"}); err == nil {
		t.Error("the schema takes anything")
	}
}
