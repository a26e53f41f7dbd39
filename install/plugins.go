package install

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Plugin is the scope of a plugin's own hooks. Nothing is installed there: it is for Inspect's answers.
const Plugin Scope = "plugin"

// Plugins are the hooks of the Claude Code plugins that are enabled for sessions in dir and call aburn's hook. The
// settings say which plugins are enabled, plugins/installed_plugins.json where they lie (as of 2.1.329; the format is not
// documented, so what does not look like it is passed over). A plugin given with --plugin-dir leaves no trace to find.
func Plugins(dir string, env func(string) string) (out []Settings) {
	config, err := Claude.ConfigDir(env)
	if err != nil {
		return nil
	}
	data, err := ReadSettings(filepath.Join(config, "plugins", "installed_plugins.json"))
	if err != nil || !gjson.ValidBytes(data) {
		return nil
	}
	enabled := enabledPlugins(dir, env)
	gjson.GetBytes(data, "plugins").ForEach(func(name, places gjson.Result) bool {
		if !enabled[name.Str] {
			return true
		}
		var paths []string
		places.ForEach(func(_, place gjson.Result) bool {
			path := filepath.Join(place.Get("installPath").Str, "hooks", "hooks.json")
			if filepath.IsAbs(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
			return true
		})
		for _, path := range paths {
			s := InspectFile(Claude, path, "", env)
			s.Scope, s.Plugin = Plugin, name.Str
			if len(s.Registrations) > 0 {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// enabledPlugins reads "enabledPlugins" of the user's, the project's and the local settings; the later wins.
func enabledPlugins(dir string, env func(string) string) map[string]bool {
	out := map[string]bool{}
	for _, scope := range Claude.scopes() {
		path, root, err := Claude.settingsPath(scope, dir, env)
		if err != nil {
			continue
		}
		t, err := readTarget(path, root)
		if err != nil {
			continue
		}
		d, err := parse(path, t.data)
		if err != nil {
			continue
		}
		if m := d.root.last("enabledPlugins"); m != nil {
			for _, p := range m.value.members {
				out[p.key] = p.value.kind == yes
			}
		}
	}
	return out
}

// Expand is the executable of a registration with what the agent, or its shell, puts in for variables; "" when it cannot
// be told.
func (s *Settings) Expand(r Registration, env func(string) string) string {
	path := r.Path
	if s.Scope == Plugin {
		path = strings.ReplaceAll(path, "${CLAUDE_PLUGIN_ROOT}", filepath.Dir(filepath.Dir(s.Path)))
	}
	if r.Shell != "" {
		path = strings.ReplaceAll(strings.ReplaceAll(path, "${HOME}", env("HOME")), "$HOME", env("HOME"))
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(env("HOME"), rest)
		}
	}
	if strings.ContainsAny(path, "$~") {
		return ""
	}
	if path != "" && !strings.ContainsRune(path, '/') {
		return lookPath(path, env)
	}
	return path
}

// Passing says whether a path will be gone before the settings that name it.
func Passing(path string, env func(string) string) bool { return passing(path, env) }
