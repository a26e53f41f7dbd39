package windows

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// person is somebody with a home directory, a project in it, Claude Code and Codex, who starts aburn without HOME.
type person struct {
	*testing.T
	home, project string // as this process has them
	name          string // of the home directory on Windows
	env           []string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{T: t}
	if native {
		p.home = filepath.Join(built, "home")
		p.name, p.env = p.home, []string{"HOME=", "USERPROFILE=" + p.home, "LOCALAPPDATA=" + p.home + `\AppData\Local`,
			"PATH=" + p.home + `\bin;` + os.Getenv("PATH")}
	} else {
		p.home, p.name = inPrefix(t)
		p.env = []string{"WINEPATH=" + p.name + `\bin`}
	}
	p.project = filepath.Join(p.home, "p")
	p.write("p/.git/HEAD", "ref: refs/heads/main\n")
	p.write("p/app.js", "console.log(1)\n")
	p.write(".codex/config.toml", "model = \"gpt\"\r\n")
	for _, name := range []string{"aburn.exe", "aburn-hook.exe"} {
		data, err := os.ReadFile(filepath.Join(built, "bin", name))
		if err != nil {
			t.Fatal(err)
		}
		p.write("bin/"+name, string(data))
	}
	return p
}

// shell is cmd.
func shell() string {
	if native {
		return `C:\Windows\System32\cmd.exe`
	}
	return "cmd"
}

// inPrefix is the home directory that Wine made, as Linux and as Windows have it.
func inPrefix(t *testing.T) (home, name string) {
	t.Helper()
	users := filepath.Join(os.Getenv("WINEPREFIX"), "drive_c", "users")
	folders, err := os.ReadDir(users)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.Name() != "Public" {
			home, name = filepath.Join(users, f.Name()), `C:\users\`+f.Name()
		}
	}
	return home, name
}

func (p *person) write(name, data string) {
	p.Helper()
	path := filepath.Join(p.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o755); err != nil {
		p.Fatal(err)
	}
}

func (p *person) read(name string) string {
	p.Helper()
	data, err := os.ReadFile(filepath.Join(p.home, name))
	if err != nil {
		p.Error(err)
	}
	return string(data)
}

// runs runs a program in the project. PATH has the folder bin.
func (p *person) runs(stdin string, args ...string) ran {
	p.Helper()
	return wine(p.T, p.project, stdin, 2*time.Minute, p.env, args...)
}

// aburn runs a command that must end well, and returns what it prints.
func (p *person) aburn(args ...string) string {
	p.Helper()
	r := p.runs("", append([]string{p.name + `\bin\aburn.exe`}, args...)...)
	if r.code != 0 {
		p.Errorf("aburn %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	return r.out
}

// says is aburn with texts that the answer must contain.
func (p *person) says(args []string, texts ...string) {
	p.Helper()
	out := p.aburn(args...)
	for _, text := range texts {
		if !strings.Contains(out, text) {
			p.Errorf("aburn %s: no %q in\n%s", strings.Join(args, " "), text, out)
		}
	}
}

// payload is what Claude Code gives its hook.
func (p *person) payload(event string, fields map[string]any) string {
	all := map[string]any{"session_id": "walk-1", "cwd": p.name + `\p`, "transcript_path": p.name + `\t.jsonl`, "hook_event_name": event}
	for k, v := range fields {
		all[k] = v
	}
	data, err := json.Marshal(all)
	if err != nil {
		p.Fatal(err)
	}
	return string(data)
}

// call is a hook as settings register it.
type call struct {
	Command string
	Args    []string
}

// registered is the hook of an event in a settings file.
func (p *person) registered(file, event string) call {
	p.Helper()
	var settings struct {
		Hooks map[string][]struct{ Hooks []call }
	}
	if err := json.Unmarshal([]byte(p.read(file)), &settings); err != nil {
		p.Fatal(err)
	}
	if groups := settings.Hooks[event]; len(groups) == 1 && len(groups[0].Hooks) == 1 {
		return groups[0].Hooks[0]
	}
	p.Fatalf("%s has no hook of %s:\n%s", file, event, p.read(file))
	return call{}
}

func (p *person) hook(event string, fields map[string]any) {
	p.Helper()
	c := p.registered(".claude/settings.json", event)
	r := p.runs(p.payload(event, fields), append([]string{c.Command}, c.Args...)...)
	if r.code != 0 || r.out+r.err != "" {
		p.Errorf("hook at %s: exit %d, %q, %q", event, r.code, r.out, r.err)
	}
}

// TestWalk is the first day of a person on Windows, in the order of the guide.
func TestWalk(t *testing.T) {
	needsWine(t)
	p := newPerson(t)
	if env := p.runs("", shell(), "/c", "set"); strings.Contains(strings.ReplaceAll(env.out, "\nHOME=\n", "\n"), "\nHOME=") ||
		!strings.Contains(env.out, "\nUSERPROFILE="+p.name) {
		t.Errorf("this person has a HOME, or no USERPROFILE:\n%s", env.out)
	}
	before := "{\r\n  \"model\": \"opus\"\r\n}\r\n"
	p.write(".claude/settings.json", before)
	p.aburn("version")
	p.says([]string{"init"}, ".oss")
	p.aburn("install-hooks", "--agent", "codex", "--yes")
	p.aburn("install-hooks", "--agent", "claude", "--yes")
	installed := p.read(".claude/settings.json")
	p.aburn("install-hooks", "--agent", "claude", "--yes")
	if again := p.read(".claude/settings.json"); again != installed {
		t.Errorf("a second install changed\n%s\nto\n%s", installed, again)
	}
	p.day()
	p.answers()
	p.archive()
	p.aburn("uninstall-hooks", "--agent", "all", "--yes")
	if now := p.read(".claude/settings.json"); now != before {
		t.Errorf("uninstalled: %q, was %q", now, before)
	}
	if _, err := os.Stat(filepath.Join(p.home, ".codex", "hooks.json")); err == nil {
		t.Error("uninstall left hooks.json, which the install made")
	}
}

// day is what hooks record of a session, of many at once, and of Codex through cmd.
func (p *person) day() {
	p.Helper()
	p.hook("SessionStart", map[string]any{"source": "startup"})
	p.hook("UserPromptSubmit", map[string]any{"prompt": "hello windows"})
	tool := map[string]any{"tool_name": "Read", "tool_use_id": "toolu_1", "tool_input": map[string]any{"file_path": p.name + `\p\app.js`}}
	p.hook("PreToolUse", tool)
	tool["tool_response"] = map[string]any{"type": "text"}
	p.hook("PostToolUse", tool)
	var wait sync.WaitGroup
	c := p.registered(".claude/settings.json", "PostToolUse")
	const many = 20
	for i := range many {
		wait.Go(func() {
			payload := p.payload("PostToolUse", map[string]any{"session_id": fmt.Sprint("many-", i), "tool_name": "Bash", "tool_use_id": fmt.Sprint("toolu_m", i),
				"tool_input": map[string]any{"command": "dir"}, "tool_response": map[string]any{"stdout": "x"}})
			if r := p.runs(payload, append([]string{c.Command}, c.Args...)...); r.code != 0 || r.out+r.err != "" {
				p.Errorf("hook %d of many: exit %d, %q, %q", i, r.code, r.out, r.err)
			}
		})
	}
	wait.Wait()
	line := p.registered(".codex/hooks.json", "UserPromptSubmit").Command
	codex := p.payload("UserPromptSubmit", map[string]any{"session_id": "walk-codex", "prompt": "x", "turn_id": "1", "model": "m", "permission_mode": "default"})
	if r := p.runs(codex, append([]string{shell(), "/c"}, strings.Fields(line)...)...); r.code != 0 || r.err != "" {
		p.Errorf("%s: exit %d, %q, %q", line, r.code, r.out, r.err)
	}
	p.hook("Stop", nil)
	p.says([]string{"query", "--event", "TOOL", "--json"}, `"path":"app.js"`)
	p.says([]string{"query", "--session", "walk-codex", "--json"}, `"source":"codex"`)
	if n := strings.Count(p.aburn("query", "--event", "TOOL", "--json"), `"session":"many-`); n != many {
		p.Errorf("%d of %d hooks at once were recorded", n, many)
	}
	p.says([]string{"verify"}, "")
}

