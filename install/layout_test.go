package install

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// What is inserted looks like what is there. In after, G stands for a group of aburn's, and E for the events that the file
// lacks, with comma between them.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, before, after, comma string }{
		{"empty", "{}\n", "{\n  \"hooks\": {\n    E\n  }\n}\n", ",\n    "},
		{"two spaces", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"hooks\": {\n    E\n  }\n}\n", ",\n    "},
		{"tabs, no newline at the end", "{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\tE\n\t}\n}", ",\n\t\t"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    E\r\n  }\r\n}\r\n", ",\r\n    "},
		{"one line", `{"a": 1}`, `{"a": 1, "hooks": {E}}`, ", "},
		{"compact", `{"a":1}`, `{"a":1,"hooks":{E}}`, ","},
		{"an empty object on a line", "{\n  \"hooks\": {},\n  \"a\": 1\n}", "{\n  \"hooks\": {\n    E\n  },\n  \"a\": 1\n}", ",\n    "},
		{"null", "{\n  \"hooks\": null\n}", "{\n  \"hooks\": {\n    E\n  }\n}", ",\n    "},
		{"groups on lines", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n      }\n    ]\n  }\n}",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      {\n      },\n      G\n    ],\n    E\n  }\n}", ",\n    "},
		{"groups on one line", "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []}]\n  }\n}",
			"{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []}, G],\n    E\n  }\n}", ",\n    "},
	} {
		d, err := parse("f", []byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.ensure(call{agent: Codex, path: "/bin/aburn-hook"}, false, KeepStatus)
		if err != nil {
			t.Fatal(err)
		}
		group := func(timeout int) string {
			g := fmt.Sprintf(`{"hooks": [{"type": "command", "command": "/bin/aburn-hook codex", "timeout": %d}]}`, timeout)
			if c.comma == "," {
				g = strings.NewReplacer(": ", ":", ", ", ",").Replace(g)
			}
			return g
		}
		var lacking []string
		for _, ev := range Codex.events() {
			if d.root.last("hooks").under(ev.Name) == nil {
				lacking = append(lacking, quote(ev.Name)+e.style.colon+"["+group(ev.Timeout)+"]")
			}
		}
		want := strings.Replace(c.after, "G", group(5), 1)
		want = strings.Replace(want, "E", strings.Join(lacking, c.comma), 1)
		if got := string(splice([]byte(c.before), e.edits)); got != want {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, want)
		}
	}
}

func TestWhoseHandlerItIs(t *testing.T) {
	for _, c := range []struct {
		agent   Agent
		handler string
		ours    bool
	}{
		{Claude, `{"type": "command", "command": "/usr/bin/aburn-hook", "args": ["claude"], "timeout": 10}`, true},
		{Claude, `{"args": ["claude"], "command": "aburn-hook", "type": "command"}`, true},
		{Claude, `{"type": "command", "command": "aburn-hook claude"}`, true},
		{Claude, `{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/bin/aburn-hook\" claude"}`, true},
		{Claude, `{"type": "command", "command": "C:\\bin\\aburn-hook.exe", "args": ["claude"]}`, true},
		{Claude, `{"type": "command", "command": "/usr/bin/aburn-hook", "args": ["codex"]}`, false},
		{Claude, `{"type": "command", "command": "/usr/bin/aburn-hook", "args": []}`, false},
		{Claude, `{"type": "command", "command": "/usr/bin/aburn-hook", "args": ["claude", "--home", "/h", "--archive", "/a"]}`, true},
		{Claude, `{"type": "command", "command": "/usr/bin/aburn-hook", "args": ["claude", "--home"]}`, false},
		{Claude, `{"type": "command", "command": "/usr/bin/aburn-hook", "args": ["claude", "--other", "/h"]}`, false},
		{Codex, `{"type": "command", "command": "'/my bin/aburn-hook' codex --home '/it'\\''s' --state \"C:/My State\""}`, true},
		{Claude, `{"type": "command", "command": "/usr/bin/guard", "args": ["claude"]}`, false},
		{Claude, `{"type": "command", "command": "/usr/bin/aburn-hooked", "args": ["claude"]}`, false},
		{Claude, `{"type": "prompt", "command": "aburn-hook claude"}`, false},
		{Claude, `{"type": "command", "command": "guard claude"}`, false},
		{Codex, `{"type": "command", "command": "'/home/it'\\''s me/aburn-hook' codex"}`, true},
		{Codex, `{"type": "command", "command": "~/bin/aburn-hook codex"}`, true},
		{Codex, `{"type": "command", "command": "aburn-hook codex 2>/dev/null"}`, false},
		{Codex, `{"type": "command", "command": "X=1 aburn-hook codex"}`, false},
		{Codex, `{"type": "command", "command": "aburn-hook codex; rm x"}`, false},
		{Codex, `{"type": "command", "command": "aburn-hook $(x)"}`, false},
		{Codex, `{"type": "command", "command": "'aburn-hook codex"}`, false},
	} {
		d, err := parse("f", []byte(`{"hooks": {"Stop": [{"hooks": [`+c.handler+`]}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS == "windows" && strings.Contains(c.handler, `'\\''`) {
			continue // how sh has an apostrophe
		}
		if got := d.owns(c.agent); got != c.ours {
			t.Errorf("%s: ours %t", c.handler, got)
		}
	}
}

func TestShellQuote(t *testing.T) {
	for _, path := range []string{"/usr/bin/aburn-hook", "/home/it's me/x", "", "/a b/\"$HOME`x`\\", "/ü/x"} {
		words, ok := splitWords(shellQuote(path)+" codex", false)
		if !ok || len(words) != 2 || words[0] != path {
			t.Errorf("%q became %q, read as %q", path, shellQuote(path), words)
		}
	}
}

// A program's path on Windows is a word of cmd, and is read back as it was.
func TestProgramOfALineOnWindows(t *testing.T) {
	codex := Codex
	for path, want := range map[string]string{
		`C:\Users\you\bin\aburn-hook.exe`:       `C:\Users\you\bin\aburn-hook.exe codex --home C:/Users/you`,
		`C:\Program Files\aburn\aburn-hook.exe`: `"C:\Program Files\aburn\aburn-hook.exe" codex --home C:/Users/you`,
		`C:\it's\aburn-hook.exe`:                `"C:\it's\aburn-hook.exe" codex --home C:/Users/you`,
	} {
		got := call{agent: codex, path: path, folders: []string{"--home", "C:/Users/you"}}.lineFor(true)
		if words, ok := splitWords(got, true); got != want || !ok || len(words) != 4 || words[0] != path {
			t.Errorf("%s: %s, read as %q", path, got, words)
		}
	}
}

func TestArgumentsOfALine(t *testing.T) {
	for _, c := range []struct {
		arg     string
		windows bool
		want    string
	}{
		{"/home/you", false, "/home/you"},
		{"C:/Users/you", true, "C:/Users/you"},
		{"/my home", false, "'/my home'"},
		{"C:/My Files", true, `"C:/My Files"`},
		{"/it's", false, `'/it'\''s'`},
		{"C:/it's", true, `"C:/it's"`},
	} {
		got := argQuote(c.arg, c.windows)
		if words, ok := splitWords(got, c.windows); got != c.want || !ok || len(words) != 1 || words[0] != c.arg {
			t.Errorf("%s on Windows %t: %s, read as %q", c.arg, c.windows, got, words)
		}
	}
}
