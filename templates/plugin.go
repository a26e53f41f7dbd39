package templates

import (
	"encoding/json"
	"strings"

	"aburn/internal/agentcli"
)

// Plugin describes the plugins to make.
type Plugin struct {
	Agents  []*agentcli.Agent // agents without plugins get none
	Version string            // in the manifests; agents store installed plugins by it
	NoHooks bool              // for users whose settings have the hooks already: both would run
}

const (
	pluginName  = "aburn"
	pluginAbout = "Records every session in .oss/workflow.log, so that a command can read the result of the one before it."
	skillPlugin = "plugins/" + pluginName + "/"
)

// Files returns all files of the plugins. A plugin with hooks lies at the root, which is also its marketplace. A
// plugin of skills lies below plugins/, with its marketplace beside it. One of each fits into one folder.
func (p Plugin) Files() []File {
	files := []File{{"README.md", []byte(p.readme())}}
	for _, agent := range p.Agents {
		switch agent.Plugin.Form {
		case agentcli.HooksPlugin:
			files = append(files, p.withHooks(agent)...)
		case agentcli.SkillPlugin:
			files = append(files, p.ofSkills(agent)...)
		}
	}
	return files
}

func manifests(agent *agentcli.Agent) string { return "." + agent.Name + "-plugin/" }

func (p Plugin) withHooks(agent *agentcli.Agent) []File {
	manifest := object{"name", pluginName, "version", p.Version, "description", pluginAbout, "author", object{"name", "aburn"}, "license", "MIT",
		"keywords", []string{"hooks", "logging", "workflow", "tdd"}}
	market := object{"name", pluginName, "description", pluginAbout, "owner", object{"name", "aburn"},
		"plugins", []object{{"name", pluginName, "description", pluginAbout, "source", "./"}}}
	files := []File{{manifests(agent) + "plugin.json", manifest.pretty()}, {manifests(agent) + "marketplace.json", market.pretty()}}
	if !p.NoHooks {
		files = append(files, File{"hooks/hooks.json", pluginHooks(agent)})
	}
	for _, t := range List() {
		files = append(files, t.files(agent, "")...)
	}
	return files
}

// pluginHooks is hooks/hooks.json, which the client finds by its path. The exec form needs no shell and finds the
// program on PATH. A plugin's own bin folder is not on the PATH of hooks.
func pluginHooks(agent *agentcli.Agent) []byte {
	var events object
	for _, e := range agent.Hooks.Events {
		handler := object{"type", "command", "command", "aburn-hook", "args", []string{agent.Name}, "timeout", e.Timeout}
		events = append(events, e.Name, []object{{"hooks", []object{handler}}})
	}
	return object{"description", "aburn records what happens. It never blocks the agent.", "hooks", events}.pretty()
}

// ofSkills is a plugin without hooks. In Codex a plugin's hooks lose the user's trust with every change in its
// folder, so they belong into its settings (`aburn install-hooks`).
func (p Plugin) ofSkills(agent *agentcli.Agent) []File {
	market := object{"name", pluginName, "interface", object{"displayName", pluginName},
		"plugins", []object{{"name", pluginName, "source", object{"source", "local", "path", "./plugins/" + pluginName},
			"policy", object{"installation", "AVAILABLE", "authentication", "ON_INSTALL"}, "category", "Productivity"}}}
	manifest := object{"name", pluginName, "version", p.Version, "description", pluginAbout, "author", object{"name", "aburn"}, "license", "MIT",
		"skills", "./skills/"}
	files := []File{{".agents/plugins/marketplace.json", market.pretty()}, {skillPlugin + manifests(agent) + "plugin.json", manifest.pretty()}}
	for _, t := range List() {
		files = append(files, t.files(agent, skillPlugin)...)
	}
	return files
}

// readme explains how to add each plugin to its agent.
func (p Plugin) readme() string {
	var b strings.Builder
	b.WriteString("# aburn as a plugin\n\n" + pluginAbout + "\nBoth `aburn` and `aburn-hook` have to be on PATH. Written by `aburn plugin write`.\n")
	for _, agent := range p.Agents {
		text, _ := read("plugin-" + agent.Name)
		if agent.Plugin.Form != agentcli.NoPlugin {
			b.WriteString("\n" + text)
		}
	}
	return b.String()
}

// object is a JSON object whose members keep their order: key, value, key, value.
type object []any

func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, v := range o {
		if i > 0 {
			out = append(out, ",:"[i%2])
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	return append(out, '}'), nil
}

func (o object) pretty() []byte {
	b, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		panic("templates: " + err.Error()) // only strings and numbers go in
	}
	return append(b, '\n')
}
