package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/proc"
)

// TreesDir is the folder in the user's state that holds the trees of workers, by the key of their project.
const TreesDir = "trees"

// StateKey names a project in paths of the user's state: its folder's name and a part of the hash of its path.
func StateKey(root string) string {
	sum := sha256.Sum256([]byte(root))
	return slug(filepath.Base(root)) + "-" + hex.EncodeToString(sum[:4])
}

// CloneKey names the repository that the workers of the project with this key have elsewhere: on other machines, which may serve
// many, and as a clone here. ledgers is the folder of the project's ledgers.
func CloneKey(key, ledgers string) string {
	sum := sha256.Sum256([]byte(proc.Host() + "\x00" + ledgers))
	return key + "-" + hex.EncodeToString(sum[:4])
}

// Folders of the user's state, by the key of a project: its workers' ledgers, and repositories for workers. Such a repository is a clone
// of a project here, or belongs to a project of another machine.
const (
	LedgersDir = "workers"
	FarDir     = "far"
)

// Original is the root of the marked project whose workers stand in the clone at root; root itself if it is no such clone.
func Original(root string, env func(string) string) string {
	state := StateDir(env)
	if state == "" || filepath.Base(filepath.Dir(root)) != FarDir {
		return root
	}
	if state = realPath(state); filepath.Dir(root) != filepath.Join(state, FarDir) {
		return root
	}
	for _, one := range Marked(env) {
		key := KeyOf(one, state)
		if CloneKey(key, filepath.Join(state, LedgersDir, key)) == filepath.Base(root) {
			return one
		}
	}
	return root
}

// slug keeps what is harmless in a path.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
	return s[:min(len(s), 40)]
}

// NoteTrees remembers that trees of the project with this key lie in another folder than that of the state: who removes a tree leaves
// nothing but its path. A folder is noted once; two who note it at the same time may both, which is harmless.
func NoteTrees(state, key, place string) error {
	noted := filepath.Join(state, TreesDir, key+placesSuffix)
	old, err := os.ReadFile(noted)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.Contains(strings.Split(string(old), "\n"), place) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(noted), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(noted, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(place + "\n")
	return errors.Join(err, f.Close())
}

// placesSuffix ends the name of the file beside a project's trees that has the other folders of its trees, one a line. No key has a dot.
const placesSuffix = ".places"

// OfTree is the root of the marked project whose worker has, or had, its tree around dir, "" if dir is in no such place. The tree may be
// removed: then its path is all that is left of it.
func OfTree(dir string, env func(string) string) string {
	state := StateDir(env)
	if state == "" || dir == "" {
		return ""
	}
	key := treesKey(filepath.Clean(dir), state)
	if key == "" {
		return ""
	}
	roots := Marked(env)
	if i := slices.IndexFunc(roots, func(root string) bool { return KeyOf(root, state) == key }); i >= 0 {
		return Original(roots[i], env)
	}
	return ""
}

// treesKey is the key of the project in whose folder of trees dir lies, "" if it lies in none.
func treesKey(dir, state string) string {
	folders := []string{filepath.Join(state, TreesDir)}
	if real, err := filepath.EvalSymlinks(state); err == nil && real != state {
		folders = append(folders, filepath.Join(real, TreesDir))
	}
	for _, folder := range folders {
		if dir != folder && inside(dir, folder) {
			key, _, _ := strings.Cut(dir[len(folder)+1:], string(filepath.Separator))
			return key
		}
	}
	notes, _ := os.ReadDir(folders[0])
	for _, note := range notes {
		key, ok := strings.CutSuffix(note.Name(), placesSuffix)
		if !ok {
			continue
		}
		noted, _ := os.ReadFile(filepath.Join(folders[0], note.Name()))
		for place := range strings.Lines(string(noted)) {
			if place = strings.TrimSuffix(place, "\n"); filepath.IsAbs(place) && dir != place && inside(dir, place) {
				return key
			}
		}
	}
	return ""
}
