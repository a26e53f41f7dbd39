package install

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

const someSettings = "{\n  \"model\": \"opus\"\n}\n"

func TestAFileThatTheInstallMade(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(string) string
		want string // "" when the file must be gone
	}{
		{"untouched", func(s string) string { return s }, ""},
		{"printed anew", func(s string) string { return string(reprint(t, []byte(s))) }, ""},
		{"with a key of the user's behind", func(s string) string { return strings.TrimSuffix(s, "\n}\n") + ",\n  \"a\": 1\n}\n" }, "{\n  \"a\": 1\n}\n"},
		{"with a key of the user's in front", func(s string) string { return strings.Replace(s, "{", "{\n  \"a\": 1,", 1) }, "{\n  \"a\": 1\n}\n"},
	} {
		for _, a := range spliced() {
			t.Run(c.name+" "+a.Name, func(t *testing.T) {
				b := newBench(t, a, nil)
				if err := os.Remove(filepath.Dir(b.path)); err != nil {
					t.Fatal(err)
				}
				b.install()
				if st, err := os.Stat(b.path); err != nil || world.HasModes() && st.Mode().Perm() != 0o600 {
					t.Errorf("a new user's file has mode %v, %v", st.Mode(), err)
				}
				b.write([]byte(c.edit(string(b.read()))))
				b.uninstall()
				if c.want != "" {
					b.want("left", b.read(), []byte(c.want))
				} else if exists(filepath.Dir(b.path)) {
					t.Error("the folder that the install made is still there")
				}
			})
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"comment", "{\n  // x\n}", ":2:3: a comment, which JSON does not have"},
		{"truncated", `{"hooks": {`, ":1:12: the file ends here: what opened at 1:11 is never closed"},
		{"NUL", "{}\n\x00", ":2:1: a NUL byte"},
		{"empty", "", ":1:1: the file is empty, which is not JSON"},
		{"no object", "[1]", ":1:1: the file is an array, not an object"},
		{"hooks of another kind", "{\n  \"hooks\": [\n  ]}", `:2:12: "hooks" is an array, not an object`},
		{"an event of another kind", `{"hooks": {"Stop": "x"}}`, `:1:20: "Stop" is a string, not an array`},
		{"permissions of another kind", `{"permissions": true}`, `:1:17: "permissions" is a boolean, not an object`},
		{"rules of another kind", `{"permissions": {"allow": 7}}`, `:1:27: "permissions.allow" is a number, not an array`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Claude, []byte(c.data))
			b.options.Agents, b.options.AllowLog = spliced(), true
			_, err := Plan(b.options)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || err.Error() != b.path+c.want {
				t.Errorf("got  %v\nwant %s%s", err, b.path, c.want)
			}
			b.want("the file", b.read(), []byte(c.data))
			if exists(filepath.Join(b.home, ".local")) || exists(filepath.Join(b.home, ".codex")) {
				t.Error("something was touched")
			}
		})
	}
}

// A file that stopped being JSON after the install cannot be uninstalled, and one that never was need not be.
func TestUninstallOfWhatDoesNotParse(t *testing.T) {
	b := newBench(t, Claude, []byte(someSettings))
	b.install()
	b.write(append(b.read(), "// end"...))
	if _, err := PlanUninstall(b.options); err == nil || !strings.Contains(err.Error(), "a comment, which JSON does not have") {
		t.Errorf("error %v", err)
	}
	b = newBench(t, Claude, []byte("// nothing of ours"))
	if c, err := PlanUninstall(b.options); err != nil || !c.Nothing() {
		t.Errorf("error %v", err)
	}
}

func TestSomebodyWritesBetweenPlanAndRename(t *testing.T) {
	for _, plan := range []func(Options) (*Change, error){Plan, PlanUninstall} {
		b := newBench(t, Claude, []byte(someSettings))
		b.install()
		b.options.Env = func(name string) string { // for Plan: another path, so that there is something to do
			if name == "PATH" {
				return filepath.Join(b.home, "bin2")
			}
			return b.env(name)
		}
		if err := os.Rename(filepath.Join(b.home, "bin"), filepath.Join(b.home, "bin2")); err != nil {
			t.Fatal(err)
		}
		c, err := plan(b.options)
		if err != nil {
			t.Fatal(err)
		}
		theirs := bytes.Replace(b.read(), []byte("opus"), []byte("sonnet"), 1)
		b.write(theirs)
		if _, err := c.Apply(); !errors.Is(err, ErrChanged) {
			t.Errorf("error %v; want ErrChanged", err)
		}
		b.want("their bytes", b.read(), theirs)
		b.uninstall()
		b.want("uninstalled", b.read(), bytes.Replace([]byte(someSettings), []byte("opus"), []byte("sonnet"), 1))
	}
}

