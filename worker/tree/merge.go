package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/git"
)

// Conflict is a file that two commits change in ways that do not go together.
type Conflict struct {
	Path string `json:"path"`
	Kind string `json:"kind,omitempty"` // git's word: contents, add/add, modify/delete, …
}

// Joined is what the merge of two commits gives. Only objects were written for it.
type Joined struct {
	Tree      string
	Conflicts []Conflict // none: the tree is whole
}

// ErrUnrelated says that two commits have no history in common.
var ErrUnrelated = errors.New("they have no history in common")

// MergeTrees merges two commits, or what they could be, without touching a branch, an index or a file.
func MergeTrees(ctx context.Context, r *Repo, into, from string) (j Joined, err error) {
	code, out, err := r.g.Code(ctx, "merge-tree", "--write-tree", "-z", "--name-only", "--messages", into, from)
	switch {
	case err != nil:
		return j, err
	case code > 1:
		if related, _, err := r.g.Code(ctx, "merge-base", into, from); err == nil && related == 1 {
			return j, ErrUnrelated
		}
		return j, fmt.Errorf("git merge-tree: exit %d", code)
	}
	parts := strings.Split(out, "\x00")
	if j.Tree = parts[0]; j.Tree == "" { // it ends with 1 too where one of them is not there
		return j, fmt.Errorf("git merges no %s and %s", into, from)
	}
	if code == 1 {
		j.Conflicts, _ = conflicts(parts[1:])
	}
	return j, nil
}

// MergeAll is Join of many pairs in one call of git. A pair whose merge says nothing else has an error in its place.
func MergeAll(ctx context.Context, r *Repo, pairs [][2]string) (list []Joined, errs []error) {
	list, errs = make([]Joined, len(pairs)), make([]error, len(pairs))
	if len(pairs) > 1 {
		var in strings.Builder
		for _, p := range pairs {
			in.WriteString(p[0] + " " + p[1] + "\n")
		}
		out, err := r.g.Feed(ctx, in.String(), "merge-tree", "--write-tree", "--stdin", "--name-only", "--messages")
		if err == nil && parseJoins(out, list) {
			return list, errs
		}
	}
	for i, p := range pairs { // also where git 2.38 has no --stdin, or ends at a pair without a history in common
		list[i], errs[i] = MergeTrees(ctx, r, p[0], p[1])
	}
	return list, errs
}

// parseJoins reads, for each pair, whether the merge is clean, its tree, and what conflicts reads.
func parseJoins(out string, list []Joined) bool {
	parts := strings.Split(out, "\x00")
	for i := range list {
		if len(parts) < 2 {
			return false
		}
		clean := parts[0] == "1"
		list[i].Tree = parts[1]
		clash, rest := conflicts(parts[2:])
		if parts = rest; !clean {
			list[i].Conflicts = clash
		}
	}
	return true
}

