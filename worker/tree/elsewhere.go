package tree

import (
	"context"
	"strings"
)

// Elsewhere reports whether each file of a kept state stands in a commit on a branch, a tag or a remote branch too, as it is there. base
// is a commit before the state. Files of commits before base count as not found, as a whole history is too long to look through.
func (r *Repo) Elsewhere(ctx context.Context, commit, base string) (bool, error) {
	only, err := r.files(ctx, commit, "--not", base, "--branches", "--tags", "--remotes")
	if err != nil || len(only) == 0 {
		return err == nil, err
	}
	others, err := r.files(ctx, "--branches", "--tags", "--remotes", "--not", base)
	if err != nil {
		return false, err
	}
	for id := range only {
		if !others[id] {
			return false, nil
		}
	}
	return true, nil
}

// files are the contents that commits of a range brought.
func (r *Repo) files(ctx context.Context, revisions ...string) (map[string]bool, error) {
	args := []string{"rev-list", "--objects", "--no-object-names", "--filter=object:type=blob", "--filter-provided-objects"}
	out, err := r.g.Out(ctx, append(args, revisions...)...)
	ids := map[string]bool{}
	for id := range strings.Lines(out) {
		ids[strings.TrimSuffix(id, "\n")] = true
	}
	return ids, err
}
