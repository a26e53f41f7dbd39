package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/project"
)

// Registration is one handler in a settings file.
type Registration struct {
	Event   string
	Line    int      // in the file, from 1; 0 for handlers of others
	Path    string   // the executable, as written; "" when the command is more than a program with arguments
	Args    []string // its arguments
	Shell   string   // the command line for a shell; "" in exec form
	Ours    bool     // aburn's hook for this agent
	Wrapped bool     // somebody's own command that names aburn-hook
	Guarded bool     // it succeeds even if the executable is missing
	Timeout string   // as written; "" for the agent's default

	TrustKey, TrustHash string // the agent's record of a trusted handler; "" without such records
}

// Plugin is the scope of a plugin's own hooks. Only Inspect uses it: nothing is installed there.
const Plugin Scope = "plugin"

// Settings is the present state of one settings file of an agent.
type Settings struct {
	Agent         Agent
	Scope         Scope
	Plugin        string // its name, when Scope is Plugin
	Path          string // as the agent names it
	Real          string // links resolved
	Exists        bool
	Err           error          // the file cannot be read, or does not parse (*SyntaxError)
	Registrations []Registration // aburn's own and those that wrap it, in file order
	Others        int            // handlers of others
	Notes         []string       // reasons in the file why hooks do not run
	Moves         []string       // variables of aburn's folders that the file sets for the agent, "line: NAME"
	Status        *Registration  // aburn's status line; nil if the file has none
	Installed     time.Time      // when an install last wrote the file; zero without a record
	Modified      time.Time      // when the file was last written
}

// Own returns aburn's own registrations.
func (s *Settings) Own() (out []Registration) {
	for _, r := range s.Registrations {
		if r.Ours {
			out = append(out, r)
		}
	}
	return out
}

// FolderEnv returns the environment in which the file's hooks look for the user's folders; env itself if they are not
// registered with any. The file has an own registration.
func (s *Settings) FolderEnv(env func(string) string) (hooks func(string) string, registered bool) {
	args := s.Own()[0].Args[1:]
	return project.FolderEnv(args, env), len(args) > 0
}

// Missing returns the agent's events that no own registration covers.
func (s *Settings) Missing() (events []string) {
	have := map[string]bool{}
	for _, r := range s.Own() {
		have[r.Event] = true
	}
	for _, ev := range s.Agent.events() {
		if !have[ev.Name] {
			events = append(events, ev.Name)
		}
	}
	return events
}

// Inspect reads every settings file of the agent that governs sessions started in dir: the user's, and those of the
// project around dir. It changes nothing.
func Inspect(a Agent, dir string, env func(string) string) []Settings {
	var out []Settings
	for _, scope := range a.scopes() {
		path, root, err := a.settingsPath(scope, dir, env)
		if err != nil {
			continue // no project here, or no home
		}
		s := InspectFile(a, path, root, env)
		s.Scope = scope
		out = append(out, s)
	}
	return out
}

// InspectFile is Inspect for one file, which may be a plugin's or an administrator's. The file must lie in root; "" is
// anywhere.
func InspectFile(a Agent, path, root string, env func(string) string) Settings {
	s := Settings{Agent: a, Path: path}
	t, err := readTarget(path, root)
	s.Real, s.Exists, s.Err = t.real, t.exists, err
	if err != nil || !t.exists {
		return s
	}
	if st, err := os.Stat(t.real); err == nil {
		s.Modified = st.ModTime()
	}
	if s.Err = s.read(t.data); s.Err != nil {
		return s
	}
	if r := readRecord(t.real, env); r != nil {
		s.Installed = r.Time
	}
	return s
}

// read fills in what the file's bytes say.
func (s *Settings) read(data []byte) error {
	var all []Registration
	if s.Agent.own != nil {
		var err error
		if all, err = s.Agent.own.registrations(s.Path, data); err != nil {
			return err
		}
	} else {
		d, err := s.Agent.parse(s.Path, data)
		if err != nil {
			return err
		}
		all, s.Notes, s.Moves, s.Status = d.registrations(s.Agent), d.notes(s.Agent), d.moves(), d.status(s.Agent)
	}
	for _, r := range all {
		if r.Ours || r.Wrapped {
			s.Registrations = append(s.Registrations, r)
		} else {
			s.Others++
		}
	}
	return nil
}

