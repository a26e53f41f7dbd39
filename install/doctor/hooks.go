package doctor

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/install"
)

// twice finds events that call the hook more than once. Claude Code runs identical commands of its settings files once,
// but a plugin's beside them; Codex runs all.
func (e *exam) twice(p *patient) {
	calls := map[string]map[string]string{} // event, then what the agent takes for one command, then the file
	var files []string
	for _, s := range p.own() {
		for n, r := range s.Own() {
			identity := r.Shell + "\x00" + r.Path + "\x00" + strings.Join(r.Args, "\x00")
			if p.Agent == install.Codex || s.Scope == install.Plugin {
				identity += fmt.Sprintf("\x00%s\x00%d", s.Path, n)
			}
			if calls[r.Event] == nil {
				calls[r.Event] = map[string]string{}
			}
			calls[r.Event][identity] = s.Path
		}
		files = append(files, s.Path)
	}
	n := 0
	for _, c := range calls {
		if len(c) > 1 {
			n++
		}
	}
	if n > 0 {
		e.add(p.topic(), Bad, fmt.Sprintf("%d events call the hook more than once, in %s: every call costs, and what has no id is recorded twice", n, strings.Join(files, " and ")),
			"keep one: aburn uninstall-hooks --agent "+string(p.Agent)+" with --user, --project or --local, or disable the plugin")
	}
}

// managedSettings is where an administrator's settings for Claude Code lie. Not verified with a real client.
func managedSettings() []string {
	return []string{"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json"}
}

// disabled finds the switches that turn all hooks off. A project's switch turns off the user's hooks too. The switch in
// the user's, the project's and the local file is among the file's notes already.
func (e *exam) disabled(p *patient) {
	if p.Agent != install.Claude {
		return
	}
	for _, path := range managedSettings() {
		data, err := install.ReadSettings(path)
		if err != nil {
			continue
		}
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
		for _, key := range []string{"disableAllHooks", "allowManagedHooksOnly"} {
			if gjson.GetBytes(data, key).Type == gjson.True {
				e.blame(p, path+" sets "+key+": the administrator does not allow your hooks")
			}
		}
	}
}

// trust looks at what Codex never tells: which hooks it skips.
func (e *exam) trust(p *patient) {
	config := install.ReadCodexConfig(e.Env)
	if config.Err != nil {
		e.addf(p.topic(), Note, "%v: whether Codex trusts the hooks cannot be told", config.Err)
		return
	}
	if config.HooksOff() {
		e.blame(p, config.Path+" switches the feature hooks off", "remove it from [features]")
	}
	for _, s := range p.own() {
		e.trustOf(p, config, s)
	}
}

func (e *exam) trustOf(p *patient, config install.CodexConfig, s *install.Settings) {
	if root := e.root(); s.Scope == install.Project && root != "" && !config.TrustsProject(root) {
		e.blame(p, "Codex does not trust the project "+root+", so it reads no hooks of the project's own", "run codex there and trust the folder")
	}
	count := map[install.Trust]int{}
	own := s.Own()
	for _, r := range own {
		count[config.Trust(s, r)]++
	}
	if count[install.Trusted] == len(own) {
		e.addf(p.topic(), OK, "Codex trusts all %d hooks of %s", len(own), s.Path)
		return
	}
	var parts []string
	for _, t := range []install.Trust{install.Untrusted, install.Modified, install.Disabled} {
		if count[t] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[t], t))
		}
	}
	e.blame(p, fmt.Sprintf("Codex skips hooks of %s without a word: %s", s.Path, strings.Join(parts, ", ")),
		"run codex, then /hooks, then t", "or aburn install-hooks --agent codex --trust-codex")
}

// root is the project's root, "" outside of any.
func (e *exam) root() string {
	if e.p == nil {
		return ""
	}
	return e.p.Root
}
