package templates

import (
	"encoding/json"
	"strings"
)

// Plugin says which plugins to make.
type Plugin struct {
	Agents  []Agent
	Version string // as in the manifests; agents keep installed plugins by it
	NoHooks bool   // for users whose settings already hold the hooks: both would run
}

const (
	pluginName  = "aburn"
	pluginAbout = "Records every session in .oss/workflow.log and lets a command read what the one before it made."
	codexPlugin = "plugins/" + pluginName + "/"
)

// Files is everything of the plugins. The Claude Code plugin stands at the root, which is also its own marketplace; the
// Codex plugin stands below plugins/ with its marketplace beside it. Both fit into one folder.
func (p Plugin) Files() []File {
	files := []File{{"README.md", []byte(p.readme())}}
	for _, agent := range p.Agents {
		if agent == Claude {
			files = append(files, p.claude()...)
		} else {
			files = append(files, p.codex()...)
		}
	}
	return files
}

func (p Plugin) claude() []File {
	manifest := object{"name", pluginName, "version", p.Version, "description", pluginAbout, "author", object{"name", "aburn"}, "license", "MIT",
		"keywords", []string{"hooks", "logging", "workflow", "tdd"}}
	market := object{"name", pluginName, "description", pluginAbout, "owner", object{"name", "aburn"},
		"plugins", []object{{"name", pluginName, "description", pluginAbout, "source", "./"}}}
	files := []File{{".claude-plugin/plugin.json", manifest.pretty()}, {".claude-plugin/marketplace.json", market.pretty()}}
	if !p.NoHooks {
		files = append(files, File{"hooks/hooks.json", claudeHooks()})
	}
	for _, t := range List() {
		files = append(files, t.files(Claude, "")...)
	}
	return files
}

// claudeHooks is hooks/hooks.json, which the client loads by its place. The exec form needs no shell and finds the
// program on PATH; a plugin's own bin folder is not on the PATH of hooks.
func claudeHooks() []byte {
	var events object
	for _, e := range ClaudeEvents() {
		handler := object{"type", "command", "command", "aburn-hook", "args", []string{"claude"}, "timeout", e.Timeout}
		events = append(events, e.Name, []object{{"hooks", []object{handler}}})
	}
	return object{"description", "aburn records what happens. It never blocks the agent.", "hooks", events}.pretty()
}

// codex is a plugin of skills only: hooks in a Codex plugin lose the user's trust with every change in its folder, so
// they belong into hooks.json (`aburn install-hooks`).
func (p Plugin) codex() []File {
	market := object{"name", pluginName, "interface", object{"displayName", pluginName},
		"plugins", []object{{"name", pluginName, "source", object{"source", "local", "path", "./plugins/" + pluginName},
			"policy", object{"installation", "AVAILABLE", "authentication", "ON_INSTALL"}, "category", "Productivity"}}}
	manifest := object{"name", pluginName, "version", p.Version, "description", pluginAbout, "author", object{"name", "aburn"}, "license", "MIT",
		"skills", "./skills/"}
	files := []File{{".agents/plugins/marketplace.json", market.pretty()}, {codexPlugin + ".codex-plugin/plugin.json", manifest.pretty()}}
	for _, t := range List() {
		files = append(files, t.files(Codex, codexPlugin)...)
	}
	return files
}

// readme says how each plugin gets into its agent.
func (p Plugin) readme() string {
	var b strings.Builder
	b.WriteString("# aburn as a plugin\n\n" + pluginAbout + "\nBoth `aburn` and `aburn-hook` have to be on PATH. Written by `aburn plugin write`.\n")
	for _, agent := range p.Agents {
		text, _ := read("plugin-" + string(agent))
		b.WriteString("\n" + text)
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
