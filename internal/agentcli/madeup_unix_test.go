//go:build unix

package agentcli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/install"
	"aburn/install/doctor"
	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/templates"
)

// acme is an agent that nobody has heard of: what one has to write for a new one is in this file down to acmeRead.
var acme = agentcli.Agent{
	Name: "acme", Title: "Acme Agent", Program: "acme",
	Home:     agentcli.Home{Dir: ".acme", Var: "ACME_HOME"},
	Settings: agentcli.Settings{User: "hooks.json", Project: ".acme/hooks.json"},
	Hooks: agentcli.Hooks{
		Events: []agentcli.Event{
			{Name: "SessionStart", Timeout: 5}, {Name: "UserPromptSubmit", Timeout: 5}, {Name: "PreToolUse", Timeout: 5},
			{Name: "PostToolUse", Timeout: 5}, {Name: "Stop", Timeout: 5}, {Name: "SessionEnd", Timeout: 2},
		},
		MissingBlocks: true, Since: "1.2.0", Before: "it has no hooks",
	},
	Prompts: agentcli.Prompts{Folder: ".acme/", Mention: "@"},
	Store:   agentcli.Store{Sessions: "sessions/*.jsonl"},
}

// acmeSettings is the settings adapter: whatever acme does as its record says needs no code.
var acmeSettings = &install.Adapter{Agent: &acme, Session: acmeSession}

func acmeSession(s *install.Session, r gjson.Result) {
	s.ID, s.Cwd = r.Get("session").Str, r.Get("dir").Str
	if at, err := time.Parse(time.RFC3339, r.Get("at").Str); err == nil {
		s.See(at)
	}
}

// acmeHooks is the hooks adapter.
func acmeHooks() hooks.Agent {
	return hooks.Agent{
		Agent: &acme, Read: acmeRead, PromptID: "prompt_id", Context: hooks.HookContext,
		Ignored: func(*hooks.Payload) bool { return false },
		Knows:   func(string) bool { return true },
		Own:     func(p *hooks.Payload) bool { return p.AgentID == "" },
	}
}

func acmeRead(p *hooks.Payload, _ *project.Project) (hooks.Plan, bool) {
	var d hooks.Draft
	switch p.Event {
	case "SessionStart":
		d = p.SessionStart(p.Str("client"), "")
	case "UserPromptSubmit":
		d = p.Prompt(false)
	case "PreToolUse":
		d = p.ToolCall(logfmt.ToolStart, func(o *logfmt.Object) { o.Str("head", hooks.CommandHead(p.Input.Get("command").Str)) })
	case "PostToolUse":
		d = p.ToolCall(logfmt.Tool, func(o *logfmt.Object) { o.Str("head", hooks.CommandHead(p.Input.Get("command").Str)) })
	case "Stop":
		d = hooks.NewDraft(logfmt.Stop)
	case "SessionEnd":
		d = p.SessionEnd()
	default:
		return hooks.Plan{}, false
	}
	return hooks.Plan{Drafts: []hooks.Draft{d}}, true
}

// TestMain lets this executable be aburn-hook where it is called so, with one agent more.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "aburn-hook" {
		os.Exit(m.Run())
	}
	run := hooks.Run{
		Start: time.Now(), Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Env: os.Getenv,
		Agents: []hooks.Agent{acmeHooks()}, Exit: func() { os.Exit(0) },
	}
	if run.Do() != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// acmeWorld is a home in which acme and a hook that knows it are, and a project of the user's.
func acmeWorld(t *testing.T) (home, root string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ABURN_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "ACME_HOME", "ABURN",
		"ABURN_PROJECT_DIR"} {
		t.Setenv(name, "")
	}
	root = filepath.Join(home, "src")
	t.Setenv("HOME", home)
	t.Setenv("SHELL", "/bin/sh")
	t.Setenv("PATH", filepath.Join(home, "bin")+":/usr/bin:/bin")
	for _, dir := range []string{root, filepath.Join(home, "bin"), filepath.Join(home, ".acme")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(home, "bin", "aburn-hook")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "bin", "acme"), []byte("#!/bin/sh\necho acme 1.4.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := install.InitProject(root, os.Getenv, install.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	return home, root
}

