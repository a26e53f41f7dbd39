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
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"aburn/internal/git"
	"aburn/internal/snapshot"
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

	own, common string // git's folders of this checkout alone, and of what all checkouts share

	at, on string // the commit and branch that were checked out; at is empty where Open could not say

	once       sync.Once // for checkout
	looked     *snapshot.Look
	lookFailed error

	tips  sync.Mutex
	tipOf map[string]string // where branches stood when Beginning asked
}

// Open finds the repository around dir. The error is a *Problem where workers cannot work in it.
func Open(ctx context.Context, dir string, environ []string) (*Repo, error) {
	const head = "HEAD^{commit}"
	g := git.In(dir, environ)
	code, out, err := g.Code(ctx, "rev-parse", "--is-bare-repository", "--is-shallow-repository", "--is-inside-work-tree",
		// ends early where there is no checkout, or no commit: then it prints head itself
		"--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel", head, "--symbolic-full-name", "HEAD")
	if errors.Is(err, git.ErrNone) {
		return nil, &Problem{"git is not installed: each worker works in a worktree of its own", "install git 2.38 or later"}
	}
	if err != nil {
		return nil, err
	}
	facts := strings.Split(out, "\n")
	switch {
	case len(facts) < 3:
		return nil, &Problem{dir + " is in no git repository", "git init, and commit once"}
	case facts[0] == "true" || facts[2] != "true":
		return nil, &Problem{"the repository is bare: there is no checkout to begin from", "run aburn in a checkout of it"}
	case facts[1] == "true":
		return nil, &Problem{"the repository is shallow: what a worker changed could not be compared or merged", "git fetch --unshallow"}
	case !(code == 0 && len(facts) == 8) && !(code != 0 && len(facts) == 7 && facts[6] == head):
		return nil, &Problem{"git does not say where the checkout of " + dir + " is, or its path has a line break", "git rev-parse --show-toplevel"}
	}
	own, common, root := facts[3], facts[4], facts[5]
	r := &Repo{g: g.At(root), Root: root, Main: root, own: own, common: common}
	if len(facts) == 8 {
		r.at, r.on = facts[6], named(facts[7])
	}
	if own == common && common == filepath.Join(root, ".git") {
		return r, nil // this is the main checkout
	}
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

// plainName reports whether git surely takes a word as the name of a branch.
func plainName(word string) bool {
	for part := range strings.SplitSeq(word, "/") {
		if part == "" || part[0] == '-' || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}

// maxPacked bounds the file of packed refs that is read here, in bytes.
const maxPacked = 8 << 20

// CreateWorktree makes a worktree at path on a new branch that begins at base. What was made is undone if it fails.
func CreateWorktree(ctx context.Context, r *Repo, path, branch, base string) (*Tree, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, &Problem{path + " exists already", "move it away"}
	}
	err := r.branch(ctx, branch, base)
	var refused *git.Error
	if errors.As(err, &refused) {
		return nil, err // the branch is another one's
	}
	if err == nil {
		_, err = r.g.Out(ctx, "worktree", "add", "--quiet", path, branch)
	}
	if err == nil {
		err = r.Tree(path).complete(ctx)
	}
	if err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		defer cancel()
		UndoWorktree(undo, r, path, branch, base, NobodyWorked)
		return nil, err
	}
	return r.Tree(path), nil
}

// CheckOutWorktree makes a worktree at path on a branch that is there. What was made is undone if it fails.
func CheckOutWorktree(ctx context.Context, r *Repo, path, branch string) error {
	if _, err := os.Lstat(path); err == nil {
		return &Problem{path + " exists already", "move it away"}
	}
	err := RemakeWorktree(ctx, r, path, branch, "")
	if err == nil {
		err = r.Tree(path).complete(ctx)
	}
	if err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		defer cancel()
		UndoWorktree(undo, r, path, "", "", NobodyWorked)
	}
	return err
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

// UndoWorktree takes away what a spawn that failed made: the tree, and the branch if nothing was committed on it; "" is none. A tree in which
// somebody worked stays whole, as does one of which git cannot say that, and false is returned.
func UndoWorktree(ctx context.Context, r *Repo, path, branch, base string, worked Worked) bool {
	if _, err := os.Lstat(path); worked == SomebodyMayHaveWorked && !errors.Is(err, fs.ErrNotExist) {
		if s, err := r.Tree(path).State(ctx); err != nil || !s.Clean() || s.Head != base {
			return false
		}
	}
	r.g.Code(ctx, "worktree", "remove", "--force", path)
	os.RemoveAll(path)
	r.g.Code(ctx, "worktree", "prune")
	if branch != "" {
		DropBranch(ctx, r, branch, base)
	}
	return true
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
// all trees share. The repository's settings and hooks lie in none of them. An agent may have changed the file that names the
// bookkeeping, so it counts only where that names this tree in turn.
func (t *Tree) Commits(ctx context.Context) ([]string, error) {
	own, err := t.bookkeeping(ctx)
	if err != nil {
		return nil, err
	}
	if !t.keptIn(own) {
		return nil, &Problem{filepath.Join(t.Path, ".git") + " does not lead to what git keeps of this tree: somebody changed it", "git worktree repair " + t.Path}
	}
	return commits(own, t.repo.common), nil
}

// bookkeeping is git's folder of this tree alone. Git is asked only where the tree's file does not say it in the usual way.
func (t *Tree) bookkeeping(ctx context.Context) (own string, err error) {
	text, err := snapshot.ReadSmall(filepath.Join(t.Path, ".git"), maxLink)
	own, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "gitdir: ")
	if err == nil && ok && t.keptIn(own) {
		return own, nil
	}
	return t.g.Out(ctx, "rev-parse", "--path-format=absolute", "--git-dir")
}

// index is the path of the tree's index.
func (t *Tree) index(ctx context.Context) (string, error) {
	if st, err := os.Lstat(filepath.Join(t.Path, ".git")); err != nil || !st.Mode().IsRegular() {
		return "", ErrGone
	}
	own, err := t.bookkeeping(ctx)
	if err != nil {
		if _, gone := t.here(ctx, ""); gone != nil {
			err = gone
		}
		return "", err
	}
	return filepath.Join(own, "index"), nil
}

// keptIn reports whether a folder is where git keeps its bookkeeping of this linked worktree.
func (t *Tree) keptIn(own string) bool {
	if filepath.Dir(own) != filepath.Join(t.repo.common, "worktrees") || !isDir(own) {
		return false
	}
	back, err := snapshot.ReadSmall(filepath.Join(own, "gitdir"), maxLink)
	if back = strings.TrimSuffix(back, "\n"); !filepath.IsAbs(back) {
		back = filepath.Join(own, back)
	}
	if err != nil {
		return false
	}
	there, err := os.Stat(filepath.Dir(back))
	here, err2 := os.Stat(t.Path)
	return err == nil && err2 == nil && os.SameFile(there, here)
}

// maxLink bounds a file that names a folder, in bytes.
const maxLink = 8 << 10

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
func (r *Repo) WouldCommit(path string) []string {
	return commits(filepath.Join(r.common, "worktrees", filepath.Base(path)), r.common)
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

// Refs are the commits at which all refs below a name stand.
func (r *Repo) Refs(ctx context.Context, below string) (map[string]string, error) {
	out, err := r.g.Out(ctx, "for-each-ref", "--format=%(refname) %(objectname)", below)
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		ref, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[ref] = commit
	}
	return refs, err
}

// Taken reports whether there is a ref of this name.
func (r *Repo) Taken(ctx context.Context, ref string) bool { return snapshot.Taken(ctx, r.g, ref) }