// conflicts reads what git merge-tree -z says behind the tree: paths, an empty one, then messages up to an empty one. A message is the
// number of its paths, these, its type and its text.
func conflicts(parts []string) (list []Conflict, rest []string) {
	kinds := map[string]string{}
	end := max(slices.Index(parts, ""), 0)
	for rest = parts[min(end+1, len(parts)):]; len(rest) > 0; {
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 || len(rest) < n+3 {
			rest = rest[1:]
			break
		}
		if kind, ok := strings.CutPrefix(rest[n+1], "CONFLICT ("); ok {
			for _, p := range rest[1 : n+1] {
				if kinds[p] == "" {
					kinds[p] = strings.TrimSuffix(kind, ")")
				}
			}
		}
		rest = rest[n+3:]
	}
	names := slices.Clone(parts[:end])
	if len(names) == 0 {
		for p := range kinds {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	for _, p := range slices.Compact(names) {
		list = append(list, Conflict{p, kinds[p]})
	}
	return list, rest
}

// Blobs are the contents of files of kept states, as COMMIT:PATH, in one call of git; "" where there is none.
func (r *Repo) Blobs(ctx context.Context, names []string) ([]string, error) {
	out, err := r.g.Feed(ctx, strings.Join(names, "\n")+"\n", "cat-file", "--batch-check=%(objectname)")
	ids := strings.Split(out, "\n")
	if err == nil && len(ids) != len(names) {
		err = fmt.Errorf("git names %d of %d contents", len(ids), len(names))
	}
	for i, id := range ids {
		if strings.HasSuffix(id, " missing") {
			ids[i] = ""
		}
	}
	return ids, err
}

// Contains reports whether commit has the other one in its history.
func (r *Repo) Contains(ctx context.Context, commit, other string) bool {
	code, _, err := r.g.Code(ctx, "merge-base", "--is-ancestor", other, commit)
	return err == nil && code == 0
}

// CountApart is how many commits each of two has that the other one has not.
func CountApart(ctx context.Context, r *Repo, a, b string) (onlyA, onlyB int, err error) {
	if a == b {
		return 0, 0, nil
	}
	out, err := r.g.Out(ctx, "rev-list", "--count", "--left-right", a+"..."+b, "--")
	if err == nil {
		_, err = fmt.Sscanf(out, "%d\t%d", &onlyA, &onlyB)
	}
	return onlyA, onlyB, err
}

// MergeBase is the last commit that two have in common; "" if there is none.
func MergeBase(ctx context.Context, r *Repo, a, b string) (string, error) {
	code, out, err := r.g.Code(ctx, "merge-base", a, b)
	if err != nil || code != 0 {
		return "", err
	}
	return strings.TrimSpace(out), nil
}

// RemoteCommit is the commit of a ref of a remote's; "" if there is none.
func (r *Repo) RemoteCommit(ctx context.Context, ref string) string {
	at, _ := r.g.Out(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return at
}

// Tip is the commit of a branch; "" if there is none.
func (r *Repo) Tip(ctx context.Context, branch string) string {
	at, _ := r.g.Out(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", "refs/heads/"+branch+"^{commit}")
	return at
}

// Head is the commit that is checked out; "" before the first one.
func (r *Repo) Head(ctx context.Context) string {
	at, _ := r.g.Out(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return at
}

// Same reports whether both are worktrees of one repository.
func (r *Repo) Same(other *Repo) bool { return r.common == other.common }

// CheckedOut is the worktree in which a branch is checked out; "" if it is in none.
func (r *Repo) CheckedOut(ctx context.Context, branch string) (string, error) {
	list, err := r.g.List(ctx, "worktree", "list", "--porcelain", "-z")
	at := ""
	for _, line := range list {
		if path, ok := strings.CutPrefix(line, "worktree "); ok {
			at = path
		}
		if line == "branch refs/heads/"+branch {
			return at, nil
		}
	}
	return "", err
}

// Midway is the operation of git that is not finished in this checkout; "" if there is none.
func (r *Repo) Midway() string { return midway(r.own) }

// Delta is a file in which two commits differ.
type Delta struct {
	Path   string
	Module bool // the later one has a submodule there: git leaves its files to the person
	added  bool
}

// ChangedBetween are the files in which two commits differ.
func ChangedBetween(ctx context.Context, r *Repo, from, to string) (files []Delta, err error) {
	list, err := r.g.List(ctx, "diff", "--raw", "-z", "--no-renames", from, to)
	for i := 0; i+1 < len(list); i += 2 { // ":mode mode content content status", path
		about := strings.Fields(list[i])
		if len(about) != 5 {
			return nil, fmt.Errorf("git's list of files is not understood: %q", list[i])
		}
		files = append(files, Delta{list[i+1], about[1] == "160000", about[4] == "A"})
	}
	return files, err
}

// InTheWay are files of this checkout that going from one commit to another, between which these differ, would write over, though no
// commit holds them: untracked and ignored ones, and those whose changes are hidden from git.
func InTheWay(ctx context.Context, r *Repo, between []Delta) ([]string, error) {
	var added []string
	changed := map[string]bool{}
	for _, d := range between {
		if d.added {
			added = append(added, d.Path)
		} else {
			changed[d.Path] = true
		}
	}
	found, err := untrackedAt(ctx, r, added)
	if err != nil {
		return nil, err
	}
	files, err := r.g.List(ctx, "ls-files", "-v", "-z")
	for _, entry := range files {
		tag, file, _ := strings.Cut(entry, " ")
		if tag == strings.ToUpper(tag) || !changed[file] {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.Root, file)); err == nil {
			found = append(found, file)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), err
}

// untrackedAt are files without a commit at these paths, below them, or above them. Where case does not count, git itself refuses.
func untrackedAt(ctx context.Context, r *Repo, added []string) (found []string, err error) {
	looked, there := map[string]bool{}, []string{}
	for _, name := range added {
		for p := name; p != "." && !looked[p]; p = path.Dir(p) {
			looked[p] = true
			if st, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(p))); err == nil && (p == name || !st.IsDir()) {
				there = append(there, p)
			}
		}
	}
	if len(there) == 0 {
		return nil, nil
	}
	if fold, _ := r.g.Out(ctx, "config", "--type=bool", "core.ignoreCase"); fold == "true" {
		return nil, nil
	}
	for _, p := range there {
		others, err := r.g.List(ctx, "ls-files", "--others", "-z", "--", p)
		if err != nil {
			return nil, err
		}
		found = append(found, others...)
	}
	return found, nil
}

// WriteCommit makes a commit of a tree. Nothing names it yet.
func WriteCommit(ctx context.Context, r *Repo, tree, message string, parents ...string) (string, error) {
	return write(ctx, r.g, tree, message, parents...)
}

func write(ctx context.Context, g *git.Git, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	commit, err := g.Feed(ctx, message, args...)
	var failed *git.Error
	if errors.As(err, &failed) && (strings.Contains(failed.Text, "identity") || strings.Contains(failed.Text, "ident name") ||
		strings.Contains(failed.Text, "auto-detect")) {
		return "", &Problem{"git does not know who you are, and a commit names its author",
			"git config --global user.name NAME; git config --global user.email EMAIL"}
	}
	return commit, err
}

// Subjects are the first lines of the commits that one commit has and another has not, the oldest first.
func Subjects(ctx context.Context, r *Repo, has, lacks string) ([]string, error) {
	out, err := r.g.Out(ctx, "log", "--reverse", "--topo-order", "--no-merges", "--no-color", "--format=%s", lacks+".."+has, "--")
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// Files are the files in which two commits or trees differ.
func (r *Repo) Files(ctx context.Context, from, to string) ([]string, error) {
	return r.g.List(ctx, "diff", "--name-only", "-z", "--no-renames", from, to)
}

// TreeOf is the tree of a commit.
func (r *Repo) TreeOf(ctx context.Context, commit string) (string, error) {
	return r.g.Out(ctx, "rev-parse", "--verify", "--quiet", commit+"^{tree}")
}

// SameFiles reports whether two commits or trees hold the same files.
func SameFiles(ctx context.Context, r *Repo, a, b string) bool {
	out, err := r.g.Out(ctx, "rev-parse", a+"^{tree}", b+"^{tree}")
	one, other, _ := strings.Cut(out, "\n")
	return err == nil && one == other
}

// ErrMoved says that a branch does not stand where it stood.
var ErrMoved = errors.New("it moved meanwhile")

// FastForward brings this checkout, files and branch, from one commit to a later one. It is one call of git, which ends what it
// began even if the caller is killed. Files that no commit holds are not written over.
func FastForward(ctx context.Context, r *Repo, from, to string, hooks bool) error {
	if r.Head(ctx) != from {
		return ErrMoved
	}
	g := r.g.Whole()
	if hooks {
		g = g.Hooked()
	}
	// A branch's own mergeOptions come first, and would do something else.
	_, err := g.Out(context.WithoutCancel(ctx), "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", "--no-squash", "--commit", "--no-edit", "--no-autostash",
		"--no-stat", "--no-verify-signatures", "--no-signoff", to)
	return err
}

// MergeHooked is a merge commit by git itself, with the repository's hooks. A hook that refuses leaves nothing.
func MergeHooked(ctx context.Context, r *Repo, at, from, message string) (string, error) {
	if r.Head(ctx) != at {
		return "", ErrMoved
	}
	ctx = context.WithoutCancel(ctx)
	g := r.g.Whole().Hooked()
	if _, err := g.Out(ctx, "merge", "--quiet", "--no-ff", "--no-squash", "--commit", "--no-edit", "--no-autostash", "--no-stat", "--no-verify-signatures", "-m",
		message, from); err != nil {
		r.g.Code(ctx, "merge", "--abort")
		return "", err
	}
	return r.Head(ctx), nil
}

// MoveBranch moves a branch that is checked out nowhere.
func MoveBranch(ctx context.Context, r *Repo, branch, from, to, why string) error {
	code, _, err := r.g.Code(ctx, "update-ref", "-m", why, "refs/heads/"+branch, to, from)
	if err == nil && code != 0 {
		err = ErrMoved
	}
	return err
}

// Pack makes a commit of all that the tree holds beside its commit. Nothing names it yet. Without changes it is "".
func (t *Tree) Pack(ctx context.Context, scratch, message string) (string, error) {
	at, err := t.here(ctx, "")
	if err != nil {
		return "", err
	}
	now, err := t.everything(ctx, scratch, at)
	if err != nil || now == at.tree {
		return "", err
	}
	return write(ctx, t.g, now, message, at.head)
}

// Adopt makes a commit of Pack the tree's own. No file is touched.
func (t *Tree) Adopt(ctx context.Context, head, commit string) error {
	if at, err := t.g.Out(ctx, "rev-parse", "HEAD"); err != nil || at != head {
		return errors.Join(err, ErrMoved)
	}
	_, err := t.g.Whole().Out(context.WithoutCancel(ctx), "reset", "--quiet", "--mixed", commit)
	return err
}