// answers is what a command logs and reads.
func (p *person) answers() {
	p.Helper()
	p.aburn("log", "plan", "START")
	p.aburn("log", "plan", "COMPLETE", "--summary", "a plan for windows", "--output", "app.js")
	p.says([]string{"tail"}, "a plan for windows")
	p.says([]string{"chain", "plan"}, "a plan for windows", "app.js")
	p.says([]string{"status"}, "plan")
	p.says([]string{"log", "stats"}, "")
	// Codex asks its user before it trusts a hook: until then doctor has bad news, but not of Claude Code.
	r := p.runs("", p.name+`\bin\aburn.exe`, "doctor")
	if r.code > 1 || strings.Count(r.out, "  bad ") != 1 || !strings.Contains(r.out, "Codex skips hooks") {
		p.Errorf("doctor: exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// archive reads a session that Claude Code has written.
func (p *person) archive() {
	p.Helper()
	const run = "trace/claude/testdata/runs/parallel-tools/-home-user-project/d3674cb1-9ba2-498b-8684-e6681a087363.jsonl"
	data, err := os.ReadFile(filepath.Join(os.Getenv("ABURN_REPO"), run))
	if err != nil {
		p.Fatal(err)
	}
	native, err := json.Marshal(p.name + `\p`)
	if err != nil {
		p.Fatal(err)
	}
	session := strings.ReplaceAll(string(data), "/home/user/project", strings.Trim(string(native), `"`))
	p.write(".claude/projects/C--users-p/"+filepath.Base(run), session)
	p.says([]string{"ingest"}, "claude")
	p.says([]string{"sessions"}, "d3674cb1")
	p.says([]string{"show", "d3674cb1", "--calls"}, "d3674cb1")
	p.says([]string{"report"}, "")
	p.says([]string{"report", "--html", p.name + `\p\report.html`}, "")
	if page := p.read("p/report.html"); !strings.Contains(page, "</html>") {
		p.Error("the report's page is not whole")
	}
	p.says([]string{"ingest", "--check"}, "as they should be")
}
