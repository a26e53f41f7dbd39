package templates

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"aburn/internal/agentcli"
)

func pluginFiles(t *testing.T, p Plugin) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, f := range p.Files() {
		if files[f.Path] != nil {
			t.Errorf("%s is written twice", f.Path)
		}
		if strings.HasSuffix(f.Path, ".json") && !json.Valid(f.Data) {
			t.Errorf("%s is not JSON:\n%s", f.Path, f.Data)
		}
		files[f.Path] = f.Data
	}
	return files
}

// TestClaudeHooks holds the form that needs no shell and raises SessionEnd's budget where it can be raised.
func TestClaudeHooks(t *testing.T) {
	var got struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []struct {
				Type, Command string
				Args          []string
				Timeout       int
			}
		}
	}
	file := pluginFiles(t, Plugin{Agents: []*agentcli.Agent{&agentcli.Claude}, Version: "1.2.3"})["hooks/hooks.json"]
	if err := json.Unmarshal(file, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Hooks) != len(agentcli.Claude.Hooks.Events) {
		t.Errorf("%d events, want %d", len(got.Hooks), len(agentcli.Claude.Hooks.Events))
	}
	for _, e := range agentcli.Claude.Hooks.Events {
		groups := got.Hooks[e.Name]
		if len(groups) != 1 || groups[0].Matcher != nil || len(groups[0].Hooks) != 1 {
			t.Fatalf("%s: %+v", e.Name, groups)
		}
		h := groups[0].Hooks[0]
		if h.Type != "command" || h.Command != "aburn-hook" || !slices.Equal(h.Args, []string{"claude"}) || h.Timeout != e.Timeout {
			t.Errorf("%s: %+v", e.Name, h)
		}
	}
}

func TestPluginFolders(t *testing.T) {
	both := pluginFiles(t, Plugin{Agents: agents, Version: "1.2.3"})
	for _, path := range []string{
		"README.md", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "hooks/hooks.json", "commands/build.md", "skills/aburn-logging/SKILL.md",
		".agents/plugins/marketplace.json", "plugins/aburn/.codex-plugin/plugin.json", "plugins/aburn/skills/build/SKILL.md",
		"plugins/aburn/skills/ship/agents/openai.yaml",
	} {
		if both[path] == nil {
			t.Errorf("%s is missing", path)
		}
	}
	for _, manifest := range []string{".claude-plugin/plugin.json", "plugins/aburn/.codex-plugin/plugin.json"} {
		var m struct{ Name, Version string }
		if err := json.Unmarshal(both[manifest], &m); err != nil || m.Name != "aburn" || m.Version != "1.2.3" {
			t.Errorf("%s says %+v, %v", manifest, m, err)
		}
	}
	if files := pluginFiles(t, Plugin{Agents: []*agentcli.Agent{&agentcli.Claude}, NoHooks: true}); files["hooks/hooks.json"] != nil {
		t.Error("a plugin without hooks has hooks")
	}
	codex := pluginFiles(t, Plugin{Agents: []*agentcli.Agent{&agentcli.Codex}})
	for path := range codex {
		if strings.Contains(path, "claude") || strings.Contains(path, "hooks") {
			t.Errorf("the Codex plugin holds %s", path)
		}
	}
	if strings.Contains(string(codex["README.md"]), "Claude") {
		t.Error("the Codex plugin's README is about Claude Code")
	}
}

// TestPluginTexts: every agent that has a form of plugins has a part of the README.
func TestPluginTexts(t *testing.T) {
	for _, agent := range agentcli.All() {
		if _, ok := read("plugin-" + agent.Name); ok != (agent.Plugin.Form != agentcli.NoPlugin) {
			t.Errorf("%s: its form of plugins is %d, its text is there: %t", agent.Name, agent.Plugin.Form, ok)
		}
	}
}
