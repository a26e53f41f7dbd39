package install

import (
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

// Errors about the place of settings files.
var (
	ErrNoHome    = errors.New("HOME is not an absolute path")
	ErrNoProject = errors.New("no project here: neither a git repository nor an .oss/ folder")
)

// NoScope means that the agent has no settings file of a scope.
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

// ProjectRoot returns the project around dir: the folder with .oss/, else the root of the git work tree. For a linked
// work tree it is the main checkout, because they share a log. It is never the home directory or above it. Without a
// project the error is ErrNoProject.
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

// ConfigDir returns the folder of this user's settings for the agent.
func (a *Adapter) ConfigDir(env func(string) string) (string, error) { return ConfigDir(a.Agent, env) }

// ConfigDir returns the folder of this user's settings for an agent, an absolute path.
func ConfigDir(a *agentcli.Agent, env func(string) string) (string, error) {
	home := env("HOME")
	if !filepath.IsAbs(home) {
		home = ""
	}
	dir := a.Home.Folder(home, env)
	if dir == "" {
		return "", ErrNoHome
	}
	return filepath.Abs(filepath.FromSlash(dir))
}

// Has reports whether the agent has a settings file of that scope.
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

// settingsPath is the file of the agent's hooks in a scope, and the project that the file must lie in.
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

// maxSettings bounds a settings file, in bytes; real ones have kilobytes.
const maxSettings = 64 << 20

// readTarget reads the file behind path. A missing file is no error; every other failure is. A file whose links lead
// out of root, unless that is "", is refused: a repository could contain such a link.
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

// ReadSettings reads a settings file of the user's; nil if there is none. It refuses pipes and oversized files.
func ReadSettings(path string) ([]byte, error) {
	t, err := readTarget(path, "")
	return t.data, err
}

// resolve follows every link in path. The file need not exist.
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

// resolveDir follows the links of a folder whose last parts may not exist yet.
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

// hookPath decides what the settings call. A project's file calls the bare name, because everybody's program lies
// elsewhere. Other files call aburn-hook as PATH names it, with links unresolved so that an upgrade behind a link
// changes nothing. If PATH has none, they call the one beside the running executable. Where a package manager moves
// either, they call aburn's own copy (place.go).
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
	if path = o.stable(path, hookName); passing(path, o.Env) {
		return "", fmt.Errorf("%w: %s", ErrPassingHook, path)
	}
	return path, nil
}

// Errors about the executable.
var (
	ErrNoHook      = errors.New("no " + hookName + " on PATH or next to aburn")
	ErrPassingHook = errors.New(hookName + " is in a folder for temporary files, and settings outlive it")
)

// lookPath is a program's absolute path by env's PATH; "" if it is not there.
func lookPath(name string, env func(string) string) string {
	for _, dir := range filepath.SplitList(env("PATH")) {
		if path := programIn(dir, name); path != "" {
			return path
		}
	}
	return ""
}

// programIn is the path of an executable program in dir; "" if there is none.
func programIn(dir, name string) string {
	path := filepath.Join(dir, programFile(name))
	st, err := os.Stat(path)
	if err != nil || !filepath.IsAbs(dir) || !st.Mode().IsRegular() || st.Mode().Perm()&0o111 == 0 && runtime.GOOS != "windows" {
		return ""
	}
	return path
}

// programFile is the name of a program's file on this system.
func programFile(name string) string {
	if runtime.GOOS == "windows" && !strings.HasSuffix(name, ".exe") {
		return name + ".exe"
	}
	return name
}

// passing reports whether path is temporary: made by `go run` or `go test`, or in a folder for temporary files. A home
// directory in such a folder does not count, because the settings in it are as temporary.
func passing(path string, env func(string) string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, "go-build") {
			return true
		}
	}
	return project.Temporary(path, env)
}

func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Present returns the agents that this user seems to have: a program on PATH, or a folder of settings. An empty
// result does not prove that there are none.
func Present(agents []Agent, env func(string) string) (out []Agent) {
	for _, a := range agents {
		dir, err := a.ConfigDir(env)
		if a.Executable(env) != "" || err == nil && exists(dir) {
			out = append(out, a)
		}
	}
	return out
}

// Executable returns the path of the agent's program by env's PATH; "" if it is not there.
func (a *Adapter) Executable(env func(string) string) string { return lookPath(a.Program, env) }