// carryOut applies what was planned.
func carryOut(t *testing.T, plan func(install.Options) (*install.Change, error), o install.Options) *install.Change {
	t.Helper()
	c, err := plan(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNewHookedAgent adds an agent: a record, a hooks adapter, a settings adapter. Install, uninstall, doctor, the log and
// the templates then know it, and nothing takes it for another.
func TestNewHookedAgent(t *testing.T) {
	home, root := acmeWorld(t)
	settings := filepath.Join(home, ".acme", "hooks.json")
	before := []byte("{ \"theme\" : \"dark\",\n\t\"hooks\": {\"Stop\": [ {\"hooks\":[{\"type\":\"command\", \"command\":\"beep\"}]} ]}}\n")
	if err := os.WriteFile(settings, before, 0o600); err != nil {
		t.Fatal(err)
	}
	o := install.Options{Agents: []install.Agent{acmeSettings}, Dir: root, Env: os.Getenv, NoInit: true}

	if got := install.Present([]install.Agent{install.Claude, acmeSettings}, os.Getenv); len(got) != 1 || got[0] != acmeSettings {
		t.Errorf("present are %v", got)
	}
	carryOut(t, install.Plan, o)
	line := filepath.Join(home, "bin", "aburn-hook") + " acme --home " + home + " 2>/dev/null || true"
	installed, err := os.ReadFile(settings)
	if err != nil || bytes.Count(installed, []byte(`"`+line+`"`)) != len(acme.Hooks.Events) || !bytes.Contains(installed, []byte(`"command":"beep"`)) {
		t.Fatalf("installed: %v\n%s", err, installed)
	}
	if c := carryOut(t, install.Plan, o); !c.Files[0].Same() {
		t.Error("a second install changes something")
	}
	for _, a := range install.Agents() {
		if s := install.InspectFile(a, settings, "", os.Getenv); len(s.Own()) > 0 {
			t.Errorf("%s takes acme's handlers for its own", a)
		}
	}

	t.Run("records", func(t *testing.T) { acmeRecords(t, home, root, line) })
	t.Run("doctor", func(t *testing.T) { acmeDoctor(t, home, root) })
	t.Run("templates", acmeTemplates)

	o.Scope = install.Local
	if _, err := install.Plan(o); err == nil || err.Error() != "Acme Agent has no local settings: only the user's and the project's" {
		t.Errorf("with --local: %v", err)
	}
	o.Scope = install.User
	c := carryOut(t, install.PlanUninstall, o)
	if after, err := os.ReadFile(settings); err != nil || !bytes.Equal(after, before) || !c.Files[0].Exact {
		t.Errorf("after uninstall (exact %t): %v\n%s", c.Files[0].Exact, err, after)
	}
	for _, path := range []string{".claude", ".codex"} {
		if _, err := os.Lstat(filepath.Join(home, path)); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

// acmeRecords sends payloads through the registered line, with the hook there and gone.
func acmeRecords(t *testing.T, home, root, line string) {
	send := func(line, event, fields string) {
		t.Helper()
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Dir = root
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"` + event + `","session_id":"a1","cwd":"` + root + `"` + fields + `}`)
		if out, err := cmd.Output(); err != nil || len(out) > 0 {
			t.Fatalf("%s: %v: %s", event, err, out)
		}
	}
	send(line, "UserPromptSubmit", `,"prompt":"go"`)
	send(line, "PreToolUse", `,"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}`)
	send(line, "PostToolUse", `,"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"},"tool_response":""`)
	send(strings.Replace(line, "bin/", "gone/", 1), "Stop", "") // MissingBlocks: acme would stop at any other exit code
	send(line, "Stop", "")
	log, err := os.ReadFile(filepath.Join(root, ".oss", "workflow.log"))
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for l := range bytes.SplitSeq(log, []byte("\n")) {
		if logfmt.Classify(l) != logfmt.EntryLine {
			continue
		}
		e, err := logfmt.Parse(l)
		if err != nil || e.Source != "acme" || e.Session != "a1" {
			t.Errorf("%v %s", err, l)
		}
		events = append(events, string(e.Event))
	}
	if got := strings.Join(events, " "); got != "PROMPT TOOL_START TOOL STOP" {
		t.Errorf("the log has %s", got)
	}
}

func acmeDoctor(t *testing.T, home, root string) {
	at := time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	for _, id := range []string{"a1", "a2"} {
		path := filepath.Join(home, ".acme", "sessions", id+".jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`{"session":"`+id+`","dir":"`+root+`","at":"`+at+`"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := doctor.Run(context.Background(), doctor.Options{
		Dir: root, Env: os.Getenv, Now: time.Now(), Self: os.Args[0], Live: true, Agents: []install.Agent{acmeSettings},
	})
	var got strings.Builder
	for _, c := range r.Checks {
		got.WriteString(c.Topic + " " + string(c.Status) + " " + c.Text + "\n")
	}
	for _, want := range []string{
		"acme ok 1.4.0 ", "calls the hook at 6 events (all your sessions)", "all 6 canary events recorded",
		"acme bad hooks do not fire here: session a2", "(1 of the newest 2)",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("doctor does not say %q:\n%s", want, got.String())
		}
	}
	for _, other := range []string{"Claude", "Codex", "trust"} {
		if strings.Contains(got.String(), other) {
			t.Errorf("doctor speaks of %s:\n%s", other, got.String())
		}
	}
}

func acmeTemplates(t *testing.T) {
	files := map[string]string{}
	for _, f := range templates.ProjectFiles(&acme) {
		files[f.Path] = string(f.Data)
	}
	build := files[".acme/skills/build/SKILL.md"]
	if !strings.Contains(build, "Use when the user writes @build") || strings.Contains(build, "$ARGUMENTS") || len(files) != len(templates.List()) {
		t.Errorf("%d files; the skill is %s", len(files), build)
	}
	if files := (templates.Plugin{Agents: []*agentcli.Agent{&acme}}).Files(); len(files) != 1 {
		t.Errorf("its plugin has %d files", len(files))
	}
}
