package tree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
}

// State looks at the tree.
func (t *Tree) State(ctx context.Context) (*State, error) {
	s := &State{}
	var err error
	if s.Head, err = t.g.Out(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return nil, err
	}
	s.Branch, _ = t.g.Out(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	list, err := t.g.List(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	for _, entry := range list {
		switch code, path := entry[:2], entry[3:]; {
		case code == "!!":
			s.Ignored = append(s.Ignored, path)
		default:
			s.Changes = append(s.Changes, path)
		}
	}
	if s.Nested, err = t.nested(ctx, s.Ignored); err != nil {
		return nil, err
	}
	s.Ignored = t.unknown(s.Ignored)
	if s.Midway, err = t.midway(ctx); err != nil {
		return nil, err
	}
	home, err := t.g.Out(ctx, "for-each-ref", "--count=1", "--contains="+s.Head, "refs/heads", "refs/remotes", "refs/tags")
	s.Homeless = home == ""
	return s, err
}

// Clean reports whether nothing is lost with the tree.
func (s *State) Clean() bool {
	return len(s.Changes) == 0 && len(s.Ignored) == 0 && len(s.Nested) == 0 && s.Midway == "" && !s.Homeless
}

// nested finds repositories inside of the tree: checked out submodules, and clones that nobody added or that are ignored.
func (t *Tree) nested(ctx context.Context, ignored []string) ([]string, error) {
	links, err := t.g.List(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	others, err := t.g.List(ctx, "ls-files", "--others", "--directory", "-z")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range links {
		if meta, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(meta, "160000 ") && t.isRepository(path) {
			found = append(found, path)
		}
	}
	for _, dir := range append(others, ignored...) {
		if strings.HasSuffix(dir, "/") && t.isRepository(dir) {
			found = append(found, dir)
		}
	}
	// Deeper ones: of all files that it lists, git gives only repositories as folders.
	deep, err := t.g.List(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	for _, dir := range deep {
		if strings.HasSuffix(dir, "/") {
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

// midway is the unfinished operation of git, "" if there is none: its own state is in no commit.
func (t *Tree) midway(ctx context.Context) (string, error) {
	dir, err := t.g.Out(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", err
	}
	for _, op := range []struct{ file, name string }{
		{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(dir, op.file)); err == nil {
			return op.name, nil
		}
	}
	return "", nil
}
