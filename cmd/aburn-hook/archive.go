package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"aburn/internal/agentcli"
)

// archive starts `aburn ingest`, the one that lies beside this executable, and does not wait: the agent has nothing to do
// with it, and the session's last lines are written only after its hooks. What goes wrong is the next one's business.
func archive(root, worktree string) {
	self, err := os.Executable()
	if err != nil {
		return
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return
	}
	aburn := filepath.Join(filepath.Dir(self), "aburn")
	if runtime.GOOS == "windows" {
		aburn += ".exe"
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	child, err := os.StartProcess(aburn, []string{aburn, "ingest", "--if-idle", "--quiet", "--settle", "2s"}, &os.ProcAttr{
		Dir: filepath.Dir(aburn), Env: archiveEnv(os.Getenv, root, worktree), Files: []*os.File{null, null, null}, Sys: detached(),
	})
	if err != nil {
		return
	}
	humble(child.Pid)
	_ = child.Release()
}

// The variables that say where things lie. Everything else in an agent's environment, its keys above all, stays there.
// Those of agents, which their records name, say where sessions lie; those of users say where the archive is, how long it keeps sessions, and where copies are made meanwhile.
var (
	users  = []string{"ABURN_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "TMPDIR"}
	homes  = []string{"HOME", "USERPROFILE", "LOCALAPPDATA"}
	system = []string{"SystemRoot"}
)

// archiveEnv is the environment of an ingest. Agents let a repository's settings set variables: one that would put the
// archive, in which every project of the user is, or what says how long it is kept, into this project is left out. A
// project can be the user's home itself.
func archiveEnv(env func(string) string, root, worktree string) []string {
	var vars []string
	take := func(names []string, good func(v string) bool) {
		for _, name := range names {
			if v := env(name); name != "" && v != "" && good(v) {
				vars = append(vars, name+"="+v)
			}
		}
	}
	anything := func(string) bool { return true }
	for _, a := range agentcli.All() {
		named := a.Variables()
		take(named[:], anything)
	}
	take(system, anything)
	take(users, func(v string) bool { return filepath.IsAbs(v) && !within(v, root) && !within(v, worktree) })
	take(homes, func(v string) bool { return is(v, root) || is(v, worktree) || !within(v, root) && !within(v, worktree) })
	return vars
}

// is says whether path really is dir.
func is(path, dir string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real == dir
}

// within says whether path, or what its existing part really is, is dir or lies below it.
func within(path, dir string) bool {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real == dir || strings.HasPrefix(real, dir+string(filepath.Separator))
		}
		if path == dir {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}