// moves finds variables of aburn's folders in the "env" of a file.
func (d *document) moves() (out []string) {
	vars := d.root.last("env")
	if vars == nil {
		return nil
	}
	for _, m := range vars.value.members {
		if project.IsFolderVar(m.key) {
			line, _ := place(d.data, m.keyStart)
			out = append(out, fmt.Sprintf("%d: %s", line, m.key))
		}
	}
	return out
}

// registrations lists all handlers of a file, including others'.
func (d *document) registrations(a Agent) (out []Registration) {
	for _, h := range d.handlers() {
		r := Registration{Event: h.event, Path: h.path, Args: h.args, Shell: h.line, Ours: h.ours(a.Agent), Guarded: h.guarded, Timeout: h.timeout}
		r.Wrapped = !r.Ours && (strings.Contains(h.line, hookName+" ") || strings.Contains(h.path, hookName))
		if r.Ours || r.Wrapped { // counting lines is slow, and a file may have thousands of other handlers
			r.Line, _ = place(d.data, h.value.start)
		}
		if h.guarded && !r.Ours {
			r.Path, r.Args = "", nil
		}
		if a.identify != nil && h.command != nil {
			r.TrustKey, r.TrustHash = a.identify(d, h)
		}
		out = append(out, r)
	}
	return out
}

// Expand returns a registration's executable with the variables of the agent and its shell replaced; "" if that is
// impossible.
func (s *Settings) Expand(r Registration, env func(string) string) string {
	path := r.Path
	if s.Scope == Plugin {
		path = strings.ReplaceAll(path, "${"+s.Agent.Plugin.RootVar+"}", filepath.Dir(filepath.Dir(s.Path)))
	}
	if r.Shell != "" {
		path = strings.ReplaceAll(strings.ReplaceAll(path, "${HOME}", env("HOME")), "$HOME", env("HOME"))
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(env("HOME"), rest)
		}
	}
	if strings.Contains(path, "$") || strings.HasPrefix(path, "~") { // Windows' short names have a ~ inside
		return ""
	}
	if path != "" && !strings.ContainsFunc(path, isSeparator) {
		return lookPath(path, env)
	}
	return path
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

// Passing reports whether a path is temporary, so that settings would outlive it.
func Passing(path string, env func(string) string) bool { return passing(path, env) }

// notes are reasons in the file itself why hooks do not run.
func (d *document) notes(a Agent) (out []string) {
	at := func(v value, format string, args ...any) {
		line, column := place(d.data, v.start)
		out = append(out, fmt.Sprintf("%s:%d:%d: ", d.path, line, column)+fmt.Sprintf(format, args...))
	}
	if a.notes == nil {
		d.duplicates(at)
		return out
	}
	a.notes(d, at)
	return out
}

// duplicates finds keys around hooks that occur twice.
func (d *document) duplicates(at func(value, string, ...any)) {
	look := func(v value, interesting func(string) bool) {
		for i, m := range v.members {
			if last := v.last(m.key); interesting(m.key) && last != &v.members[i] {
				at(m.value, "the key %s is repeated below, and only the last one counts", quote(m.key))
			}
		}
	}
	look(d.root, func(key string) bool { return key == "hooks" })
	if hooks := d.root.last("hooks"); hooks != nil {
		look(hooks.value, func(string) bool { return true })
	}
}

// elsewhere are other scopes' settings files and plugins that call aburn's hook for agent a too.
func (o Options) elsewhere(a Agent) (paths []string) {
	here, _, _ := a.settingsPath(o.Scope, o.Dir, o.Env)
	for _, s := range a.scopes() {
		path, root, err := a.settingsPath(s, o.Dir, o.Env)
		if err != nil || path == here {
			continue
		}
		if s := InspectFile(a, path, root, o.Env); len(s.Own()) > 0 {
			paths = append(paths, path)
		}
	}
	if a.Plugins != nil {
		for _, p := range a.Plugins(a, o.Dir, o.Env) {
			if len(p.Own()) > 0 {
				paths = append(paths, "the plugin "+p.Plugin)
			}
		}
	}
	return paths
}

// twice warns of a second registration: agents merge all files, so both hooks would run at every event.
func (o Options) twice(a Agent) (out []string) {
	for _, path := range o.elsewhere(a) {
		out = append(out, fmt.Sprintf("%s calls the hook too: %s runs both, so every event costs twice; keep one", path, a.Title))
	}
	return out
}

// remaining names settings files that still call the hook after an uninstall of one scope.
func (o Options) remaining() (out []string) {
	for _, a := range o.Agents {
		for _, path := range o.elsewhere(a) {
			out = append(out, fmt.Sprintf("%s still calls the hook", path))
		}
	}
	return out
}
