package install

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
)

// Claude is the adapter for Claude Code's settings.
var Claude = &Adapter{
	Agent:   &agentcli.Claude,
	Examine: claudeManaged, Likely: claudeLikely, Session: claudeSession, Plugins: claudePlugins,
	TrustsFolder: claudeTrustsFolder,
	servers:      serverFile{claudeServerPath}, notes: claudeNotes, rules: true,
}

// claudeNotes finds the switch that turns all hooks off, and duplicate keys.
func claudeNotes(d *document, at func(value, string, ...any)) {
	if m := d.root.last("disableAllHooks"); m != nil && m.value.kind == yes {
		at(m.value, "disableAllHooks is on: Claude Code runs no hook at all")
	}
	d.duplicates(at)
}

// claudeServerPath is the file with Claude Code's MCP servers of a scope. The user's is not settings.json but
// .claude.json, which also holds Claude Code's own state. A project's lies in the work tree in which a session
// starts.
func claudeServerPath(scope Scope, dir string, env func(string) string) (path, root string, err error) {
	switch scope {
	case User:
		if env(agentcli.Claude.Home.Var) != "" {
			dir, err := ConfigDir(&agentcli.Claude, env)
			return filepath.Join(dir, ".claude.json"), "", err
		}
		home := env("HOME")
		if !filepath.IsAbs(home) {
			return "", "", ErrNoHome
		}
		return filepath.Join(home, ".claude.json"), "", nil
	case Project:
		root, err = worktreeRoot(dir, env)
		return filepath.Join(root, ".mcp.json"), root, err
	}
	return "", "", ErrNoLocalServer
}

// claudeTrustsFolder reads the answer to the dialog of the first start. A linked worktree inherits that of its main checkout.
func claudeTrustsFolder(root string, env func(string) string) bool {
	path, _, err := claudeServerPath(User, "", env)
	if err != nil {
		return false
	}
	data, err := ReadSettings(path)
	return err == nil && gjson.GetBytes(data, "projects").Map()[root].Get("hasTrustDialogAccepted").Bool()
}

// claudePlugins finds plugins that are enabled in dir and call aburn's hook. The settings name the enabled plugins,
// and plugins/installed_plugins.json says where they lie. That format is not documented (as of 2.1.329), so entries
// of another shape are skipped. A plugin given with --plugin-dir cannot be found.
func claudePlugins(a Agent, dir string, env func(string) string) (out []Settings) {
	config, err := a.ConfigDir(env)
	if err != nil {
		return nil
	}
	data, err := ReadSettings(filepath.Join(config, "plugins", "installed_plugins.json"))
	if err != nil || !gjson.ValidBytes(data) {
		return nil
	}
	enabled := enabledPlugins(a, dir, env)
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
			s := InspectFile(a, path, "", env)
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
func enabledPlugins(a Agent, dir string, env func(string) string) map[string]bool {
	out := map[string]bool{}
	for _, scope := range a.scopes() {
		path, root, err := a.settingsPath(scope, dir, env)
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

// managedSettings are the paths of an administrator's settings for Claude Code. They are not verified with a real
// client.
func managedSettings() []string {
	return []string{"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json"}
}

// claudeManaged finds an administrator's switches that turn all hooks off. claudeNotes finds the switches in all other
// files; a project's turns off the user's hooks too.
func claudeManaged(Exam) (out []Finding) {
	for _, path := range managedSettings() {
		data, err := ReadSettings(path)
		if err != nil {
			continue
		}
		data = bytes.TrimPrefix(data, utf8BOM)
		for _, key := range []string{"disableAllHooks", "allowManagedHooksOnly"} {
			if gjson.GetBytes(data, key).Type == gjson.True {
				out = append(out, Finding{Bad: true, Text: path + " sets " + key + ": the administrator does not allow your hooks"})
			}
		}
	}
	return out
}

func claudeLikely(x Exam, s *Session) string {
	everywhere := func(s *Settings) bool { return s.Scope == User || s.Scope == Plugin }
	if s.Cwd == x.Root || slices.ContainsFunc(x.Own, everywhere) {
		return ""
	}
	return "it was started in " + s.Cwd + ", and Claude Code reads a project's settings only in the folder that it is started in"
}

// claudeSession reads a transcript. Its file name is the session's id; records of the conversation have a cwd and a
// time. Other records prove no activity.
func claudeSession(s *Session, r gjson.Result) {
	s.ID = strings.TrimSuffix(filepath.Base(s.Path), ".jsonl")
	if kind := r.Get("type").Str; kind != "user" && kind != "assistant" {
		return
	}
	at, err := time.Parse(time.RFC3339, r.Get("timestamp").Str)
	if err != nil {
		return
	}
	s.See(at)
	if s.Cwd == "" {
		s.Cwd = r.Get("cwd").Str
	}
}
