package install

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/project"
)

// Errors about where hooks can go.
var (
	ErrNoHome    = errors.New("HOME is not an absolute path")
	ErrNoProject = errors.New("no project here: neither a git work tree nor an .oss/ folder")
)

// NoScope is the error for a scope in which the agent has no settings file.
type NoScope struct {
	Agent Agent
	Scope Scope
}

func (e *NoScope) Error() string {
	var others []string
	for _, s := range e.Agent.scopes() {
		others = append(others, "the "+string(s)+"'s")
	}
	return fmt.Sprintf("%s has no %s settings: only %s", e.Agent.Title, e.Scope, strings.Join(others, " and "))
}

// ProjectRoot is the folder that counts as the project around dir: the one with .oss/, else the root of the git work tree
// (of the main checkout, when dir lies in a linked one: they share a log), but never the home directory or above it.
// ErrNoProject says that there is none.
func ProjectRoot(dir string, env func(string) string) (string, error) {
	p, err := project.Find(dir, env)
	if err == nil {
		return p.Root, nil
	}
	if !errors.Is(err, project.ErrNone) {
		return "", err
	}
	if _, main := project.Checkout(dir, env); main != "" {
		return main, nil
	}
	return "", ErrNoProject
}

// worktreeRoot is ProjectRoot in the caller's own worktree.
func worktreeRoot(dir string, env func(string) string) (string, error) {
	if p, err := project.Find(dir, env); err == nil {
		return p.Worktree, nil
	}
	if worktree, _ := project.Checkout(dir, env); worktree != "" {
		return worktree, nil
	}
	return "", ErrNoProject
}

// ConfigDir is the folder in which the agent keeps this user's settings.
func (a *Adapter) ConfigDir(env func(string) string) (string, error) { return ConfigDir(a.Agent, env) }

// ConfigDir is the folder in which an agent keeps this user's settings.
func ConfigDir(a *agentcli.Agent, env func(string) string) (string, error) {
	variable := func(name string) string {
		if name == "" || !filepath.IsAbs(env(name)) {
			return ""
		}
		return filepath.Clean(env(name))
	}
	if dir := variable(a.Home.Var); dir != "" {
		return dir, nil
	}
	base := cmp.Or(variable(a.Home.BaseVar), env("HOME"))
	if !filepath.IsAbs(base) {
		return "", ErrNoHome
	}
	return filepath.Join(base, a.Home.Dir), nil
}

// Has says whether the agent has a settings file of that scope.
func (a *Adapter) Has(scope Scope) bool { return a.settingsName(scope) != "" }

func (a *Adapter) settingsName(scope Scope) string {
	switch scope {
	case User:
		return a.Settings.User
	case Project:
		return a.Settings.Project
	case Local:
		return a.Settings.Local
	}
	return ""
}

// scopes are the scopes in which the agent has a settings file.
func (a *Adapter) scopes() []Scope {
	return slices.DeleteFunc([]Scope{User, Project, Local}, func(s Scope) bool { return !a.Has(s) })
}

// settingsPath is the file that holds the agent's hooks of that scope, and the project that it must not lead out of.
func (a *Adapter) settingsPath(scope Scope, dir string, env func(string) string) (path, root string, err error) {
	name := a.settingsName(scope)
	switch {
	case name == "":
		return "", "", &NoScope{a, scope}
	case scope == User:
		config, err := a.ConfigDir(env)
		return filepath.Join(config, name), "", err
	case a.Settings.Worktree:
		root, err = worktreeRoot(dir, env)
	default:
		root, err = ProjectRoot(dir, env)
	}
	return filepath.Join(root, name), root, err
}

// target is a settings file as it is now, links resolved.
type target struct {
	path   string // as the agent names it
	real   string // what is read and replaced
	data   []byte
	exists bool
}

// maxSettings is the largest settings file that is touched, in bytes; real ones have kilobytes.
const maxSettings = 64 << 20

