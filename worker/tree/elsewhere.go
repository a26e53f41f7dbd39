package tree

import (
	"context"
	"strings"

	"aburn/internal/git"
)

// IsElsewhere reports whether all that a kept state says stands in commits on branches, tags or remote branches too. base is a commit
// before the state. What stood before base counts as not found, as a whole history is too long to look through.
//
// A state says what it changes: the file at a path gets a content and a mode, or goes. Contents alone would not do: who renames a
// file, deletes it, makes it executable or takes a change back makes no new content. Each change has to be made by a commit, at the
// same path. The changes are those of the work tree against its commit, those of the index, the untracked files, and those of commits
// that are on no branch any more, such as of one that was squashed.
func IsElsewhere(ctx context.Context, r *Repo, commit, base string) (bool, error) {
	only, err := changesOf(ctx, r, commit, "--not", base, "--branches", "--tags", "--remotes")
	if err != nil || len(only) == 0 {
		return err == nil, err
	}
	others, err := changesOf(ctx, r, "--branches", "--tags", "--remotes", "--not", base)
	if err != nil {
		return false, err
	}
	for c := range only {
		if !others[c] {
			return false, nil
		}
	}
	return true, nil
}

// change is what a commit does to a path. The mode and the content are those that it gets, zeros if it goes.
type change struct{ path, mode, content string }

// changesOf are what the commits of a range do, each against its first parent; that of a kept state is the commit that was checked out.
func changesOf(ctx context.Context, r *Repo, revisions ...string) (map[change]bool, error) {
	commits, err := r.g.Out(ctx, append([]string{"rev-list"}, revisions...)...)
	if err != nil || commits == "" {
		return nil, err
	}
	out, err := r.g.Feed(ctx, commits+"\n", "diff-tree", "--stdin", "--no-commit-id", "--root", "--diff-merges=first-parent",
		"-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	found := map[change]bool{}
	list := git.SplitNul(out)
	for i := 0; i+1 < len(list); i += 2 { // ":mode mode content content status", path
		about := strings.Fields(list[i])
		found[change{list[i+1], about[1], about[3]}] = true
	}
	return found, nil
}
