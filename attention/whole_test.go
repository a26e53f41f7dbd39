package attention

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A call that waits is shown whole out of the agent's own file, as each client records it; scrubbed, and only where the file agrees
// with the log.
func TestWhole(t *testing.T) {
	secret := "ghp_" + strings.Repeat("aB3dE6gH", 4) + "Zz99"
	home := t.TempDir()
	t.Setenv("HOME", home)
	long := strings.Repeat("make something long && ", 40) + "make the-end"
	for _, c := range []struct{ name, record, quoted, want string }{
		{"Claude Code", `{"type":"assistant","message":{"content":[{"type":"text","text":"now"},{"type":"tool_use","id":"call_1","name":"Bash","input":{"command":"` +
			long + `","description":"x"}}]}}`, long[:190] + "…", long},
		{"Codex", `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"` + long + `\"}","call_id":"call_1"}}`,
			long[:190] + "…", long},
		{"a list of words", `{"payload":{"arguments":"{\"command\":[\"bash\",\"-lc\",\"make a b\"]}","call_id":"call_1"}}`, "", "bash -lc 'make a b'"},
		{"questions",
			`{"message":{"content":[{"id":"call_1","input":{"questions":[{"question":"Which?","options":[{"label":"One","description":"the first"},` +
				`{"label":"Two"}]},{"question":"Sure?"}]}}]}}`, "Which?",
			"Which?\n  · One: the first\n  · Two\nSure?"},
		{"a plan", `{"message":{"content":[{"id":"call_1","input":{"plan":"# Plan\n1. a\n2. b"}}]}}`, "# Plan 1. a…", "# Plan\n1. a\n2. b"},
		{"a path at home", `{"message":{"content":[{"id":"call_1","input":{"command":"cat ` + home + `/notes.md"}}]}}`, "cat ~/no…", "cat " + home + "/notes.md"},
		{"a secret", `{"message":{"content":[{"id":"call_1","input":{"command":"export TOKEN=` + secret + `\nmake"}}]}}`, "", ""},
		{"what acts on a screen", `{"message":{"content":[{"id":"call_1","input":{"command":"echo a\u202eb\u001b[2J"}}]}}`, "", "echo a\ufffdb\ufffd[2J"},
		{"something else than the log", `{"message":{"content":[{"id":"call_1","input":{"command":"rm -rf /"}}]}}`, "ls", ""},
		{"another call", `{"message":{"content":[{"id":"call_2","input":{"command":"ls"}}]}}`, "ls", ""},
		{"a result", `{"message":{"content":[{"tool_use_id":"call_1","content":"ls"}]}}`, "ls", ""},
		{"no JSON", `"call_1" {"input":{"command":"ls"}}`, "ls", ""},
	} {
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(path, []byte("{\"type\":\"user\"}\n"+c.record+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var w Wholes
		got := w.Of(path, &Item{Group: Waiting, Call: "call_1", Quoted: c.quoted})
		if c.name == "a secret" {
			if !strings.HasPrefix(got, "export TOKEN=") || strings.Contains(got, secret[4:20]) || !strings.HasSuffix(got, "\nmake") {
				t.Errorf("%s: %q", c.name, got)
			}
		} else if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// A record that is written while one looks is found as soon as it is whole.
	path := filepath.Join(t.TempDir(), "session.jsonl")
	record := `{"message":{"content":[{"id":"call_1","input":{"command":"ls"}}]}}`
	var w Wholes
	for _, step := range []struct{ text, want string }{{record[:40], ""}, {record, ""}, {record + "\n", "ls"}} {
		if err := os.WriteFile(path, []byte("{}\n"+step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := w.Of(path, &Item{Group: Waiting, Call: "call_1", Quoted: "ls"}); got != step.want {
			t.Errorf("after %q: %q", step.text, got)
		}
	}
}
