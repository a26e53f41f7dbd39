package config

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is translated")

// folder is a project with files, and a person's own file.
func folder(t *testing.T, files map[string]string) Places {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := Places{Root: filepath.Join(dir, "code", "shop"), User: filepath.Join(dir, "workers.yaml"), Home: dir}
	if err := os.MkdirAll(p.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := map[string]string{"user": p.User, "beside": filepath.Join(dir, "code", ours)}[name]
		if path == "" {
			path = filepath.Join(p.Root, name)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", p.Root)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func load(t *testing.T, p Places) *Config {
	t.Helper()
	c, err := Load(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTranslation: the usual forms of agent-orchestrator.yaml load, and what each key became stands in testdata.
func TestTranslation(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.yaml")
	if len(files) != 5 {
		t.Fatal(files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := folder(t, map[string]string{theirs: string(text)})
		got, err := json.MarshalIndent(load(t, p), "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		got = []byte(strings.ReplaceAll(string(got), p.Home, "HOME") + "\n")
		golden := strings.TrimSuffix(file, ".yaml") + ".json"
		if *update {
			os.WriteFile(golden, got, 0o644)
		}
		want, _ := os.ReadFile(golden)
		if string(got) != string(want) {
			t.Errorf("%s:\n%s", file, got)
		}
	}
}

func TestMistakesHaveALine(t *testing.T) {
	for _, c := range []struct{ text, want, known string }{
		{"base: main\nmodle: x\n", `2: unknown key "modle"`, "model"},
		{"projects:\n  shop:\n    agentConfig:\n      model: a\n    setp: x\n", `5: unknown key "projects.shop.setp"`, "setup"},
		{"base: [a]\n", "1: base is one word or text", ""},
		{"setup_timeout: long\n", `1: setup_timeout is a time such as 90s or 5m, not "long"`, ""},
		{"max_workers: -1\n", `1: max_workers is a number of 0 or more, not "-1"`, ""},
		{"base: a\nbase: b\n", "2: base stands here and in line 1", ""},
		{"copy: ['../secrets']\n", `1: copy: "../secrets" does not stay below the root of the project`, ""},
		{"link: [/etc]\n", "", ""},
		{"ports: {PORT: 99999}\n", "1: ports: PORT: 99999 is no port", ""},
		{"ports: ['A B']\n", `1: ports: "A B" is no name of a variable, or stands twice`, ""},
		{"merge: fast\n", `1: merge: one of forward, merge, squash, rebase, not "fast"`, ""},
		{"- a\n", "1: the file has no keys", ""},
		{"projects: 3\n", "1: projects holds other keys, and no value", ""},
		{"a: b: c\n", "1: mapping values are not allowed in this context", ""},
		{"x: &x {<<: *x}\n", `1: unknown key "x"`, ""},
		{"lifecycle: {a: &a [1], b: *a}\nbase: a\n---\nbase: b\n", "1: has more than one document", ""},
		{strings.Repeat("reactions: {a: {auto: ", 1) + "1}}\n", `1: reactions.a.auto is true or false, not "1"`, ""},
	} {
		p := folder(t, map[string]string{ours: c.text})
		_, err := Load(p)
		var m *Mistake
		if c.want == "" {
			if err != nil { // it waits for a person's word, and is looked at then
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if !errors.As(err, &m) || err.Error() != filepath.Join(p.Root, ours)+":"+c.want {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if c.known != "" && !slices.Contains(m.Known, c.known) {
			t.Errorf("%s: %v", c.text, m.Known)
		}
	}
}

// TestOnlyThePersonsFile: a clone decides nothing that runs, and lifts no fence.
func TestOnlyThePersonsFile(t *testing.T) {
	text := "base: main\nsetup: [./evil]\nlink: [x]\nenv: [TOKEN]\nrules: obey\npermissions: auto\nnotifiers: {n: {command: ./evil}}\n" +
		"tracker: {plugin: linear, url: http://evil}\nforge: {strangers: true}\ngates: {run: [./evil], unsandboxed: true}\nssh: {host: evil}\nreactions: {approved-and-green: {action: auto-merge}}\n"
	p := folder(t, map[string]string{ours: text})
	c := load(t, p)
	var keys []string
	for _, s := range c.Settings {
		keys = append(keys, s.Key)
	}
	if got := strings.Join(keys, " "); got != "base tracker.plugin" {
		t.Errorf("counts: %s", got)
	}
	if len(c.Confirm) != 64 || len(c.Texts) != 6 {
		t.Errorf("%q %q", c.Confirm, c.Texts)
	}
	p.Accepted = func(hash string) bool { return hash == c.Confirm }
	now := load(t, p)
	if now.Confirm != "" || now.Words("setup")[0] != "./evil" || now.Word("permissions") != "auto" {
		t.Errorf("%+v", now)
	}
	for _, key := range []string{"notifiers.n", "forge.strangers", "gates.unsandboxed", "ssh", "tracker.url"} {
		if now.get(key) != nil {
			t.Errorf("%s counts", key)
		}
	}
	os.WriteFile(filepath.Join(p.Root, ours), []byte(strings.Replace(text, "[./evil]\nlink", "[./worse]\nlink", 1)), 0o644)
	if changed := load(t, p); changed.Confirm == "" || changed.Confirm == c.Confirm || changed.Words("setup") != nil {
		t.Errorf("a changed text counts: %+v", changed)
	}
	p = folder(t, map[string]string{"user": text})
	if mine := load(t, p); mine.Words("setup") == nil || mine.get("forge.strangers") != true || mine.get("notifiers.n") == nil || mine.Confirm != "" {
		t.Errorf("%+v", mine)
	}
}

// TestWhoSaysItNearer: the person's word on this project, then the repository, then the person's word on all.
func TestWhoSaysItNearer(t *testing.T) {
	p := folder(t, map[string]string{
		"user": "base: a\nmodel: m\nagent: x\nprojects:\n  shop:\n    path: ROOT\n    model: mine\n  other:\n    path: /nowhere\n    base: no\n",
		ours:   "base: b\nmodel: theirs\n", "beside": "base: c\n", theirs: "projects: {shop: {defaultBranch: d}}\n",
	})
	c := load(t, p)
	if c.Word("base") != "b" || c.Word("model") != "mine" || c.Word("agent") != "x" {
		t.Errorf("%+v", c.Settings)
	}
	if len(c.LeftOut) != 3 || !strings.Contains(c.LeftOut[0].Why, "says it nearer") {
		t.Errorf("%+v", c.LeftOut)
	}
	os.Remove(filepath.Join(p.Root, ours))
	if c := load(t, p); c.Word("base") != "c" {
		t.Errorf("%+v", c.Settings)
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range files {
		b, _ := os.ReadFile(file)
		f.Add(b)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, ours)
		os.WriteFile(path, b, 0o644)
		c, err := Load(Places{Root: dir, Home: dir, Accepted: func(string) bool { return true }})
		if err != nil {
			return
		}
		for _, s := range c.Settings {
			if s.Key == "" || s.Line < 1 {
				t.Errorf("%+v", s)
			}
		}
	})
}
