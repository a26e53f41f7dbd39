package prompt

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestTheQuestionForAWholeFile holds the file as it is, and a dialogue of three turns where an answer is to be mended.
func TestTheQuestionForAWholeFile(t *testing.T) {
	c := NewRewriting(nil, "shop", "sh'op", nil)
	source := []byte("\uFEFFexport async function placeOrder(order) {}\r\n// end\r\n")
	r := c.Request(Question{File: order, Source: source, Facts: []string{"line 3: NDS-003: x"}, Fence: "file-00"})
	if !json.Valid(r.Schema) || len(r.Turns) != 1 || !strings.Contains(text(r), "\nfile-00\nexport async function placeOrder(order) {}\n// end\n\nfile-00\n") ||
		!strings.Contains(text(r), "Begin anew, without them:\n- line 3: NDS-003: x") {
		t.Errorf("%+v", r)
	}
	if strings.Contains(r.System, "TRACER") || !strings.Contains(r.System, "trace.getTracer('shop')") {
		t.Errorf("the tracer's name:\n%s", r.System)
	}
	r = c.Request(Question{File: order, Source: source, Facts: []string{"line 3: NDS-003: x"}, Before: json.RawMessage("{\n\"code\": \"a\\nb\"\n}")})
	if len(r.Turns) != 3 || r.Turns[1].Role != "assistant" || r.Turns[1].Text != `{"code":"a\nb"}` || !strings.Contains(r.Turns[2].Text, "- line 3: NDS-003: x") ||
		strings.Contains(r.Turns[0].Text, "NDS-003") {
		t.Errorf("%+v", r.Turns)
	}
	if small, large := RewritingBound(order, nil), RewritingBound(order, make([]byte, 10_000)); large-small < 10_000/4 ||
		RewritingBound(order, make([]byte, 1<<20)) != maxRewritten {
		t.Errorf("%d and %d tokens", small, large)
	}
}

// TestWhatCannotBeSentWhole: a secret, what a model is not shown, and too much.
func TestWhatCannotBeSentWhole(t *testing.T) {
	for text, want := range map[string]string{
		"const a = 1;\r\n":           "",
		"const s = 'Grüße, 世界 👋';\n": "",
		"f();\nconst key = '" + "sk-ant-" + "api03-" + strings.Repeat("aB3dE5", 16) + "';\n": "line 2 holds what looks like a secret",
		"f();\n\n// \u202e\n":         "line 3 holds a character that no model is shown",
		"f();\n// \x1b[31m\n":         "line 2 holds a character",
		strings.Repeat("f();\n", 1e5): "the file has about",
	} {
		if got := Unsendable([]byte(text)); (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%.40q: %q", text, got)
		}
	}
}

// TestAnswersThatAreFiles: what has not the form is an error; names and texts are kept within the grammar.
func TestAnswersThatAreFiles(t *testing.T) {
	const rest = `,"newSpans":[{"id":"a.b","kind":"internal","brief":"b\u001b[2J","attributes":[]},{"id":"A B","kind":"internal","brief":"b",` +
		`"attributes":[]}],"newAttributes":[],"libraries":["pg"],"notes":["n"]}`
	got, facts, err := ReadRewritten(json.RawMessage(`{"code":"f();\n"`+rest), order)
	if err != nil || got.Code != "f();\n" || len(got.NewSpans) != 1 || strings.Contains(got.NewSpans[0].Brief, "\x1b") || len(facts) != 1 ||
		got.Libraries[0] != "@opentelemetry/instrumentation-pg" || len(got.Notes) != 1 {
		t.Errorf("%+v %q %v", got, facts, err)
	}
	for _, broken := range []string{``, `[]`, `{"code":" "` + rest, `{"code":"f"`, `{"functions":[]}`, `{"code":1` + rest,
		`{"code":"` + strings.Repeat("a", maxAnswerBytes) + `"` + rest} {
		if _, _, err := ReadRewritten(json.RawMessage(broken), order); err == nil {
			t.Errorf("%.40q is taken", broken)
		}
	}
}