// readTarget reads the file behind path. Only a file that is not there is "no file"; whatever else keeps it from being
// read is an error. A project's file that leads out of the project (root) is refused: a repository could place the link.
func readTarget(path, root string) (target, error) {
	t := target{path: path}
	var err error
	if t.real, err = resolve(path); err != nil {
		return t, err
	}
	if root != "" {
		if rel, err := filepath.Rel(root, t.real); err != nil || !filepath.IsLocal(rel) {
			return t, fmt.Errorf("%s leads out of the project to %s", path, t.real)
		}
	}
	st, err := os.Lstat(t.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return t, err
	case !st.Mode().IsRegular():
		return t, fmt.Errorf("%s is not a regular file (%s)", t.real, st.Mode().Type())
	case st.Size() > maxSettings:
		return t, fmt.Errorf("%s has %d bytes: too many for a settings file", t.real, st.Size())
	}
	t.exists = true
	t.data, err = os.ReadFile(t.real)
	return t, err
}

// ReadSettings is an agent's settings file of the user's; nil if there is none. It does not wait at a pipe, and reads no more than a
// settings file can have.
func ReadSettings(path string) ([]byte, error) {
	t, err := readTarget(path, "")
	return t.data, err
}

// resolve follows every link in path, also to a file that does not exist yet.
func resolve(path string) (string, error) {
	for range 40 {
		dir, err := resolveDir(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		st, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if st.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		next, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(dir, next)
		}
		path = next
	}
	return "", fmt.Errorf("%s: too many links", path)
}

// resolveDir follows the links of a folder of which the last part may not exist yet.
func resolveDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
		return real, err
	}
	if st, err := os.Lstat(dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("%s is a link to nothing", dir)
	}
	above, err := resolveDir(filepath.Dir(dir))
	return filepath.Join(above, filepath.Base(dir)), err
}

// hookPath decides what the settings call: the bare name in a project's own file, because everybody has theirs somewhere
// else; otherwise aburn-hook as PATH names it, links unresolved, so that an upgrade behind a link changes nothing; when
// PATH has none, the one beside the running executable.
func hookPath(o Options) (string, error) {
	if o.Scope == Project {
		return hookName, nil
	}
	path := lookPath(hookName, o.Env)
	if path == "" && o.Self != "" {
		path = programIn(filepath.Dir(o.Self), hookName)
	}
	if path == "" {
		return "", ErrNoHook
	}
	if passing(path, o.Env) {
		return "", fmt.Errorf("%w: %s", ErrPassingHook, path)
	}
	return path, nil
}

// Errors about the executable; both are cured by `make install`.
var (
	ErrNoHook      = errors.New("no " + hookName + " on PATH or beside aburn")
	ErrPassingHook = errors.New(hookName + " lies in a folder for temporary files, and settings outlive it")
)

// lookPath is the absolute path of a program as env's PATH names it, "" when it does not.
func lookPath(name string, env func(string) string) string {
	for _, dir := range filepath.SplitList(env("PATH")) {
		if path := programIn(dir, name); path != "" {
			return path
		}
	}
	return ""
}

// programIn is the path of a program in dir, "" when there is none that somebody may run.
func programIn(dir, name string) string {
	path := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	st, err := os.Stat(path)
	if err != nil || !filepath.IsAbs(dir) || !st.Mode().IsRegular() || st.Mode().Perm()&0o111 == 0 && runtime.GOOS != "windows" {
		return ""
	}
	return path
}

// passing says whether path will be gone soon: made by `go run` or `go test`, or in a folder for temporary files. A home
// directory that itself lies in such a folder passes together with the settings in it, so there it does not count.
func passing(path string, env func(string) string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, "go-build") {
			return true
		}
	}
	home := env("HOME")
	if filepath.IsAbs(home) && within(path, home) {
		return false
	}
	for _, dir := range []string{env("TMPDIR"), os.TempDir(), "/tmp", "/var/tmp", "/private/tmp", "/dev/shm"} {
		if filepath.IsAbs(dir) && within(path, dir) {
			return true
		}
	}
	return false
}

// within says whether path lies below dir.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Present are those of the agents that this user seems to have: a program on PATH, or a folder of settings. None means
// that nothing is known, not that there are none.
func Present(agents []Agent, env func(string) string) (out []Agent) {
	for _, a := range agents {
		dir, err := a.ConfigDir(env)
		if a.Executable(env) != "" || err == nil && exists(dir) {
			out = append(out, a)
		}
	}
	return out
}

// Executable is the agent's program as env's PATH names it, "" when it does not.
func (a *Adapter) Executable(env func(string) string) string { return lookPath(a.Program, env) }
