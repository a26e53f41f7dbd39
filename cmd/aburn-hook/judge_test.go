//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/project"
	"aburn/internal/suspect"
)

// guarded is a hook with an aburn beside it, in a trusted project.
type guarded struct {
	*world
	bin string
}

// begunWith is the environment before any test changed it.
var begunWith = os.Environ()

// theAburn is the real executable, built once.
var theAburn = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(exe), "real", "aburn")
	build := exec.Command("go", "build", "-o", path, "aburn/cmd/aburn")
	build.Env = begunWith // the build cache is in the home of the person, not in that of a test
	out, err := build.CombinedOutput()
	if err != nil {
		return string(out), err
	}
	return path, nil
})

// newGuarded puts an aburn beside the hook: the real one, or a script with this text.
func newGuarded(t *testing.T, script string) *guarded {
	t.Helper()
	g := &guarded{newWorld(t), t.TempDir()}
	g.trust()
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	aburn := []byte(script)
	if script == "" {
		path, err := theAburn()
		if err != nil {
			t.Fatal(path, err)
		}
		if aburn, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string][]byte{"aburn-hook": data, "aburn": aburn} {
		if err := os.WriteFile(filepath.Join(g.bin, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (g *guarded) env2() []string {
	return append(append([]string{}, g.env...), "PATH="+os.Getenv("PATH"))
}

// rules writes the user's rules, and enables them.
func (g *guarded) rules(text, names string) {
	g.t.Helper()
	dir := filepath.Join(g.Home, ".config", "aburn")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guard.yaml"), []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
	for name := range strings.FieldsSeq(names) {
		g.aburn("guard", "enable", name, "--yes")
	}
}

func (g *guarded) aburn(args ...string) string {
	g.t.Helper()
	cmd := exec.Command(filepath.Join(g.bin, "aburn"), args...)
	cmd.Dir, cmd.Env = g.Project, g.env2()
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("aburn %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// words turns guard on for every call without an aburn.
func (g *guarded) words(text string) {
	g.t.Helper()
	dir := project.StateDir(func(name string) string { return map[string]string{"HOME": g.Home}[name] })
	if err := os.MkdirAll(dir, 0o700); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, suspect.File), []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// call sends an event of a call and returns what the hook printed, and the newest entry's guard.
func (g *guarded) call(agent, event, tool, id string, input any, more string) (out string, entry gjson.Result) {
	g.t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		g.t.Fatal(err)
	}
	cwd, _ := json.Marshal(g.Project)
	payload := `{"session_id":"5b0c2f91-0000-4000-8000-000000000001","transcript_path":"","cwd":` + string(cwd) + `,"hook_event_name":"` + event +
		`","tool_name":"` + tool + `","tool_use_id":"` + id + `","tool_input":` + string(raw) + more + `}`
	cmd := exec.Command(filepath.Join(g.bin, "aburn-hook"), agent)
	cmd.Dir, cmd.Env, cmd.Stdin = g.Project, g.env2(), strings.NewReader(payload)
	b, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("aburn-hook %s: %v", agent, err)
	}
	entries := g.entries()
	if len(entries) == 0 {
		g.t.Fatal("no entry")
	}
	return string(b), gjson.GetBytes(entries[len(entries)-1].Data, "guard")
}

func shellInput(command string) map[string]string { return map[string]string{"command": command} }

const denyRule = `rules:
  - { name: no-deploy, when: { command: deploy.sh }, do: deny, say: "Ask the user to deploy." }
  - { name: ask-deploy, when: { command: stage.sh }, do: ask }
  - { name: note-make, when: { command: make }, do: note }
  - { name: tell-make, when: { command: make }, do: tell, say: "make is slow here." }
  - { name: warn-tar, when: { command: tar }, do: warn }
  - { name: out, when: { writes: outside }, do: deny }
`

// TestDecisions: what the hook answers to the two agents, with the real aburn, and what the log has of it.
func TestDecisions(t *testing.T) {
	g := newGuarded(t, "")
	g.rules(denyRule, "no-deploy ask-deploy note-make tell-make warn-tar out")
	link := filepath.Join(g.Project, "link")
	if err := os.Symlink("/var/lib", link); err != nil { // the home of a test is in a folder for temporary files, which is not outside
		t.Fatal(err)
	}
	deny := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":`
	for i, c := range []struct {
		agent, event, tool string
		input              map[string]string
		more               string
		out, guard         string
	}{
		{"claude", "PreToolUse", "Bash", shellInput("cd x && ./deploy.sh now"), "",
			deny + `"Ask the user to deploy. (Rule no-deploy of aburn guard.)"}}`, `{"rule":"no-deploy","do":"deny"}`},
		{"codex", "PreToolUse", "Bash", shellInput("bash -c './deploy.sh'"), "",
			deny + `"Ask the user to deploy. (Rule no-deploy of aburn guard.)"}}`, `{"rule":"no-deploy","do":"deny"}`},
		{"claude", "PreToolUse", "Bash", shellInput(`./dep""loy.s\h`), "",
			deny + `"Ask the user to deploy. (Rule no-deploy of aburn guard.)"}}`, `{"rule":"no-deploy","do":"deny"}`},
		{"claude", "PreToolUse", "Bash", shellInput(`echo "./deploy.sh"`), "", "", ""},
		{"claude", "PreToolUse", "Bash", shellInput("stage.sh"), "",
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":` +
				`"The user has a rule about this call. (Rule ask-deploy of aburn guard.)"}}`, `{"rule":"ask-deploy","do":"ask"}`},
		{"codex", "PreToolUse", "Bash", shellInput("stage.sh"), "", "", `{"rule":"ask-deploy","do":"warn","wanted":"ask"}`},
		{"gemini", "BeforeTool", "run_shell_command", shellInput("deploy.sh"), "", "", `{"rule":"no-deploy","do":"warn","wanted":"deny"}`},
		{"claude", "PreToolUse", "Bash", shellInput("make"), "", "", `{"rule":"note-make","do":"note"}`},
		{"claude", "PostToolUse", "Bash", shellInput("make"), `,"tool_response":{"stdout":"","stderr":"","interrupted":false}`,
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"make is slow here. (Rule tell-make of aburn guard.)"}}`,
			`{"rule":"tell-make","do":"tell"}`},
		{"claude", "PreToolUse", "Bash", shellInput("tar x"), "", "", `{"rule":"warn-tar","do":"warn"}`},
		{"claude", "PreToolUse", "Write", map[string]string{"file_path": filepath.Join(link, "new.txt"), "content": "x"}, "",
			deny + `"The user has a rule about this call. (Rule out of aburn guard.)"}}`, `{"rule":"out","do":"deny"}`},
		{"claude", "PreToolUse", "Write", map[string]string{"file_path": filepath.Join(g.Project, "new.txt"), "content": "x"}, "", "", ""},
		{"claude", "PreToolUse", "Bash", shellInput("ls \x00\xff ("), "", "", ""},
		{"claude", "PreToolUse", "Bash", shellInput(strings.Repeat("deploy ", 150_000)), "", "", ""},
	} {
		out, guard := g.call(c.agent, c.event, c.tool, "t"+string(rune('a'+i)), c.input, c.more)
		if out != c.out || guard.Raw != c.guard {
			t.Errorf("%s %s %.60v:\n got %s %s\nwant %s %s", c.agent, c.event, c.input, out, guard.Raw, c.out, c.guard)
		}
	}
	if out := g.aburn("guard", "report"); !strings.Contains(out, "no-deploy") {
		t.Errorf("report: %s", out)
	}
}

// TestCountedCalls: the numbers of a turn come from the log, and a new prompt begins anew.
func TestCountedCalls(t *testing.T) {
	g := newGuarded(t, "")
	g.rules(`rules:
  - { name: three, when: { calls: 3, per: turn }, do: deny }
  - { name: leak, when: { after: secret, network: true }, do: deny }
`, "three leak")
	prompt := func() { g.call("claude", "UserPromptSubmit", "", "", nil, `,"prompt":"go"`) }
	calls := func(commands ...string) (rules string) {
		for i, c := range commands {
			_, guard := g.call("claude", "PreToolUse", "Bash", fmt.Sprintf("t%d-%d", len(g.entries()), i), shellInput(c), "")
			rules += "/" + guard.Get("rule").Str
		}
		return rules
	}
	prompt()
	if got := calls("a", "b", "c", "d"); got != "///three/three" {
		t.Errorf("four calls: %s", got)
	}
	prompt()
	if got := calls("curl https://a.example", "cat .env"); got != "//" {
		t.Errorf("the network before the secret: %s", got)
	}
	prompt()
	if got := calls("cat .env", "curl https://a.example"); got != "//leak" {
		t.Errorf("the network after the secret: %s", got)
	}
}

// TestGuardFails: whatever is wrong with guard, the hook prints nothing, ends with 0, and the entry says why.
func TestGuardFails(t *testing.T) {
	const all = "aburn guard words 1\na\n"
	for _, c := range []struct{ name, script, words, want string }{
		{"crash", "#!/bin/sh\nkill -9 $$\n", all, "aburn guard decide gave no answer"},
		{"exit 2", "#!/bin/sh\nexit 2\n", all, "aburn guard decide gave no answer"},
		{"nonsense", "#!/bin/sh\necho no\n", all, "aburn guard decide gave no answer"},
		{"flood", "#!/bin/sh\nwhile :; do printf '%01000d' 1; done\n", all, "aburn guard decide answered too much"},
		{"hang", "#!/bin/sh\nexec sleep 1000\n", all, "aburn guard decide did not answer in time"},
		{"no program", "#!/nowhere/sh\n", all, "aburn can't be started"},
		{"newer words", "#!/bin/sh\n", "aburn guard words 2\na\n", "guard.words is of another version: run aburn guard ls"},
		{"older aburn", "#!/bin/sh\necho 'aburn: error: unknown command \"guard\"' >&2\nexit 2\n", all, "aburn guard decide gave no answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGuarded(t, c.script)
			g.words(c.words)
			out, guard := g.call("claude", "PreToolUse", "Bash", "t1", shellInput("ls"), "")
			if out != "" || guard.Get("failed").Str != c.want {
				t.Errorf("printed %q, guard %s, want %q", out, guard.Raw, c.want)
			}
		})
	}
	t.Run("no aburn", func(t *testing.T) {
		g := newGuarded(t, "#!/bin/sh\n")
		g.words(all)
		if err := os.Remove(filepath.Join(g.bin, "aburn")); err != nil {
			t.Fatal(err)
		}
		out, guard := g.call("claude", "PreToolUse", "Bash", "t1", shellInput("ls"), "")
		if out != "" || guard.Get("failed").Str != "aburn is not beside aburn-hook" {
			t.Errorf("printed %q, guard %s", out, guard.Raw)
		}
	})
	t.Run("broken rules", func(t *testing.T) {
		g := newGuarded(t, "")
		g.rules(denyRule, "no-deploy")
		if err := os.WriteFile(filepath.Join(g.Home, ".config", "aburn", "guard.yaml"), []byte("rules: ["), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, guard := g.call("claude", "PreToolUse", "Bash", "t1", shellInput("deploy.sh"), ""); out != "" || guard.Get("failed").Str == "" {
			t.Errorf("printed %q, guard %s", out, guard.Raw)
		}
	})
}

// TestGuardOff: without rules, and for calls that no rule can be about, no aburn is started.
func TestGuardOff(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	g := newGuarded(t, "#!/bin/sh\necho x >> '"+started+"'\necho '{}'\n")
	g.call("claude", "PreToolUse", "Bash", "t1", shellInput("git push -f origin main"), "")
	g.words("aburn guard words 1\na\tgit\tpush\n")
	g.call("claude", "PreToolUse", "Bash", "t2", shellInput("git status"), "")
	g.call("claude", "PreToolUse", "Bash", "t3", shellInput("digit push"), "")
	if _, err := os.Stat(started); err == nil {
		t.Error("aburn was started")
	}
	g.call("claude", "PreToolUse", "Bash", "t4", shellInput(`g"i"t pu\sh`), "")
	if b, _ := os.ReadFile(started); string(b) != "x\n" {
		t.Errorf("a suspect did not start aburn: %q", b)
	}
}

// TestDecisionWithoutLog: a rule holds where the log can't be written.
func TestDecisionWithoutLog(t *testing.T) {
	g := newGuarded(t, "")
	g.rules(denyRule, "no-deploy")
	other := filepath.Join(t.TempDir(), "x")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(g.Project, ".oss", "workflow.log")
	g.call("claude", "PreToolUse", "Bash", "t1", shellInput("ls"), "")
	if err := os.Rename(log, other+"/log"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(log, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(g.bin, "aburn-hook"), "claude")
	cwd, _ := json.Marshal(g.Project)
	cmd.Dir, cmd.Env = g.Project, g.env2()
	cmd.Stdin = strings.NewReader(`{"session_id":"a","cwd":` + string(cwd) + `,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t2",` +
		`"tool_input":{"command":"deploy.sh"}}`)
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"permissionDecision":"deny"`) {
		t.Errorf("printed %q, %v", out, err)
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other+"/log", log); err != nil {
		t.Fatal(err)
	}
}
