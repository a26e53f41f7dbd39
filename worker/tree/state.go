package tree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/snapshot"
)

// State is what a tree holds beside its commit.
type State struct {
	Head     string
	Branch   string   // "" on none
	Changes  []string // paths of tracked and untracked files that differ from Head
	Ignored  []string // files and folders that git ignores, without those that are as they were copied
	Nested   []string // repositories inside of it, whose work no commit of this one holds
	Midway   string   // an operation of git that is not finished: merge, rebase, …
	Homeless bool     // Head is on no branch, tag or remote

	at     place
	hidden []string // files whose changes a mark hides from git
}

// State looks at the tree. The error is ErrGone if it is not there.
func (t *Tree) State(ctx context.Context) (*State, error) {
	s, l, err := t.brief(ctx, true)
	if err != nil {
		return nil, err
	}
	if s.Nested, err = t.nested(ctx, s, l); err != nil {
		return nil, err
	}
	s.Ignored = t.unknown(l.Ignored)
	if s.Branch == "" { // else it is on that one
		home, err := t.g.Out(ctx, "for-each-ref", "--count=1", "--contains="+s.Head, "refs/heads", "refs/remotes", "refs/tags")
		if s.Homeless = home == ""; err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Brief is State by one call of git, without what only a removal has to know: what git ignores, repositories inside, and whether the
// commit is on a branch.
func (t *Tree) Brief(ctx context.Context) (*State, error) {
	s, _, err := t.brief(ctx, false)
	return s, err
}

func (t *Tree) brief(ctx context.Context, ignored bool) (*State, *snapshot.Look, error) {
	l, err := t.look(ctx, "", ignored)
	if err != nil {
		return nil, nil, err
	}
	own, err := t.bookkeeping(ctx)
	if err != nil {
		return nil, nil, err
	}
	s := &State{Head: l.Head, Branch: l.Branch, Midway: midway(own), Changes: l.Changes, at: place{dir: own, index: filepath.Join(own, "index"), head: l.Head}}
	if !t.keptIn(own) || l.Unsure {
		at, err := t.here(ctx, "")
		if err != nil {
			return nil, nil, err
		}
		s.Branch = at.branch
	}
	return s, l, nil
}

// Clean reports whether nothing is lost with the tree.
func (s *State) Clean() bool {
	return len(s.Changes) == 0 && len(s.Ignored) == 0 && len(s.Nested) == 0 && s.Midway == "" && !s.Homeless
}

// nested finds repositories inside of the tree: checked out submodules, and clones that nobody added or that are ignored. It also
// finds the files whose changes are hidden.
func (t *Tree) nested(ctx context.Context, s *State, l *snapshot.Look) ([]string, error) {
	list, err := t.g.List(ctx, "ls-files", "-v", "--stage", "--others", "--directory", "-z")
	found := slices.DeleteFunc(slices.Clone(l.Nested), func(path string) bool { return !t.isRepository(path) })
	all := snapshot.Entries(list)
	s.hidden = t.snapshots().Hidden(all)
	for _, e := range all {
		link, dir := e.Mode == "160000", e.Untracked && strings.HasSuffix(e.Path, "/") // also one that git takes for no repository
		if (link || dir) && t.isRepository(e.Path) {
			found = append(found, e.Path)
		}
	}
	for _, dir := range l.Ignored {
		if strings.HasSuffix(dir, "/") && t.isRepository(dir) {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), err
}

func (t *Tree) isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(t.Path, dir, ".git"))
	return err == nil
}

// midway is the unfinished operation of git by a folder of its bookkeeping, "" if there is none: its own state is in no commit.
func midway(dir string) string {
	for _, op := range []struct{ file, name string }{
		{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(dir, op.file)); err == nil {
			return op.name
		}
	}
	return ""
}
