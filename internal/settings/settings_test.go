package settings

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// home is a home directory with a project p in it, in a temp folder.
type home struct {
	t    *testing.T
	dir  string
	vars map[string]string
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t, dir, map[string]string{"HOME": dir}}
	h.write("p/.oss/x", "")
	return h
}

func (h *home) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

const (
	ownFile     = ".config/aburn/settings.json"
	projectFile = "p/.oss/settings.json"
)

func (h *home) mark() {
	h.t.Setenv("HOME", h.dir)
	h.t.Setenv("XDG_STATE_HOME", "")
	if err := project.Mark(filepath.Join(h.dir, "p")); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) load() Settings {
	h.t.Helper()
	env := func(name string) string { return h.vars[name] }
	p, err := project.Find(filepath.Join(h.dir, "p"), env)
	if err != nil {
		h.t.Fatal(err)
	}
	s := Load(p, env)
	s.Model()
	return s
}

// warnings are the warnings with the home directory as ~.
func (h *home) warnings(s Settings) string {
	text := strings.ReplaceAll(strings.Join(s.Warnings, "\n"), h.dir, "~")
	for _, name := range []string{ownFile, projectFile} {
		text = strings.ReplaceAll(text, "~"+string(filepath.Separator)+filepath.FromSlash(name), "~/"+name)
	}
	return text
}

func TestDefaults(t *testing.T) {
	for name, s := range map[string]Settings{
		"no project":    Load(nil, func(string) string { return "" }),
		"empty project": newHome(t).load(),
	} {
		if s.Rotate != 16<<20 || s.Keep != 512<<20 || s.Sync != SyncDurable || !s.Inject.ChainOnStart || s.Warnings != nil {
			t.Errorf("%s: %+v", name, s)
		}
		for phase, want := range map[string]time.Duration{"RED": 10 * time.Minute, "GREEN": 5 * time.Minute, "REFACTOR": 3 * time.Minute, "": 5 * time.Minute} {
			if got := s.Model().TimeoutOf(phase); got != want {
				t.Errorf("%s: timeout of %q is %v", name, phase, got)
			}
		}
	}
}

func TestPrecedence(t *testing.T) {
	h := newHome(t)
	h.mark()
	h.write(projectFile, `{"log": {"rotate": "1MiB", "keep": "1MiB", "sync": "all"}, "timeouts": {"RED": "1m", "default": 60}}`)
	h.write(ownFile, `{"log.rotate": "2MiB", "log": {"keep": 2097152}, "inject": {"chain_on_start": false}}`)
	h.vars["ABURN_LOG_ROTATE"] = "3M"
	h.vars["ABURN_TIMEOUTS_GREEN"] = "90s"
	s := h.load()
	if s.Rotate != 3<<20 || s.Keep != 2<<20 || s.Sync != SyncAll || s.Inject.ChainOnStart || s.Warnings != nil {
		t.Errorf("%+v", s)
	}
	for phase, want := range map[string]time.Duration{"RED": time.Minute, "GREEN": 90 * time.Second, "REFACTOR": 3 * time.Minute, "DOCS": time.Minute} {
		if got := s.Model().TimeoutOf(phase); got != want {
			t.Errorf("timeout of %s is %v, want %v", phase, got, want)
		}
	}
}

// What a clone brings along is not read before the user trusts it, however broken or tempting.
func TestUnmarkedProjectSetsNothing(t *testing.T) {
	h := newHome(t)
	h.write(projectFile, `{"log": {"rotate": "1MiB"}, "broken`)
	if s := h.load(); s.Rotate != 16<<20 || s.Warnings != nil {
		t.Errorf("%+v", s)
	}
}