func TestNoPlaceForTheRecord(t *testing.T) {
	b := newBench(t, Claude, []byte(someSettings))
	if err := os.WriteFile(filepath.Join(b.home, ".local"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Plan(b.options)
	if err == nil {
		_, err = c.Apply()
	}
	if err == nil {
		t.Error("installed without a record")
	}
	b.want("the file", b.read(), []byte(someSettings))
}

// The user took one of our handlers out; the next install puts it back, and uninstall still finds the original.
func TestInstallCompletesItself(t *testing.T) {
	for _, a := range spliced() {
		b := newBench(t, a, []byte(someSettings))
		b.install()
		installed := b.read()
		lines := bytes.SplitAfter(installed, []byte("\n"))
		b.write(bytes.Join(append(lines[:5:5], lines[6:]...), nil))
		b.install()
		if n := bytes.Count(b.read(), []byte(hookName)); n != len(a.events()) {
			t.Errorf("%d handlers, want %d", n, len(a.events()))
		}
		b.uninstall()
		b.want("uninstalled", b.read(), []byte(someSettings))
	}
}

func TestPathThatIsWritten(t *testing.T) {
	b := newBench(t, Claude, []byte(someSettings))
	bin := filepath.Join(b.home, "bin")
	link := filepath.Join(b.home, "shims")
	if err := world.Symlink(bin, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, c := range []struct {
		name string
		o    Options
		path string
		want string
	}{
		{"as PATH names it", Options{}, "/nowhere" + string(os.PathListSeparator) + link, filepath.Join(link, programFile(hookName))},
		{"a relative PATH is no place", Options{}, "bin:.", "no aburn-hook on PATH or next to aburn"},
		{"bare in a project", Options{Scope: Project}, "", hookName},
		{"beside aburn", Options{Self: filepath.Join(bin, "aburn")}, "/nowhere", filepath.Join(bin, programFile(hookName))},
		{"PATH before the neighbour", Options{Self: filepath.Join(bin, "aburn")}, link, filepath.Join(link, programFile(hookName))},
	} {
		c.o.Env = func(name string) string {
			if name == "PATH" {
				return c.path
			}
			return b.env(name)
		}
		got, err := hookPath(c.o)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
	}
}

func TestPathThatWillNotLast(t *testing.T) {
	world.UnixPaths(t)
	env := func(name string) string {
		return map[string]string{"HOME": "/home/u", "TMPDIR": "/run/user/1/tmp"}[name]
	}
	inTemp := func(name string) string { return map[string]string{"HOME": "/tmp/h"}[name] }
	around := func(name string) string { // as Windows has it
		return map[string]string{"HOME": "/home/u", "TMPDIR": "/home/u/AppData/Local/Temp"}[name]
	}
	for _, c := range []struct {
		path string
		env  func(string) string
		want bool
	}{
		{"/usr/local/bin/aburn-hook", env, false},
		{"/home/u/.local/bin/aburn-hook", env, false},
		{"/home/u/tmp/aburn-hook", env, false},
		{"/tmpfiles/aburn-hook", env, false},
		{"/tmp/x/aburn-hook", env, true},
		{"/run/user/1/tmp/aburn-hook", env, true},
		{"/var/tmp/aburn-hook", env, true},
		{"/tmp/go-build123/b001/exe/aburn-hook", env, true},
		{"/home/u/.cache/go-build/ab/aburn-hook", env, true},
		{"/tmp/h/bin/aburn-hook", inTemp, false},
		{"/tmp/hh/bin/aburn-hook", inTemp, true},
		{"/tmp/h/go-build1/aburn-hook", inTemp, true},
		{"/home/u/AppData/Local/Temp/aburn-hook", around, true},
		{"/home/u/AppData/Local/aburn-hook", around, false},
		{"/private/var/folders/zz/T/aburn-hook", env, true}, // as macOS resolves its TMPDIR
	} {
		if got := passing(c.path, c.env); got != c.want {
			t.Errorf("passing(%s) = %t", c.path, got)
		}
	}
}

// A repository cannot make an install write outside of it.
func TestProjectFileThatLeadsOut(t *testing.T) {
	world.Links(t)
	b := newBench(t, Claude, []byte(someSettings))
	root := filepath.Join(b.home, "clone")
	makeRepository(t, root)
	if err := os.Symlink(filepath.Dir(b.path), filepath.Join(root, ".claude")); err != nil {
		t.Fatal(err)
	}
	b.options.Dir, b.options.Scope = root, Project
	if _, err := Plan(b.options); err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Errorf("error %v", err)
	}
	b.want("the user's settings", b.read(), []byte(someSettings))
}

func TestWhereTheFilesAre(t *testing.T) {
	b := newBench(t, Claude, nil)
	src := filepath.Join(b.home, "src")
	sub := filepath.Join(src, "a", "b")
	linked := filepath.Join(b.home, "linked")
	admin := filepath.Join(src, ".git", "worktrees", "linked")
	makeRepository(t, src)
	for _, dir := range []string{sub, linked, admin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		filepath.Join(linked, ".git"):     "gitdir: " + admin,
		filepath.Join(admin, "commondir"): "../..",
		filepath.Join(admin, "gitdir"):    filepath.Join(linked, ".git"),
	} {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		agent Agent
		scope Scope
		dir   string
		want  string
	}{
		{Claude, User, sub, filepath.Join(b.home, ".claude/settings.json")},
		{Claude, Project, sub, filepath.Join(src, ".claude/settings.json")},
		{Claude, Local, sub, filepath.Join(src, ".claude/settings.local.json")},
		{Claude, Local, b.home, ErrNoProject.Error()},
		{Codex, User, sub, filepath.Join(b.home, ".codex/hooks.json")},
		{Codex, Project, sub, filepath.Join(src, ".codex/hooks.json")},
		{Codex, Local, sub, (&NoScope{Codex, Local}).Error()},
		{Claude, Project, linked, filepath.Join(linked, ".claude/settings.json")},
		{Codex, Project, linked, filepath.Join(src, ".codex/hooks.json")},
	} {
		got, _, err := c.agent.settingsPath(c.scope, c.dir, b.env)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %s: %s; want %s", c.agent, c.scope, got, c.want)
		}
	}
}

func TestTwoMegabytes(t *testing.T) {
	world.Slow(t)
	var big bytes.Buffer
	long := strings.Repeat("theirs ", 300)
	big.WriteString("{\n  \"hooks\": {\n    \"Stop\": [\n")
	for i := 0; big.Len() < 2<<20; i++ {
		if i > 0 {
			big.WriteString(",\n")
		}
		big.WriteString(`      {"matcher": "x", "hooks": [{"type": "command", "command": "` + long + `", "args": ["aburn-hook", "claude"]}]}`)
	}
	big.WriteString("\n    ]\n  }\n}")
	b := newBench(t, Claude, big.Bytes())
	c := b.install()
	checkInstalled(t, Claude, big.Bytes(), b.read())
	if n := len(c.Diff()); n > 60 {
		t.Errorf("the diff has %d lines", n)
	}
	b.write(append(b.read(), '\n')) // so that it is cut, not restored
	b.uninstall()
	b.want("uninstalled", b.read(), append(big.Bytes(), '\n'))
}

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		agent Agent
		data  string
		want  string // of each note, without the path, joined by line ends
	}{
		{Codex, `{"hooks": {"Stop": [{"hooks": [{"type": "prompt"}, {"type": "command", "command": "x", "foo": 1}], "foo": 1, "foo": 2}], "New": 1}}`, ""},
		{Codex, `{"hooks": null}`, ""},
		{Codex, "\ufeff{}", ":1:1: Codex ignores this whole file: it begins with a byte-order mark"},
		{Codex, `{"version": 1}`, `:1:13: Codex ignores this whole file: it doesn't know the key "version" there`},
		{Codex, `{"hooks": {}, "hooks": {}}`, `:1:24: Codex ignores this whole file: "hooks" appears twice`},
		{Codex, `{"hooks": {"PreModelRequest": null}}`, `:1:31: Codex ignores this whole file: "PreModelRequest" is null`},
		{Codex, `{"hooks": {"Stop": [null]}}`, `:1:21: Codex ignores this whole file: a group is null`},
		{Codex, `{"hooks": {"Stop": [{"hooks": [{"type": "x"}]}]}}`, `:1:41: Codex ignores this whole file: it doesn't know handlers of type "x"`},
		{Codex, `{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}`, `:1:32: Codex ignores this whole file: a handler without "type"`},
		{Codex, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": 7}]}]}}`, `:1:63: Codex ignores this whole file: "command" is a number`},
		{Codex, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 1.5}]}]}}`,
			`:1:79: Codex ignores this whole file: a timeout has to be whole seconds`},
		{Claude, `{"disableAllHooks": true}`, ":1:21: disableAllHooks is on: Claude Code runs no hook at all"},
		{Claude, `{"hooks": {}, "hooks": {}}`, `:1:11: the key "hooks" is repeated below, and only the last one counts`},
	} {
		b := newBench(t, c.agent, []byte(c.data))
		notes := b.install().Files[0].Notes
		for i, n := range notes {
			place, reason, _ := strings.Cut(n, ": ") // compact files: an insertion behind moves no column
			notes[i] = strings.TrimPrefix(place, b.path) + ": " + reason
		}
		if got := strings.Join(notes, "\n"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.data, got, c.want)
		}
	}
}

func TestASecondRegistrationIsNoted(t *testing.T) {
	b := newBench(t, Claude, []byte(someSettings))
	b.install()
	src := filepath.Join(b.home, "src")
	makeRepository(t, src)
	b.options.Dir, b.options.Scope = src, Local
	c := b.install()
	if n := c.Files[0].Notes; len(n) != 1 || !strings.HasPrefix(n[0], b.path+" calls the hook too") {
		t.Errorf("notes %q", n)
	}
	if c := b.uninstall(); len(c.Notes) != 1 || c.Notes[0] != b.path+" still calls the hook" {
		t.Errorf("notes %q", c.Notes)
	}
	if exists(filepath.Join(src, ".claude")) {
		t.Error("the project's folder that the install made is still there")
	}
}
