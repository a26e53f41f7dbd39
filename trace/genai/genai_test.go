package genai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"aburn/trace"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		content string
		want    Parts
	}{
		{`"hello"`, Parts{Text: "hello"}},
		{`{"text":"hello"}`, Parts{Text: "hello"}},
		{`["a",{"text":"b"},{"text":"why","thought":true}]`, Parts{Text: "ab", Thought: "why"}},
		{`[{"inlineData":{"data":"…"}}]`, Parts{Media: true}},
		{`[{"functionCall":{"name":"glob"}},{"functionResponse":{"id":"1"}}]`,
			Parts{Calls: []Value{Value(`{"name":"glob"}`)}, Responses: []Value{Value(`{"id":"1"}`)}}},
		{`null`, Parts{}},
		{``, Parts{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Split(Value(tt.content))); diff != "" {
			t.Errorf("Split(%s) (-want +got):\n%s", tt.content, diff)
		}
	}
}

// A member that is null is missing: an error of null is no error.
func TestSaid(t *testing.T) {
	tests := []struct {
		response, text string
		failed         bool
	}{
		{`{"output":"done"}`, "done", false},
		{`{"error":"no such file","output":""}`, "no such file", true},
		{`{"error":null,"output":{"files":3}}`, `{"files":3}`, false},
		{`{"content":1}`, `{"content":1}`, false},
	}
	for _, tt := range tests {
		if text, failed := Said(Value(tt.response)); text != tt.text || failed != tt.failed {
			t.Errorf("Said(%s) = %q, %v", tt.response, text, failed)
		}
	}
}

func TestCommand(t *testing.T) {
	for prompt, want := range map[string]string{"/plan the cart": "/plan", "/": "", "/usr/bin is full": "", "/a.b": "", "plan": ""} {
		if got := Command(prompt); got != want {
			t.Errorf("Command(%q) = %q", prompt, got)
		}
	}
}

func TestToolType(t *testing.T) {
	for name, want := range map[string]trace.ToolType{
		"run_shell_command": trace.ShellTool, "edit": trace.EditTool, "google_web_search": trace.WebTool, "agent": trace.AgentTool,
		"mcp_db_query": trace.MCPTool, "db__query": trace.MCPTool, "save_memory": trace.OtherTool,
	} {
		if got := ToolType(name); got != want {
			t.Errorf("ToolType(%q) = %v", name, got)
		}
	}
}
