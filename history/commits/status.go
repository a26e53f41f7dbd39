package commits

import (
	"context"
	"strings"
)

// Change is a file that differs from the commit that is checked out.
type Change struct {
	Path string
	What string // modified, added, deleted, renamed, untracked, conflict
}

// Status says what is checked out in the worktree, and what isn't committed. Ignored files are left out.
func (r *Repo) Status(ctx context.Context) (head string, list []Change, err error) {
	fields, err := r.plain.List(ctx, "status", "--porcelain=v1", "-z", "--branch", "--untracked-files=normal", "--ignore-submodules=dirty")
	for i := 0; i < len(fields) && err == nil; i++ {
		code, path, ok := cutStatus(fields[i])
		switch {
		case !ok:
		case code == "##":
			head, _, _ = strings.Cut(path, "...")
		default:
			list = append(list, Change{path, wordOf(code)})
			if strings.ContainsAny(code, "RC") {
				i++ // the old path
			}
		}
	}
	return head, list, err
}

func cutStatus(field string) (code, path string, ok bool) {
	if len(field) < 4 {
		return "", "", false
	}
	return field[:2], field[3:], true
}

func wordOf(code string) string {
	switch {
	case code == "??":
		return "untracked"
	case strings.Contains(code, "U") || code == "AA" || code == "DD":
		return "conflict"
	case strings.Contains(code, "R"):
		return "renamed"
	case strings.Contains(code, "D"):
		return "deleted"
	case strings.Contains(code, "A"):
		return "added"
	}
	return "modified"
}
