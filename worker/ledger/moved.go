package ledger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/project"
	"aburn/worker"
)

// A project may be moved or renamed while it has workers. Their ledgers say the old paths: project.SetRoot says where it is now, and a
// reader puts the new paths in place of the old ones. No byte of a ledger changes.

// Stranded is the workers of a project that are recorded for a path where it is no more.
type Stranded struct {
	Key, Root string
	Names     []string
}

// StrandedFrom finds the workers of the project that is at root now. It knows them by the former paths of the project, as its mark has
// them, or by a worktree of theirs that the project's repository has.
func StrandedFrom(root string, worktrees []string, env func(string) string) (list []Stranded) {
	state := project.StateDir(env)
	if state == "" {
		return nil
	}
	former := project.Former(root)
	dirs, _ := os.ReadDir(filepath.Join(state, project.LedgersDir))
	for _, d := range dirs {
		s := &Store{Dir: filepath.Join(state, project.LedgersDir, d.Name()), Key: d.Name()}
		was := s.root(state, d.Name())
		if was == "" || was == root {
			continue
		}
		s.Project = was
		names, _ := s.Names()
		ours, others := s.owners(names, worktrees)
		moved := slices.Contains(former, was)
		if exists(filepath.Join(was, project.OssDir)) { // another project came to that path, and may have workers by now
			moved = moved && s.Key == project.StateKey(was) && others == 0
			ours = 0
		}
		if moved || ours > 0 {
			list = append(list, Stranded{s.Key, was, names})
		}
	}
	return list
}

// owners counts the trees of workers that are among the worktrees of a repository, and others that are there.
func (s *Store) owners(names, worktrees []string) (ours, others int) {
	for _, name := range names {
		e, err := s.Book(name).Request()
		switch {
		case err != nil || e.Tree == "":
		case slices.Contains(worktrees, e.Tree):
			ours++
		case exists(e.Tree):
			others++
		}
	}
	return ours, others
}

// root is where the project of a folder of ledgers is; "" if it has no worker.
func (s *Store) root(state, key string) string {
	names, _ := s.Names()
	for _, name := range names {
		if was := s.projectOf(name); was != "" {
			if now := project.RootOf(key, state); now != "" {
				return now
			}
			return was
		}
	}
	return ""
}

// relocate puts the paths of a project that moved into entries of a ledger that was begun at another root.
func (b *Book) relocate(was string, entries []Entry) {
	if b.store == nil || was == "" || b.store.Project == "" || was == b.store.Project {
		return
	}
	for i := range entries {
		if e := &entries[i]; e.Kind == worker.Requested {
			e.Tree, e.Repo = relocated(e.Tree, was, b.store.Project), relocated(e.Repo, was, b.store.Project)
		}
	}
}

// relocated is a path in a folder that moved, or of a folder around it that moved with it.
func relocated(path, was, now string) string {
	const sep = string(filepath.Separator)
	if path == was || strings.HasPrefix(path, was+sep) {
		return now + path[len(was):]
	}
	if below, ok := strings.CutPrefix(was, path+sep); ok && path != "" { // the repository has the project in a folder of its own
		if at, ok := strings.CutSuffix(now, sep+below); ok {
			return at
		}
	}
	return path
}