func TestUserOnlyKeys(t *testing.T) {
	h := newHome(t)
	h.mark()
	h.write(ownFile, `{"inject": {"chain_on_start": false}}`)
	h.write(projectFile, `{
  "inject": {"chain_on_start": true},
  "inject.chain_on_start": true,
  "notify": {"command": "rm -rf /"},
  "queue": {"foreign": true},
  "notify.\u001b[31m": 1,
  "log": {"keep": "1GiB"}
}`)
	h.vars["ABURN_INJECT_CHAIN_ON_START"] = "true"
	s := h.load()
	if s.Inject.ChainOnStart || s.Keep != 1<<30 {
		t.Errorf("%+v", s)
	}
	want := `~/p/.oss/settings.json:2:14: inject.chain_on_start counts only in the user's own settings, ~/.config/aburn/settings.json: ignored
~/p/.oss/settings.json:3:3: inject.chain_on_start counts only in the user's own settings, ~/.config/aburn/settings.json: ignored
~/p/.oss/settings.json:4:14: notify.command counts only in the user's own settings, ~/.config/aburn/settings.json: ignored
~/p/.oss/settings.json:5:13: queue.foreign counts only in the user's own settings, ~/.config/aburn/settings.json: ignored
~/p/.oss/settings.json:6:3: "notify.\x1b[31m" counts only in the user's own settings, ~/.config/aburn/settings.json: ignored
ABURN_INJECT_CHAIN_ON_START: inject.chain_on_start counts only in the user's own settings, ~/.config/aburn/settings.json: ignored`
	if got := h.warnings(s); got != want {
		t.Errorf("warnings:\n%s\nwant:\n%s", got, want)
	}
}

// Each file is wrong in one place; the rest of it counts, unless it is no JSON at all.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"log": {"rotat": "1MiB"}}`, `1:10: "log.rotat" is not a setting (did you mean log.rotate?): ignored`},
		{"{\n\t\"lög\": 1, \"lgo.keep\": 1}", "2:2: \"lög\" is not a setting: ignored\n2:12: \"lgo.keep\" is not a setting (did you mean log.keep?): ignored"},
		{`{"chain_on_start": false}`, `1:2: "chain_on_start" is not a setting (did you mean inject.chain_on_start?): ignored`},
		{`{"timeouts": {"red": "1m"}}`, `1:15: timeouts.red: red is no phase (did you mean RED?): ignored`},
		{`{"timeouts": {"a b": "1m"}}`, `1:15: "timeouts.a b" is not a setting: ignored`},
		{`{"log": {"rotate": true}}`, `1:20: log.rotate should be a size like "16MiB", or bytes: ignored`},
		{`{"log": {"rotate": "16 Mib/s"}}`, `1:20: log.rotate should be a size like "16MiB", or bytes: ignored`},
		{`{"log": {"rotate": -1}}`, `1:20: log.rotate should be a size like "16MiB", or bytes: ignored`},
		{`{"log": {"rotate": 1}}`, `1:20: log.rotate should be at least 64KiB: ignored`},
		{`{"log": {"rotate": null}}`, `1:20: log.rotate should be a size like "16MiB", or bytes: ignored`},
		{`{"log": {"sync": "maybe"}}`, `1:18: log.sync should be "none", "durable" or "all": ignored`},
		{`{"log": 5}`, `1:2: "log" is a group of settings, like log.rotate: ignored`},
		{`{"log": {"sync": ["all"]}}`, `1:18: log.sync should be "none", "durable" or "all": ignored`},
		{`{"timeouts": {"RED": "soon"}}`, `1:22: timeouts.RED should be a time like "10m" (at most 24h), or seconds: ignored`},
		{`{"inject": {"\u001b[31m": 1}}`, `1:13: "inject.\x1b[31m" is not a setting: ignored`},
		{`{"timeouts": {"RED": "-1m"}}`, `1:22: timeouts.RED should be a time like "10m" (at most 24h), or seconds: ignored`},
		{`{"timeouts": {"RED": 1e300}}`, `1:22: timeouts.RED should be a time like "10m" (at most 24h), or seconds: ignored`},
		{`{"deliver": {"in_turn": "on"}}`, `1:25: deliver.in_turn should be "off", or a list of: loop, tool_failure_run, edit_churn, phase_stuck: ignored`},
		{`{"deliver": {"in_turn": ["loop", "silence"]}}`,
			`1:25: deliver.in_turn has silence, and knows only: loop, tool_failure_run, edit_churn, phase_stuck: ignored`},
		{`{"inject": {"chain_on_start": "perhaps"}}`, `1:31: inject.chain_on_start should be true or false: ignored`},
		{`{"log": {"keep": 1, "keep": 2}}`, `1:21: log.keep appears twice: the last one counts`},
		{"{\n  // comment\n  \"log\": {}\n}", `2:3: invalid character '/' looking for beginning of object key string: the whole file is ignored`},
		{`{"log": {"rotate": "1MiB"}`, `1:26: unexpected end of JSON input: the whole file is ignored`},
		{`{"log": {"rotate": "1MiB"},}`, `1:28: invalid character '}' looking for beginning of object key string: the whole file is ignored`},
		{`["log"]`, `1:1: should be a JSON object: the whole file is ignored`},
		{`{"//": "a comment", "$schema": "x", "log": {"// too": 1}}`, ``},
		{"\ufeff{}", ``},
		{"", ``},
		{"\n", ``},
	} {
		h := newHome(t)
		h.write(ownFile, c.text)
		want := ""
		for line := range strings.Lines(c.want) {
			want += "~/" + ownFile + ":" + line
		}
		if got := h.warnings(h.load()); got != want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, want)
		}
	}
}

