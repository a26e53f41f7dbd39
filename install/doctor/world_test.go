package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/install"
	"aburn/internal/journal"
	lab "aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/trace"
)

// world is a home directory with a project, two agents that only know their version, and the real aburn-hook.
type world struct {
	*testing.T
	home, root string
	live       bool
	self       string // the aburn that examines
	readers    []trace.Reader
}

func newWorld(t *testing.T) *world {
	t.Helper()
	user := lab.New(t)
	user.Enter(t)
	w := &world{T: t, home: user.Home, root: user.Path("src"), self: os.Args[0]}
	t.Setenv("SHELL", "/bin/sh")
	t.Setenv("PATH", w.path("bin")+":"+os.Getenv("PATH"))
	w.script("bin/claude", "echo 2.1.329 '(Claude Code)'")
	w.script("bin/codex", "echo codex-cli 0.169.0")
	if err := os.Symlink(hookExecutable, w.path("bin/aburn-hook")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w.root, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := install.InitProject(w.root, os.Getenv, install.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// hookExecutable is aburn-hook, built once for all tests.
var hookExecutable string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "aburn-doctor-test-*")
	if err == nil {
		hookExecutable = filepath.Join(dir, "aburn-hook")
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", hookExecutable, "aburn/cmd/aburn-hook")
		cmd.Stderr = os.Stderr
		err = cmd.Run()
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

func (w *world) path(name string) string { return filepath.Join(w.home, name) }

func (w *world) write(name, data string) {
	w.Helper()
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) script(name, body string) {
	w.Helper()
	w.write(name, "#!/bin/sh\n"+body+"\n")
	if err := os.Chmod(w.path(name), 0o755); err != nil {
		w.Fatal(err)
	}
}

func (w *world) install(scope install.Scope, agents ...install.Agent) {
	w.Helper()
	if len(agents) == 0 {
		agents = install.Agents()
	}
	c, err := install.Plan(install.Options{Agents: agents, Scope: scope, Dir: w.root, Env: os.Getenv})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := c.Apply(); err != nil {
		w.Fatal(err)
	}
}

// trustAll writes what Codex would, had the user trusted everything.
func (w *world) trustAll() {
	w.Helper()
	var b strings.Builder
	for _, s := range install.Inspect(install.Codex, w.root, os.Getenv) {
		for _, r := range s.Own() {
			fmt.Fprintf(&b, "[hooks.state.%q]\ntrusted_hash = %q\n", r.TrustKey, r.TrustHash)
		}
	}
	w.write(".codex/config.toml", b.String())
}

// claudeSession makes a transcript as Claude Code does, of a session in dir that was active for a minute until last.
func (w *world) claudeSession(id, dir string, last time.Time) {
	w.Helper()
	line := func(kind string, at time.Time) string {
		return fmt.Sprintf(`{"type":%q,"cwd":%q,"sessionId":%q,"timestamp":%q}`+"\n", kind, dir, id, at.UTC().Format(time.RFC3339Nano))
	}
	w.write(".claude/projects/-slug/"+id+".jsonl", line("queue-operation", last.Add(-time.Hour))+line("user", last.Add(-time.Minute))+
		line("assistant", last)+`{"type":"cost-state","sessionId":"`+id+"\"}\n")
}

// codexSession makes a rollout as Codex does.
func (w *world) codexSession(id, dir, source string, last time.Time) {
	w.Helper()
	line := func(kind, payload string, at time.Time) string {
		return fmt.Sprintf(`{"timestamp":%q,"type":%q,"payload":%s}`+"\n", at.UTC().Format(time.RFC3339Nano), kind, payload)
	}
	w.write(".codex/sessions/2026/11/21/rollout-2026-11-21T08-00-00-"+id+".jsonl",
		line("session_meta", fmt.Sprintf(`{"id":%q,"cwd":%q,"source":%s,"base_instructions":{"text":%q}}`, id, dir, source, strings.Repeat("x", 30<<10)),
			last.Add(-time.Minute))+
			line("event_msg", "{}", last))
}

// logged appends an entry of the session.
func (w *world) logged(id string) {
	w.Helper()
	p, err := project.Find(w.root, os.Getenv)
	if err != nil {
		w.Fatal(err)
	}
	oss, err := p.OpenOss()
	if err != nil {
		w.Fatal(err)
	}
	defer oss.Close()
	_, err = journal.New(oss, journal.Options{}).Append(func(journal.Tail) []*logfmt.Entry {
		return []*logfmt.Entry{{Time: time.Now(), Cmd: logfmt.SessionCmd, Event: logfmt.Prompt, Session: logfmt.SessionID(id), Source: "claude"}}
	})
	if err != nil {
		w.Fatal(err)
	}
}

// run examines dir and returns the findings as text, one line each.
func (w *world) run(dir string) string {
	w.Helper()
	r := Run(w.Context(), Options{Dir: dir, Env: os.Getenv, Now: time.Now(), Self: w.self, Live: w.live, Readers: w.readers, Agents: install.Agents()})
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%s %s %s", c.Topic, c.Status, strings.ReplaceAll(c.Text, w.home, "~"))
		for _, h := range c.Hints {
			b.WriteString(" -> " + strings.ReplaceAll(h, w.home, "~"))
		}
		b.WriteByte('\n')
	}
	if r.Bad() != strings.Contains(b.String(), " bad ") {
		w.Errorf("Bad() = %t\n%s", r.Bad(), b.String())
	}
	return b.String()
}

// expect demands findings, each the beginning of a line; one that begins with "! " must not be there.
func (w *world) expect(report string, lines ...string) {
	w.Helper()
	for _, want := range lines {
		unwanted, not := strings.CutPrefix(want, "! ")
		if not {
			want = unwanted
		}
		if strings.Contains("\n"+report, "\n"+want) == not {
			w.Errorf("want %q %t, got\n%s", want, !not, report)
		}
	}
}
