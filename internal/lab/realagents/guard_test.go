//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

const guardRules = `rules:
  - { name: no-deny, when: { command: touch, args: [denied.tmp] }, do: deny, say: "Leave denied.tmp alone." }
  - { name: asks, when: { command: touch, args: [asked.tmp] }, do: ask, say: "Is asked.tmp fine?" }
  - { name: tells, when: { command: touch, args: [told.tmp] }, do: tell, say: "told.tmp was not needed." }
  - { name: warns, when: { command: touch, args: [warned.tmp] }, do: warn }
  - { name: notes, when: { command: touch, args: [noted.tmp] }, do: note }
`

// guards writes rules and enables them.
func (w *world) guards() {
	w.Helper()
	w.install()
	w.write(filepath.Join(w.home, ".config", "aburn", "guard.yaml"), guardRules)
	for _, rule := range strings.Fields("no-deny asks tells warns notes") {
		w.aburn("guard", "enable", rule, "--yes")
	}
}

// guarded are what the log has of guard, in order: rule, action and the action that was wanted.
func (w *world) guarded() (list []string) {
	w.Helper()
	for _, e := range w.entries(w.project) {
		g := gjson.GetBytes(e.Data, "guard")
		if g.Exists() {
			list = append(list, strings.TrimSpace(string(e.Event)+" "+g.Get("rule").Str+" "+g.Get("do").Str+" "+g.Get("wanted").Str+g.Get("failed").Str))
		}
	}
	return list
}

func (w *world) made(want string) {
	w.Helper()
	var got []string
	for _, name := range strings.Fields("denied asked told warned noted") {
		if _, err := os.Stat(filepath.Join(w.project, name+".tmp")); err == nil {
			got = append(got, name)
		}
	}
	if text := strings.Join(got, " "); text != want {
		w.Errorf("made %q, want %q", text, want)
	}
}

// reads requires that the model was sent a text in a request.
func (w *world) reads(text string) {
	w.Helper()
	for _, r := range w.model.Asked() {
		for _, item := range r.Items {
			if strings.Contains(item.Text, text) {
				return
			}
		}
	}
	w.Errorf("the model was never sent %q", text)
}

// TestClaudeIsGuarded: every action on the real client, without a person: there an ask is a denial.
func TestClaudeIsGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(
		model.Calls(bash("touch denied.tmp")), model.Calls(bash("true && sh -c 'touch asked.tmp'")), model.Calls(bash("touch told.tmp")),
		model.Calls(bash("touch warned.tmp")), model.Calls(bash("touch noted.tmp")), model.Text("done"),
	)(), nil)
	w.guards()
	w.claude("go", free(sessionA)...)
	w.made("told warned noted")
	w.reads("Leave denied.tmp alone. (Rule no-deny of aburn guard.)")
	w.reads("Is asked.tmp fine?")
	w.reads("told.tmp was not needed.")
	want := "TOOL_START no-deny deny|TOOL_START asks ask|TOOL tells tell|TOOL_START warns warn|TOOL_START notes note"
	if got := strings.Join(w.guarded(), "|"); got != want {
		t.Errorf("log: %s, want %s", got, want)
	}
	w.logged(logfmt.ToolDenied, 2)
}

// TestCodexIsGuarded: Codex denies, and can't ask: the call runs, and the log says so.
func TestCodexIsGuarded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(
		model.Calls(command("touch denied.tmp")), model.Calls(command("touch asked.tmp")), model.Calls(command("touch told.tmp")),
		model.Calls(command("touch warned.tmp")), model.Calls(command("touch noted.tmp")), model.Text("done"),
	)(), nil)
	w.guards()
	w.codexExec(w.project, "go")
	w.made("asked told warned noted")
	w.reads("Leave denied.tmp alone. (Rule no-deny of aburn guard.)")
	w.reads("told.tmp was not needed.")
	want := "TOOL_START no-deny deny|TOOL_START asks warn ask|TOOL tells tell|TOOL_START warns warn|TOOL_START notes note"
	if got := strings.Join(w.guarded(), "|"); got != want {
		t.Errorf("log: %s, want %s", got, want)
	}
}