func TestOneWrongValueLeavesTheOthers(t *testing.T) {
	h := newHome(t)
	h.write(ownFile, `{"log": {"sync": 7, "keep": "1G"}, "no": {"such": {"key": 1}}, "timeouts": {"RED": "2h"}}`)
	s := h.load()
	if s.Sync != SyncDurable || s.Keep != 1<<30 || s.Model().TimeoutOf("RED") != 2*time.Hour || len(s.Warnings) != 2 {
		t.Errorf("%+v", s)
	}
}

func TestOddFiles(t *testing.T) {
	world.Links(t)
	h := newHome(t)
	h.mark()
	h.write("target.json", `{"log": {"keep": 1}}`)
	if err := os.Symlink("../target.json", filepath.Join(h.dir, "p/.oss/out.json")); err != nil {
		t.Fatal(err)
	}
	oss := filepath.Join(h.dir, projectFile)
	for name, c := range map[string]struct {
		put  func() error
		want string
	}{
		"a link out of .oss": {func() error { return os.Symlink("../../target.json", oss) }, "not a regular file"},
		"a link within .oss": {func() error { return os.Symlink("x", oss) }, "not a regular file"},
		"a folder":           {func() error { return os.Mkdir(oss, 0o700) }, "not a regular file"},
		"a large file":       {func() error { return os.WriteFile(oss, []byte("{}"+strings.Repeat(" ", 1<<20)), 0o600) }, "larger than 1 MiB"},
	} {
		if err := os.RemoveAll(oss); err != nil {
			t.Fatal(err)
		}
		if err := c.put(); err != nil {
			t.Fatal(err)
		}
		s := h.load()
		if want := "~/" + projectFile + ": " + c.want + ": ignored"; h.warnings(s) != want || s.Keep != 512<<20 {
			t.Errorf("%s: %s, want %s", name, h.warnings(s), want)
		}
	}
	// One's own file may be a link: people keep such files in a repository.
	h.write(ownFile, "")
	own := filepath.Join(h.dir, ownFile)
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(h.dir, "target.json"), own); err != nil {
		t.Fatal(err)
	}
	if s := h.load(); s.Keep != 1 {
		t.Errorf("own link: %+v", s)
	}
}

