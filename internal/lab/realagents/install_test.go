//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/model"
)

// TestUninstallAfterTheAgentRewroteItsSettings: Claude Code re-prints its settings when a plugin is added. What is left after
// uninstall is what it would have written without aburn.
//
// Holds claude, codex: uninstall.
func TestUninstallAfterTheAgentRewroteItsSettings(t *testing.T) {
	t.Parallel()
	const claudeSettings = "{\n\t\"model\": \"sonnet\",\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": " +
		"\"true\"}]}]},\n\t\"env\": {}\n}\n"
	const codexHooks = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
	marketplace := map[string]string{
		"market/.claude-plugin/marketplace.json": `{"name": "local", "owner": {"name": "me"}, "plugins": [{"name": "p", "source": "./p"}]}`,
		"market/p/.claude-plugin/plugin.json":    `{"name": "p", "version": "1.0.0", "description": "nothing"}`,
		"market/p/commands/hello.md":             "hello\n",
	}
	settings := map[string][]byte{}
	for _, name := range []string{"native", "hooked"} {
		w := newWorld(t, name, one(model.Calls(bash("echo hi")), model.Text("done"), model.Text("done"), model.Text("done"))(), marketplace)
		path, hooks := filepath.Join(w.home, ".claude", "settings.json"), filepath.Join(w.home, ".codex", "hooks.json")
		w.write(path, claudeSettings)
		w.write(hooks, codexHooks)
		if name == "hooked" {
			w.install()
			w.claude("do the thing", free(sessionA)...)
			if len(loggedCalls(t, w.entries(w.project))) != 1 {
				t.Error("nothing recorded while installed")
			}
		}
		for _, args := range [][]string{{"plugin", "marketplace", "add", filepath.Join(w.project, "market")}, {"plugin", "install", "p@local"}} {
			if r := w.start(w.project, w.claudePath(), args...).wait(); r.code != 0 {
				t.Fatalf("claude %s: %s%s", strings.Join(args, " "), r.stdout, r.stderr)
			}
		}
		if name == "hooked" {
			if data, _ := os.ReadFile(path); !strings.Contains(string(data), "aburn-hook") || !strings.Contains(string(data), "local") {
				t.Fatalf("the agent did not re-print the settings as expected:\n%s", data)
			}
			w.aburn("uninstall-hooks", "--yes")
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		settings[name] = []byte(strings.ReplaceAll(string(data), w.home, "$HOME"))
		if data, _ := os.ReadFile(hooks); string(data) != codexHooks {
			t.Errorf("hooks.json of Codex is not byte for byte what it was:\n%s", data)
		}
	}
	same := func(path string) bool {
		return gjson.GetBytes(settings["native"], path).Raw == gjson.GetBytes(settings["hooked"], path).Raw
	}
	if string(settings["native"]) != string(settings["hooked"]) {
		t.Errorf("settings after uninstall (hooks equal: %v)\n%s\nwithout aburn:\n%s", same("hooks"), settings["hooked"], settings["native"])
	}
}

// TestTrustCodex: without trust Codex skips the hooks without a word; with --trust-codex it runs them, and its own list says
// so. With the hooks go its records of that.
func TestTrustCodex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(model.Calls(command("echo hi")), model.Text("done"), model.Calls(command("exit 2")), model.Text("done"))(), nil)
	codex := func() {
		w.start(w.project, w.codexPath(), "exec", "do the thing").wait()
	}
	config := filepath.Join(w.home, ".codex", "config.toml")
	w.install()
	codex()
	untrusted, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if isFile(filepath.Join(w.project, ".oss", "workflow.log")) && len(loggedCalls(t, w.entries(w.project))) != 0 {
		t.Error("recorded without trust: the case proves nothing")
	}
	w.aburn("install-hooks", "--yes", "--agent", "codex", "--trust-codex")
	codex()
	expect(t, loggedCalls(t, w.entries(w.project)), "call_main_2_0 TOOL_FAILED 2")
	w.aburn("uninstall-hooks", "--yes")
	if data, err := os.ReadFile(config); err != nil || string(data) != string(untrusted) {
		t.Errorf("config.toml is not byte for byte what it was before the trust: %v\n%s\nbefore:\n%s", err, data, untrusted)
	}
}

// TestFoldersStayThePersons: a repository's settings set the variables of its sessions' hooks. What is recorded, trusted and
// archived goes by the folders that the person's own command line names.
func TestFoldersStayThePersons(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", one(model.Calls(bash("echo $ABURN_HOME")), model.Text("done"))(), nil)
	evil := filepath.Join(w.home, "evil")
	w.write(filepath.Join(w.project, ".claude", "settings.json"),
		`{"env": {"ABURN_HOME": "`+evil+`/archive", "XDG_STATE_HOME": "`+evil+`/state", "XDG_CONFIG_HOME": "`+evil+`/config", "XDG_DATA_HOME": "`+evil+`/data"}}`)
	w.install()
	w.claude("do the thing", free(sessionA)...)
	if len(loggedCalls(t, w.entries(w.project))) != 1 {
		t.Error("nothing recorded")
	}
	said := false
	for _, path := range w.glob(".claude/projects/*/*.jsonl") {
		data, _ := os.ReadFile(path)
		said = said || strings.Contains(string(data), evil+"/archive")
	}
	if !said {
		t.Error("the client did not set the variables: the case proves nothing")
	}
	for end := time.Now().Add(runDeadline); !isFile(filepath.Join(w.home, ".local", "share", "aburn", "archive.db")); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no archive at the end of the session")
		}
	}
	if found := w.glob("evil/*/aburn*"); len(found) > 0 || isFile(filepath.Join(evil, "archive", "archive.db")) {
		t.Errorf("written where the repository wanted it: %v", found)
	}
}
