package tree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"aburn/internal/git"
	"aburn/internal/snapshot"
)

// Form is how a difference is told.
type Form uint8

// The forms.
const (
	Patch Form = iota // that git apply takes
	Stat              // for people: how much changed in which file
	List              // for ChangedFiles
)

// Changed is one file of a difference.
type Changed struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"` // where it was before
	Change  string `json:"change"`         // added, deleted, modified, renamed, type
	Added   *int   `json:"added,omitempty"`
	Deleted *int   `json:"deleted,omitempty"` // lines; both absent of what is no text
}

var changes = map[byte]string{'A': "added", 'D': "deleted", 'M': "modified", 'R': "renamed", 'T': "type"}

// ChangedFiles reads a List: git's raw entries, then its counts of lines. A rename has two paths.
func ChangedFiles(list string) (files []Changed, err error) {
	parts := git.SplitNul(list)
	at := map[string]int{}
	for i := 0; i < len(parts); i++ {
		if raw, ok := strings.CutPrefix(parts[i], ":"); ok {
			f := Changed{Change: changes[raw[strings.LastIndexByte(raw, ' ')+1]]}
			if f.Change == "renamed" && i+1 < len(parts) {
				i++
				f.From = parts[i]
			}
			if i++; i >= len(parts) || f.Change == "" {
				return nil, fmt.Errorf("git's list of files is not understood: %q", raw)
			}
			f.Path = parts[i]
			at[f.Path] = len(files)
			files = append(files, f)
			continue
		}
		counts := strings.SplitN(parts[i], "\t", 3)
		if len(counts) == 3 && counts[2] == "" { // a rename: the old path and the new one follow
			i += 2
			counts[2] = parts[min(i, len(parts)-1)]
		}
		n, ok := 0, len(counts) == 3
		if ok {
			n, ok = at[counts[2]]
		}
		if !ok {
			return nil, fmt.Errorf("git's count of lines is not understood: %q", parts[min(i, len(parts)-1)])
		}
		added, err := strconv.Atoi(counts[0])
		deleted, err2 := strconv.Atoi(counts[1])
		if err == nil && err2 == nil {
			files[n].Added, files[n].Deleted = &added, &deleted
		}
	}
	return files, nil
}

// Diff is how the tree differs from where its branch began, untracked files included, and what it leaves out, with the reason. onto
// is the branch that it began from, as far as that still exists: what the worker took over from there since is left out. No content
// is written for it: git compares the files as they stand.
func (t *Tree) Diff(ctx context.Context, scratch, base, onto string, form Form) (text string, left []string, err error) {
	index, err := t.index(ctx)
	if err != nil {
		return "", nil, err
	}
	x, err := snapshot.CopyIndex(scratch, index)
	if err != nil {
		return "", nil, err
	}
	defer x.Remove()
	if x.Look, err = t.look(ctx, x.Work, false); err != nil {
		return "", nil, err
	}
	g := t.g.With("GIT_INDEX_FILE=" + x.Work)
	if len(x.Look.Unmerged) > 0 {
		if _, err := g.Feed(ctx, strings.Join(x.Look.Unmerged, "\x00")+"\x00", "update-index", "-z", "--index-info"); err != nil {
			return "", nil, err
		}
	}
	others, large := t.snapshots().Sized(x.Look, snapshot.MaxUntracked)
	if len(others) > 0 {
		if _, err := g.Feed(ctx, strings.Join(others, "\x00")+"\x00", "add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return "", nil, err
		}
	}
	w := &snapshot.Written{Look: &snapshot.Look{Nested: x.Look.Nested}, Large: large}
	from := base
	if x.Look.Head != base { // without a commit it begins there
		from = t.since(ctx, x.Look.Head, base, onto)
	}
	text, err = differ(ctx, g, form, from)
	return text, w.Skipped(), err
}

// everything is one tree of all files as they stand, untracked ones included, without those that git ignores. It is for a commit, so
// a file that nobody added and that a snapshot would leave out is refused.
func (t *Tree) everything(ctx context.Context, scratch string, at place) (string, error) {
	x, err := snapshot.CopyIndex(scratch, at.index)
	if err != nil {
		return "", err
	}
	defer x.Remove()
	if x.Look, err = t.look(ctx, x.Work, false); err != nil {
		return "", err
	}
	others, large := t.snapshots().Sized(x.Look, snapshot.MaxUntracked)
	if len(large) > 0 {
		return "", &Problem{large[0] + " has more than 10 MiB and was never added: it would stay in the history for ever",
			"git -C " + t.Path + " add " + large[0] + ", if it is to be committed"}
	}
	g := t.g.With("GIT_INDEX_FILE=" + x.Work)
	if _, err := g.Out(ctx, "add", "--update", "--", t.Path); err != nil {
		return "", err
	}
	if len(others) > 0 {
		if _, err := g.Feed(ctx, strings.Join(others, "\x00")+"\x00", "update-index", "--add", "--replace", "-z", "--stdin"); err != nil {
			return "", err
		}
	}
	return g.Out(ctx, "write-tree")
}

// begins is where the work of the tree begins.
func (t *Tree) begins(ctx context.Context, at place, base string) string {
	if at.fork != "" {
		return at.fork
	}
	return t.since(ctx, at.head, base, "")
}

// since is where the work of head begins.
func (t *Tree) since(ctx context.Context, head, base, onto string) string {
	for _, ref := range []string{onto, base} {
		if ref == "" || ref == "HEAD" {
			continue
		}
		if at, err := t.g.Out(ctx, "merge-base", head, ref); err == nil {
			return at
		}
	}
	return base
}

// differ is the difference of two commits or trees, or of one and the files.
func differ(ctx context.Context, g *git.Git, form Form, between ...string) (string, error) {
	args := []string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"}
	switch form {
	case Stat:
		args = append(args, "--stat=100", "--summary")
	case List:
		args = append(args, "--raw", "--numstat", "-z")
	default:
		args = append(args, "--binary")
	}
	return g.Out(ctx, append(append(args, between...), "--")...)
}

// DiffSnapshot is Diff of a kept state.
func DiffSnapshot(ctx context.Context, r *Repo, commit, base, onto string, form Form) (string, error) {
	s, err := snapshot.TreesOf(ctx, r.g, commit)
	if err != nil {
		return "", err
	}
	t := r.Tree(r.Root)
	to := s.Work
	if s.Untracked != "" {
		if to, err = joinedTree(ctx, r, s); err != nil {
			return "", err
		}
	}
	return differ(ctx, r.g, form, t.since(ctx, s.Head, base, onto), to)
}

// joinedTree is one tree of the tracked and the untracked files.
func joinedTree(ctx context.Context, r *Repo, s snapshot.Trees) (string, error) {
	dir, err := os.MkdirTemp("", "aburn-index-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	g := r.g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "all"))
	if _, err := g.Out(ctx, "read-tree", s.Work); err != nil {
		return "", err
	}
	list, err := g.Out(ctx, "ls-tree", "-r", "-z", s.Untracked)
	if err != nil {
		return "", err
	}
	if _, err := g.Feed(ctx, list, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return g.Out(ctx, "write-tree")
}

// DiffBranch is what the branch has since its base, for a worker whose tree is gone.
func DiffBranch(ctx context.Context, r *Repo, branch, base, onto string, form Form) (string, error) {
	t := r.Tree(r.Root)
	return differ(ctx, r.g, form, t.since(ctx, branch, base, onto), branch)
}