// A file that was made to be slow costs a hook no seconds, and what is right in it counts.
func TestSlowFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"objects":  {strings.Repeat(`{"a":`, 170_000) + "1" + strings.Repeat("}", 170_000), "nested too deeply"},
		"lists":    {`{"a":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + "}", "nested too deeply"},
		"brackets": {strings.Repeat("[", 1<<20), "nested too deeply"},
		"keys":     {"{" + strings.Repeat(`"k":1,`, 170_000) + `"log":{"keep":1}}`, "and more like these"},
	} {
		h := newHome(t)
		h.mark()
		h.write(projectFile, c.text)
		done := make(chan Settings, 1)
		go func() { done <- h.load() }()
		select {
		case s := <-done:
			if n := len(s.Warnings); n == 0 || n > maxWarnings+1 || !strings.Contains(s.Warnings[n-1], c.want) {
				t.Errorf("%s: %d warnings: %.300s", name, n, h.warnings(s))
			}
			if (s.Keep == 1) != (name == "keys") {
				t.Errorf("%s: %+v", name, s.Keep)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: takes longer than 2 min", name)
		}
	}
}

func TestEnvironment(t *testing.T) {
	h := newHome(t)
	h.vars["ABURN_LOG_SYNC"] = "always"
	h.vars["ABURN_LOG_KEEP"] = "0"
	h.vars["ABURN_TIMEOUTS_DEFAULT"] = "7"
	s := h.load()
	if s.Sync != SyncDurable || s.Keep != 0 || s.Model().TimeoutOf("DOCS") != 7*time.Second {
		t.Errorf("%+v", s)
	}
	if want := `ABURN_LOG_SYNC: log.sync should be "none", "durable" or "all": ignored`; h.warnings(s) != want {
		t.Error(h.warnings(s))
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "16MiB": 16 << 20, "16 MiB": 16 << 20, "16m": 16 << 20, "1.5KiB": 1536, "2GB": 2e9, "3kb": 3000, "5B": 5, "1e3": 1000,
		"": -1, "MiB": -1, "1TiB": -1, "0.3B": -1, "9999999999GiB": -1, "-5": -1, "1 2": -1, "NaN": -1, "Inf": -1, "0x10": -1,
	} {
		got, ok := parseSize(value{text: text, string: true, scalar: true})
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// What `aburn init` writes says the defaults, and says them rightly: also with a blank more, so that it is read.
func TestDefaultFile(t *testing.T) {
	h := newHome(t)
	h.mark()
	before := h.load()
	for _, more := range []string{"", " "} {
		h.write(projectFile, string(Default())+more)
		after := h.load()
		if after.Warnings != nil || !reflect.DeepEqual(*before.Model(), *after.Model()) {
			t.Errorf("%s\n%+v\n%+v", h.warnings(after), before.Model(), after.Model())
		}
		before.model, after.model, before.env, after.env = nil, nil, nil, nil
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%+v\n%+v", before, after)
		}
		before = h.load()
	}
	for _, key := range known(nil) {
		if has := defaultFileHas(key); has == userOnly(key) && !tooMuch(key) {
			t.Errorf("%s: in the project's file %v", key, has)
		}
	}
}

// defaultFileHas says whether the file that init writes sets key.
func defaultFileHas(key string) bool {
	return gjson.GetBytes(Default(), key).Exists()
}

// tooMuch says whether a key is left to docs/reference/settings.md.
func tooMuch(key string) bool {
	if strings.HasPrefix(key, "workflow.") && key != keyCommands && key != keyPhases {
		return true
	}
	return strings.Count(key, ".") == 2 // a number of one type of issue
}

func FuzzMerge(f *testing.F) {
	f.Add(string(Default()))
	f.Add(`{"log": {"rotate": "1MiB"}, "inject.chain_on_start": 1, "a": {"a": {"a": [1, {}]}}}`)
	f.Add(`{"workflow": {"commands": ["a", "b", "c"], "after": {"a": "c", "b": "a", "c": "b"}, "phases": ["X?", "Y"], "tests_only": ["X"]}}`)
	f.Add("{\"\\u006cog\": {\"keep\": 1e400}}")
	f.Fuzz(func(t *testing.T, text string) {
		s := Settings{Rotate: 16 << 20, Keep: 512 << 20, Sync: SyncDurable}
		s.merge(source{name: "f", own: "o", project: true}, []byte(text), nil)
		m := s.Model()
		for _, c := range m.Commands { // no circle
			n := 0
			for at := c.After; at != ""; n++ {
				next, ok := m.Command(at)
				if !ok || n > len(m.Commands) {
					t.Fatalf("%+v", m.Commands)
				}
				at = next.After
			}
		}
		if s.Rotate < minRotate || s.Keep < 0 || s.Inject.ChainOnStart || s.Deliver.AtStop || s.Notify.Line != "" || m.Timeout <= 0 {
			t.Errorf("%+v", s)
		}
		for _, w := range s.Warnings {
			if !strings.HasPrefix(w, "f:") {
				t.Errorf("a warning without a place: %s", w)
			}
		}
	})
}
