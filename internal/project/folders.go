package project

import (
	"path/filepath"
	"slices"
)

// folderVar is a variable that locates this user's files, and the flag of a hook's command line that overrides it.
type folderVar struct {
	flag, name string
	usual      string // the folder without the variable, below the home directory; "" for none
}

var folderVars = [...]folderVar{
	{"--home", "HOME", ""},
	{"--config", "XDG_CONFIG_HOME", ".config"},
	{"--state", "XDG_STATE_HOME", ".local/state"},
	{"--data", "XDG_DATA_HOME", ".local/share"},
	{"--archive", "ABURN_HOME", ""},
}

// registered is set in an environment of FolderEnv that has registered folders. No process's environment can hold a name
// with a NUL.
const registered = "registered\x00"

// FolderArgs are the arguments with which a hook finds the folders of env, whatever its own environment says. A
// repository's agent settings can set the variables of a hook, but not the command line in the user's own settings.
// FolderArgs names a variable only if it changes something, and returns none without a home directory. Slashes are
// forward on every system, so that no shell acts on them.
func FolderArgs(env func(string) string) (args []string) {
	home := env("HOME")
	if !filepath.IsAbs(home) {
		return nil
	}
	home = filepath.Clean(home)
	for _, v := range folderVars {
		dir := env(v.name)
		if !filepath.IsAbs(dir) || v.usual != "" && filepath.Clean(dir) == filepath.Join(home, v.usual) {
			continue
		}
		args = append(args, v.flag, filepath.ToSlash(filepath.Clean(dir)))
	}
	return args
}

// AreFolderArgs reports whether args have the form of FolderArgs' result, with any folders.
func AreFolderArgs(args []string) bool {
	if len(args)%2 != 0 {
		return false
	}
	for i := 0; i < len(args); i += 2 {
		if !slices.ContainsFunc(folderVars[:], func(v folderVar) bool { return v.flag == args[i] }) {
			return false
		}
	}
	return true
}

// FolderEnv is env with the folders of args, a result of FolderArgs. A variable that args do not name is then unset. Args
// without a home directory change nothing.
func FolderEnv(args []string, env func(string) string) func(string) string {
	var dirs [len(folderVars)]string
	for i := 0; i+1 < len(args); i += 2 {
		for n := range folderVars {
			if folderVars[n].flag == args[i] && filepath.IsAbs(args[i+1]) {
				dirs[n] = args[i+1]
			}
		}
	}
	if dirs[0] == "" {
		return env
	}
	return func(name string) string {
		if name == registered {
			return name
		}
		for n := range folderVars {
			if folderVars[n].name == name {
				return dirs[n]
			}
		}
		return env(name)
	}
}

// IsFolderVar reports whether the variable locates this user's files.
func IsFolderVar(name string) bool {
	return slices.ContainsFunc(folderVars[:], func(v folderVar) bool { return v.name == name })
}
