package mcpserver

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b\n\u003cé\\u202e"}`: `{"a":"b\n\u003cé\\u202e"}`,
		`"a\u202eb\u001bc"`:         `"a�b�c"`,
		"\"a\u202eb\"":              `"a�b"`,
		`"\ud83d\ude00"`:            `"\ud83d\ude00"`,
		`"\udb40\udc41\ud83d"`:      `"��"`, // a tag that nobody sees; half a character
		`"\`:                        `"\`,
		`"\u12`:                     `"\u12`,
		"\"\xff\"":                  `"�"`,
	} {
		if got := string(clean([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Nothing that a model is given holds what a person would not see.
func TestShown(t *testing.T) {
	const bad = "x\x1b[31m\u202ey\u200bz\U000e0041\u2028"
	s := &Server{
		Tools: []Tool{NewTool[ask, told]("say", "", "", func(_ context.Context, _ Asker, in ask) (*Answer, error) {
			if in.Word == "error" {
				return nil, context.DeadlineExceeded
			}
			raw, _ := json.Marshal(bad)
			return &Answer{Markdown: "# " + bad, Data: told{Words: []string{bad}, Raw: raw, Map: map[string]int{bad: 1}}, Notes: []string{bad}}, nil
		})},
		Resources: []Resource{{URI: "aburn://r", Name: "r", Read: func(context.Context, *url.URL) (string, error) {
			text, err := json.Marshal(bad)
			return string(text), err
		}}},
	}
	session := dial(t, s)
	answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "say", Arguments: ask{Word: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "aburn://r"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(what, text string) {
		hides := func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
		if strings.ContainsFunc(text, hides) || !strings.Contains(text, "x�") {
			t.Errorf("%s: %q", what, text)
		}
	}
	check("text", answer.Content[0].(*mcp.TextContent).Text)
	content, err := json.Marshal(answer.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), `\u00`) || strings.Contains(string(content), `\u20`) {
		t.Errorf("escapes: %s", content)
	}
	check("content", string(content))
	check("resource", read.Contents[0].Text)
}
