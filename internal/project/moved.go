package project

import (
	"os"
	"path/filepath"
	"strings"
)

// A project that was moved or renamed keeps the key of its first path, once somebody said where it is now: processes of its workers carry
// that key, and holders, ledgers and trees lie in folders of that name. So nothing of them is touched by a move.

// movedFile lists projects that moved, beside the folders of ledgers: a line of key and root each, with a tab between.
const movedFile = "moved"

// KeyOf is the StateKey of the project at root, a real path, by the state folder of this user.
func KeyOf(root, state string) string {
	roots := moved(state)
	for key, at := range roots {
		if at == root {
			return key
		}
	}
	for name := root; ; name += "-again" { // another project may have come to a path that one moved away from
		if key := StateKey(name); roots[key] == "" {
			return key
		}
	}
}

// RootOf is where the project with a key moved to; "" if nobody said so.
func RootOf(key, state string) string { return moved(state)[key] }

func moved(state string) map[string]string {
	data, err := os.ReadFile(filepath.Join(state, LedgersDir, movedFile))
	if err != nil {
		return nil // no project moved
	}
	roots := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if key, root, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			roots[key] = root
		}
	}
	return roots
}

// SetRoot writes down where the project with a key is now.
func SetRoot(key, root, state string) error {
	roots := moved(state)
	text := ""
	for k, at := range roots {
		if k != key && at != root {
			text += k + "\t" + at + "\n"
		}
	}
	if key != StateKey(root) {
		text += key + "\t" + root + "\n"
	}
	return beside(filepath.Join(state, LedgersDir, movedFile), text)
}

// wasSuffix ends the name of the file beside a mark that holds the former roots of the project, one a line.
const wasSuffix = ".was"

// Former are the paths at which this user trusted the .oss that root has now, as far as no project is there any more.
func Former(root string) (paths []string) {
	path, root, err := markOf(root)
	if err != nil {
		return nil
	}
	if was, err := os.ReadFile(path + wasSuffix); err == nil && ofOss(path, root) {
		for line := range strings.Lines(string(was)) {
			paths = append(paths, strings.TrimSuffix(line, "\n"))
		}
	}
	if old := markOfOss(filepath.Dir(path), root); old != "" && old != path {
		if was, err := os.ReadFile(old + rootSuffix); err == nil && !ofOss(old, string(was)) {
			paths = append(paths, string(was))
		}
	}
	return paths
}
