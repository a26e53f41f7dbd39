package main

import (
	"path/filepath"
	"strings"

	"aburn/hooks"
)

// startSnapshot starts `aburn turn-snapshot` and does not wait for it. git is found on the PATH of the agent, without folders of the project: a
// repository's settings may set that variable.
func startSnapshot(env func(string) string, o hooks.SnapshotOrder) bool {
	var path []string
	for _, dir := range filepath.SplitList(env("PATH")) {
		if filepath.IsAbs(dir) && !within(dir, o.Root) && !within(dir, o.Worktree) {
			path = append(path, dir)
		}
	}
	environ := archiveEnv(env, o.Root, o.Worktree)
	if len(path) > 0 {
		environ = append(environ, "PATH="+strings.Join(path, string(filepath.ListSeparator)))
	}
	return startAburn(environ, "-C", o.Worktree, "turn-snapshot", "--session", string(o.Session), "--at", string(o.At), "--of", o.Of) != 0
}
