package install

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ownGroup is a group with one handler of aburn's as somebody may have registered it.
func ownGroup(a Agent, path, matcher string, folders ...string) string {
	c := call{agent: a, path: path, folders: folders}
	handler := `{"type": "command", "command": ` + quote(c.command())
	if a.Hooks.Exec {
		handler += `, "args": ` + style{comma: ", "}.print(c.list(), "")
	}
	return `{` + matcher + `"hooks": [` + handler + `, "timeout": 5}]}`
}

// before is the agent's event before a tool call.
func before(a Agent) string {
	for _, e := range a.events() {
		if a.Hooks.Common(e.Name) == "PreToolUse" {
			return e.Name
		}
	}
	return ""
}

// TestTwiceBecomesOnce: however often and in whichever form aburn's hook stands at an event, after an install it is there
// once, as an install writes it today. Others' handlers keep their bytes, their order, and for Codex their positions.
func TestTwiceBecomesOnce(t *testing.T) {
	const theirs = `{"hooks": [{"type": "command", "command": "theirs"}]}`
	for _, a := range spliced() {
		now := func(b *bench) string {
			return ownGroup(a, filepath.Join(b.home, "bin", programFile(hookName)), "", "--home", filepath.ToSlash(b.home))
		}
		old := func(b *bench) string { return ownGroup(a, filepath.Join(b.home, "bin", programFile(hookName)), "") }
		elsewhere := func(*bench) string { return ownGroup(a, "/else/aburn-hook", "") }
		narrow := func(b *bench) string {
			return ownGroup(a, "/else/aburn-hook", `"matcher": "Bash", `, "--home", "/nobody")
		}
		their := func(*bench) string { return theirs }
		event := before(a)
		empty := ""
		if a.positional {
			empty = `{"hooks":[]}`
		}
		for _, c := range []struct {
			name   string
			groups []func(*bench) string
			want   string // NOW is today's group, EMPTY the place of a removed one
		}{
			{"the same", []func(*bench) string{now, now}, "NOW"},
			{"the older form", []func(*bench) string{old}, "NOW"},
			{"the older form twice", []func(*bench) string{old, old}, "NOW"},
			{"two paths", []func(*bench) string{elsewhere, now}, "NOW"},
			{"others between", []func(*bench) string{their, old, their, now, their}, "THEIRS, NOW, THEIRS, EMPTY, THEIRS"},
			{"others around", []func(*bench) string{now, their, elsewhere}, "NOW, THEIRS"},
			{"a narrow one first", []func(*bench) string{narrow, their, old}, `{"matcher": "Bash", "hooks": []}, THEIRS, NOW`},
		} {
			t.Run(a.Name+" "+c.name, func(t *testing.T) {
				b := newBench(t, a, nil)
				var groups []string
				for _, g := range c.groups {
					groups = append(groups, g(b))
				}
				b.write([]byte(`{"hooks": {"` + event + `": [` + strings.Join(groups, ", ") + `]}}`))
				b.install()
				want := strings.ReplaceAll(c.want, "EMPTY, ", "EMPTY")
				if empty != "" {
					want = strings.ReplaceAll(want, "EMPTY", empty+", ")
				}
				want = strings.NewReplacer("EMPTY", "", "NOW", now(b), "THEIRS", theirs).Replace(want)
				if got := b.read(); !bytes.Contains(got, []byte(`"`+event+`": [`+want+`]`)) {
					t.Fatalf("got  %s\nwant %s", got, want)
				}
				installed := b.read()
				if c := b.install(); !c.Files[0].Same() {
					t.Error("a second install changes something")
				}
				b.want("installed twice", b.read(), installed)
				b.uninstall()
				if got := b.read(); bytes.Contains(got, []byte(hookName)) || bytes.Count(got, []byte(theirs)) != strings.Count(c.want, "THEIRS") {
					t.Errorf("uninstalled: %s", got)
				}
			})
		}
	}
}

// TestFoldersOfThePerson: the registered line names the folders that differ from the usual ones, whatever they are, and a
// change of them is registered by the next install.
func TestFoldersOfThePerson(t *testing.T) {
	for _, a := range spliced() {
		b := newBench(t, a, []byte(someSettings))
		drive := filepath.ToSlash(filepath.VolumeName(b.home))
		vars := map[string]string{"XDG_STATE_HOME": b.home + "/.local/state/", "XDG_DATA_HOME": "not/absolute", "XDG_CONFIG_HOME": drive + "/my config/it's",
			"ABURN_HOME": drive + "/a"}
		b.options.Env = func(name string) string {
			if v := vars[name]; v != "" {
				return v
			}
			return b.env(name)
		}
		registered := func() string {
			t.Helper()
			s := InspectFile(a, b.path, "", b.options.Env)
			seen := map[string]bool{}
			for _, r := range s.Own() {
				seen[fmt.Sprintf("%q", r.Args[1:])] = true
			}
			if len(seen) != 1 || len(s.Missing()) > 0 {
				t.Fatalf("%s: %v, missing %v", a, seen, s.Missing())
			}
			for args := range seen {
				return strings.ReplaceAll(strings.ReplaceAll(args, filepath.ToSlash(b.home), "~"), `"`+drive+"/", `"/`)
			}
			return ""
		}
		b.install()
		if got, want := registered(), `["--home" "~" "--config" "/my config/it's" "--archive" "/a"]`; got != want {
			t.Errorf("%s: %s, want %s", a, got, want)
		}
		clear(vars)
		if c := b.install(); c.Files[0].Moved != len(a.events()) {
			t.Errorf("%s: %d handlers were brought up to date", a, c.Files[0].Moved)
		}
		if got := registered(); got != `["--home" "~"]` {
			t.Errorf("%s: %s", a, got)
		}
		b.uninstall()
		b.want("uninstalled", b.read(), []byte(someSettings))
	}
}

// TestMissingProgram: the line that is registered with an agent that such a program would stop ends well and in silence
// when the program is gone, cannot be run, or fails with a text.
func TestMissingProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the guard there is PowerShell's")
	}
	for _, a := range Agents() {
		if !a.Hooks.MissingBlocks {
			continue
		}
		dir := t.TempDir()
		for name, content := range map[string]string{"gone": "", "text": "no program", "fails": "#!/bin/sh\necho broken >&2\nexit 2\n",
			"killed": "#!/bin/sh\nkill -ABRT $$\n"} {
			path := filepath.Join(dir, name, programFile(hookName))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if content != "" {
				mode := os.FileMode(0o755)
				if name == "text" {
					mode = 0o644
				}
				if err := os.WriteFile(path, []byte(content), mode); err != nil {
					t.Fatal(err)
				}
			}
			for _, shell := range []string{"bash", "sh"} { // bash is what Gemini CLI runs
				out, err := exec.Command(shell, "-c", call{agent: a, path: path}.command()).CombinedOutput()
				if err != nil || len(out) > 0 && name != "killed" { // bash itself tells of a signal
					t.Errorf("%s, %s, %s: %v: %s", a, name, shell, err, out)
				}
			}
		}
	}
}
