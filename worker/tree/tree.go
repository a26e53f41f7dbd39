// Package tree gives each worker a git worktree of its own, keeps the whole state of one in a commit, and removes one only
// with a proof that nothing is lost.
//
// # Invariants
//
//   - Looking and keeping change neither the index nor a file of the tree.
//   - A tree is removed only with a Proof, which Clean or Keep gave, and only if its state is still what was proven.
//   - A kept state is a commit in the shape of a stash. Plain git takes it: git stash apply --index COMMIT.
//   - Files that git ignores are never put into git's objects, as they hold secrets. So a tree with ignored files is not
//     clean, and removing it needs the word of a person.
//
// What git itself does not keep is not kept: empty folders, modes other than the executable bit, times. Line ends and
// filters (git-lfs) are applied as in every commit.
package tree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/git"
)

// Problem is a repository in which no worker can work, with a hint of what helps.
type Problem struct{ Text, Advice string }

func (p *Problem) Error() string { return p.Text }

// Hint says what can be done.
func (p *Problem) Hint() string { return p.Advice }

// Repo is a repository with a checkout.
type Repo struct {
	g    *git.Git
	Root string // of the checkout that the person works in
	Main string // of the main checkout, which stays; Root where there is none
}

// Open finds the repository around dir. The error is a *Problem where workers cannot work in it.
func Open(ctx context.Context, dir string, environ []string) (*Repo, error) {
	g := git.In(dir, environ)
	out, err := g.Out(ctx, "rev-parse", "--is-bare-repository", "--is-shallow-repository", "--is-inside-work-tree")
	var failed *git.Error
	switch {
	case errors.Is(err, git.ErrNone):
		return nil, &Problem{"git is not installed: each worker works in a worktree of its own", "install git 2.38 or later"}
	case errors.As(err, &failed):
		return nil, &Problem{dir + " is in no git repository", "git init, and commit once"}
	case err != nil:
		return nil, err
	}
	facts := strings.Fields(out)
	switch {
	case len(facts) != 3 || facts[0] == "true" || facts[2] != "true":
		return nil, &Problem{"the repository is bare: there is no checkout to begin from", "run aburn in a checkout of it"}
	case facts[1] == "true":
		return nil, &Problem{"the repository is shallow: what a worker changed could not be compared or merged", "git fetch --unshallow"}
	}
	root, err := g.Out(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &Repo{g.At(root), root, root}
	list, err := r.g.List(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	// The main one comes first. A bare repository has none, though it stands there.
	if len(list) > 1 && list[1] != "bare" {
		r.Main = strings.TrimPrefix(list[0], "worktree ")
	}
	return r, nil
}

// Commit is the commit that a name means.
func (r *Repo) Commit(ctx context.Context, name string) (string, error) {
	id, err := r.g.Out(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	var failed *git.Error
	if !errors.As(err, &failed) {
		return id, err
	}
	if name == "HEAD" {
		return "", &Problem{"the branch has no commit yet: a worker has nothing to begin from", "git commit"}
	}
	return "", &Problem{fmt.Sprintf("%q is no commit, branch or tag", name), "git branch --all"}
}

// Branch is the name of the branch that is checked out, "" on none.
func (r *Repo) Branch(ctx context.Context) string {
	name, _ := r.g.Out(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	return name
}

// Behind is how many commits the upstream of a branch has that the branch has not; ok is false without an upstream.
func (r *Repo) Behind(ctx context.Context, branch string) (upstream string, n int, ok bool) {
	upstream, err := r.g.Out(ctx, "rev-parse", "--abbrev-ref", "--symbolic-full-name", branch+"@{upstream}")
	if err != nil || branch == "" {
		return "", 0, false
	}
	count, err := r.g.Out(ctx, "rev-list", "--count", branch+".."+upstream)
	if err != nil {
		return "", 0, false
	}
	n, err = strconv.Atoi(count)
	return upstream, n, err == nil
}

// Changed is how many files of the person's own checkout differ from its commit.
func (r *Repo) Changed(ctx context.Context) (int, error) {
	list, err := r.g.With("GIT_OPTIONAL_LOCKS=0").List(ctx, "status", "--porcelain", "-z", "--no-renames")
	return len(list), err
}

// FreeBranch is want, or want with a number behind it where that branch exists.
func (r *Repo) FreeBranch(ctx context.Context, want string) (string, error) {
	if code, _, err := r.g.Code(ctx, "check-ref-format", "--branch", want); err != nil || code != 0 {
		return "", errors.Join(err, &Problem{fmt.Sprintf("%q cannot be the name of a branch", want), "--branch NAME"})
	}
	for n := 1; ; n++ {
		name := want
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if code, _, err := r.g.Code(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+name); err != nil || code != 0 {
			return name, err
		}
	}
}

// Create makes a worktree at path on a new branch that begins at base. What was made is undone if it fails.
func (r *Repo) Create(ctx context.Context, path, branch, base string) (*Tree, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, &Problem{path + " exists already", "move it away"}
	}
	_, err := r.g.Out(ctx, "worktree", "add", "--quiet", "--no-track", "-b", branch, path, base)
	if err == nil {
		err = r.Tree(path).complete(ctx)
	}
	if err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		defer cancel()
		r.Undo(undo, path, branch, base, NobodyWorked)
		return nil, err
	}
	return r.Tree(path), nil
}

// complete finds files that could not be written: git worktree add has been seen to end with 0 on a full disk.
func (t *Tree) complete(ctx context.Context) error {
	missing, err := t.g.List(ctx, "ls-files", "--deleted", "-z")
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%d files could not be written, %s first: is there no space left?", len(missing), missing[0])
	}
	return err
}

// Worked says whether an agent may have changed a tree that a failed spawn made.
type Worked bool

// The two cases.
const (
	NobodyWorked          Worked = false
	SomebodyMayHaveWorked Worked = true
)

// Undo takes away what a spawn that failed made: the tree, and the branch if nothing was committed on it. A tree in which
// somebody worked stays whole, and false is returned.
func (r *Repo) Undo(ctx context.Context, path, branch, base string, worked Worked) bool {
	if t := r.Tree(path); worked == SomebodyMayHaveWorked && t.Exists(ctx) {
		if s, err := t.State(ctx); err != nil || !s.Clean() || s.Head != base {
			return false
		}
	}
	r.g.Code(ctx, "worktree", "remove", "--force", path)
	os.RemoveAll(path)
	r.g.Code(ctx, "worktree", "prune")
	r.DropBranch(ctx, branch, base)
	return true
}

// DropBranch removes a branch that still stands at base; one with commits stays. It reports whether the branch is gone.
func (r *Repo) DropBranch(ctx context.Context, branch, base string) bool {
	code, _, err := r.g.Code(ctx, "update-ref", "-d", "refs/heads/"+branch, base)
	return err == nil && code == 0
}

// Tree is one worktree.
type Tree struct {
	g      *git.Git
	repo   *Repo
	Path   string
	copied map[string]Copied
}

// Tree is the worktree at path, which may be gone.
func (r *Repo) Tree(path string) *Tree { return &Tree{g: r.g.At(path), repo: r, Path: path} }

// Commits are the folders outside of the tree that a commit writes: its own bookkeeping, and the objects, refs and logs that
// all trees share. The repository's settings and hooks lie in none of them.
func (t *Tree) Commits(ctx context.Context) ([]string, error) {
	out, err := t.g.Out(ctx, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	own, common, _ := strings.Cut(out, "\n")
	return commits(own, common), nil
}

func commits(own, common string) []string {
	list := []string{own}
	for _, name := range []string{"objects", "refs", "logs"} {
		if dir := filepath.Join(common, name); isDir(dir) {
			list = append(list, dir)
		}
	}
	return list
}

func isDir(path string) bool {
	st, err := os.Lstat(path) // a link may lead to the settings
	return err == nil && st.IsDir()
}

// WouldCommit is Commits of a tree that does not stand yet.
func (r *Repo) WouldCommit(ctx context.Context, path string) ([]string, error) {
	common, err := r.g.Out(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	return commits(filepath.Join(common, "worktrees", filepath.Base(path)), common), err
}

// Exists reports whether the tree is there, and git knows it.
func (t *Tree) Exists(ctx context.Context) bool {
	if st, err := os.Lstat(filepath.Join(t.Path, ".git")); err != nil || !st.Mode().IsRegular() {
		return false
	}
	root, err := t.g.Out(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return false
	}
	a, errA := os.Stat(root)
	b, errB := os.Stat(t.Path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

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

// Clean reports whether nothing is lost with the tree.
func (s *State) Clean() bool {
	return len(s.Changes) == 0 && len(s.Ignored) == 0 && len(s.Nested) == 0 && s.Midway == "" && !s.Homeless
}

// State looks at the tree.
func (t *Tree) State(ctx context.Context) (*State, error) {
	look := t.g.With("GIT_OPTIONAL_LOCKS=0")
	s := &State{}
	var err error
	if s.Head, err = look.Out(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return nil, err
	}
	s.Branch, _ = look.Out(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	list, err := look.List(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching", "--ignore-submodules=none")
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
	home, err := look.Out(ctx, "for-each-ref", "--count=1", "--contains="+s.Head, "refs/heads", "refs/remotes", "refs/tags")
	s.Homeless = home == ""
	return s, err
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

// Ahead is how many commits a branch has since a commit.
func (r *Repo) Ahead(ctx context.Context, since, branch string) (int, error) {
	count, err := r.g.Out(ctx, "rev-list", "--count", since+".."+branch, "--")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(count)
}

// Holds reports whether a ref stands at a commit.
func (r *Repo) Holds(ctx context.Context, ref, commit string) bool {
	at, err := r.g.Out(ctx, "rev-parse", "--verify", "--quiet", ref)
	return err == nil && at == commit
}

// Taken reports whether there is a ref of this name.
func (r *Repo) Taken(ctx context.Context, ref string) bool {
	code, _, err := r.g.Code(ctx, "show-ref", "--verify", "--quiet", ref)
	return err == nil && code == 0
}
