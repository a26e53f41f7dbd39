package install

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Registration is one handler in a settings file, as far as it concerns aburn.
type Registration struct {
	Event   string
	Line    int      // in the file, from 1; 0 for handlers of others
	Path    string   // the executable, as written; "" when the command is more than a program with arguments
	Args    []string // its arguments
	Shell   string   // the command line for a shell; "" in exec form
	Ours    bool     // it is aburn's hook for this agent
	Wrapped bool     // it is not, but names aburn-hook: somebody's own wrapping
	Timeout string   // as written; "" is the agent's default

	TrustKey, TrustHash string // what the agent records about the handler once it is trusted, if it does
}

// Plugin is the scope of a plugin's own hooks. Nothing is installed there: it is for Inspect's answers.
const Plugin Scope = "plugin"

// Settings is one settings file of an agent, as it is now.
type Settings struct {
	Agent         Agent
	Scope         Scope
	Plugin        string // its name, when Scope is Plugin
	Path          string // as the agent names it
	Real          string // links resolved
	Exists        bool
	Err           error          // it cannot be read, or does not parse (*SyntaxError)
	Registrations []Registration // aburn's own and those that wrap it, in file order
	Others        int            // handlers of others
	Notes         []string       // what in the file keeps hooks from running
	Installed     time.Time      // when an install last wrote it; zero when no record says so
	Modified      time.Time      // when anybody last wrote it
}

// Own are the registrations that are aburn's own.
func (s *Settings) Own() (out []Registration) {
	for _, r := range s.Registrations {
		if r.Ours {
			out = append(out, r)
		}
	}
	return out
}

// Missing are the events of the agent that no own registration covers.
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

// Inspect reads every settings file of the agent that governs sessions started in dir: the user's, and the project's if
// dir lies in one. Nothing is changed.
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

// InspectFile is Inspect for one file, which may be one that aburn never writes: a plugin's, or an administrator's. A
// project's file must not lead out of root; "" is anywhere.
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
	d, err := parse(path, t.data)
	if err != nil {
		s.Err = err
		return s
	}
	for _, r := range d.registrations(a) {
		if r.Ours || r.Wrapped {
			s.Registrations = append(s.Registrations, r)
		} else {
			s.Others++
		}
	}
	s.Notes = d.notes(a)
	if r := readRecord(t.real, env); r != nil {
		s.Installed = r.Time
	}
	return s
}

// registrations lists all handlers of a file, those of others too.
func (d *document) registrations(a Agent) (out []Registration) {
	for _, h := range d.handlers() {
		r := Registration{Event: h.event, Path: h.path, Args: h.args, Shell: h.line, Ours: h.ours(a.Agent), Timeout: h.timeout}
		r.Wrapped = !r.Ours && (strings.Contains(h.line, hookName+" ") || strings.Contains(h.path, hookName))
		if r.Ours || r.Wrapped { // counting lines is slow, and a file can hold thousands of others
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

// Expand is the executable of a registration with what the agent, or its shell, puts in for variables; "" when it cannot
// be told.
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
