package main

import (
	"os"
	"path/filepath"
	"strings"

	"aburn/hooks"
	"aburn/internal/agentcli"
)

// startIngest starts `aburn ingest`, which lies beside this executable, and does not wait for it: the agent must not
// wait, and it writes the session's last lines only after its hooks. A failure is ignored: the next ingest makes up
// for it.
func startIngest(env func(string) string, root, worktree string) {
	if pid := startAburn(archiveEnv(env, root, worktree), "ingest", "--if-idle", "--quiet", "--settle", "2s"); pid != 0 {
		lowerPriority(pid)
	}
}

// startAburn starts the aburn that lies beside this executable, and returns its process; 0 if it can't be started.
func startAburn(environ []string, args ...string) (pid int) {
	aburn, err := beside()
	if err != nil {
		return 0
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0
	}
	defer null.Close()
	child, err := os.StartProcess(aburn, append([]string{aburn}, args...), &os.ProcAttr{
		Dir: filepath.Dir(aburn), Env: environ, Files: []*os.File{null, null, null}, Sys: detached(),
	})
	if err != nil {
		return 0
	}
	pid = child.Pid
	_ = child.Release()
	return pid
}

// startSnapshot starts `aburn turn-snapshot` and does not wait for it.
func startSnapshot(env func(string) string, o hooks.SnapshotOrder) bool {
	environ := archiveEnv(env, o.Root, o.Worktree)
	if path := pathOutside(env("PATH"), o.Root, o.Worktree); path != "" {
		environ = append(environ, "PATH="+path)
	}
	return startAburn(environ, "-C", o.Worktree, "turn-snapshot", "--session", string(o.Session), "--at", string(o.At), "--of", o.Of) != 0
}

// The variables that an ingest gets beside those of the agents' records, which say where sessions lie. Nothing else of
// an agent's environment is passed on, above all no keys. The users' variables say where the archive is, how long it
// keeps sessions, on which desktop a budget's notice appears, and where temporary copies go.
var (
	users  = []string{"ABURN_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR"}
	homes  = []string{"HOME", "USERPROFILE", "LOCALAPPDATA"}
	system = []string{"SystemRoot"}
)

// archiveEnv is the environment of an ingest. Agents let a repository's settings set variables, and the archive holds
// every project of the user. So a variable that would move the archive or its settings into this project is left out.
// A project can be the user's home itself.
func archiveEnv(env func(string) string, root, worktree string) []string {
	var vars []string
	add := func(names []string, good func(v string) bool) {
		for _, name := range names {
			if v := env(name); name != "" && v != "" && good(v) {
				vars = append(vars, name+"="+v)
			}
		}
	}
	anything := func(string) bool { return true }
	for _, a := range agentcli.All() {
		named := a.Variables()
		add(named[:], anything)
	}
	add(system, anything)
	add(users, func(v string) bool { return filepath.IsAbs(v) && !within(v, root) && !within(v, worktree) })
	add(homes, func(v string) bool {
		return resolvesTo(v, root) || resolvesTo(v, worktree) || !within(v, root) && !within(v, worktree)
	})
	return vars
}

func resolvesTo(path, dir string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real == dir
}

// within reports whether path is dir or lies below it, with the links of its existing part resolved.
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
