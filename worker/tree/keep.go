package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/git"
)

// undoTime is for taking away what was begun, when the person does not wait any more.
const undoTime = time.Minute

// Kept is the whole state of a tree in one commit, in the shape of a stash: its parents are the commit that was checked
// out, the index, and the untracked files if there are any.
type Kept struct {
	Commit, Ref string
	Head        string
	Changes     int      // files that differ from Head
	Skipped     []string // what it does not hold, with the reason
}

// trees are what a state is made of; two equal ones are the same state.
type trees struct{ head, index, work, untracked string }

// Proof says that nothing is lost with a tree in this state.
type Proof struct {
	path  string
	state trees
	// ignored are the files that a person gave up; nil if there are none.
	ignored []string
}

// NotClean is why a tree cannot be removed.
type NotClean struct{ Why string }

func (e *NotClean) Error() string { return e.Why }

// Clean proves that the tree holds nothing beside its commits, as State found.
func (t *Tree) Clean(ctx context.Context, scratch string, s *State) (Proof, error) {
	if !s.Clean() {
		return Proof{}, &NotClean{s.Why()}
	}
	w, err := t.write(ctx, scratch, s.at, 0)
	if err != nil {
		return Proof{}, err
	}
	if w.trees != (trees{head: s.at.head, index: s.at.tree, work: s.at.tree}) {
		return Proof{}, &NotClean{"it has changes that a mark hides from git status, or that came meanwhile"}
	}
	return Proof{t.Path, w.trees, nil}, nil
}

// Why says what a state holds that no commit has; "" if it is clean.
func (s *State) Why() string {
	var why []string
	add := func(list []string, what string) {
		if n := len(list); n > 0 {
			more := ""
			if n > 3 {
				more = ", …"
			}
			why = append(why, fmt.Sprintf("%d %s: %s%s", n, what, strings.Join(list[:min(n, 3)], ", "), more))
		}
	}
	add(s.Changes, "changed")
	add(s.Ignored, "ignored by git, which no snapshot holds")
	add(s.Nested, "with a repository of its own")
	if s.Midway != "" {
		why = append(why, "a "+s.Midway+" is not finished")
	}
	if s.Homeless {
		why = append(why, "its commits are on no branch")
	}
	return strings.Join(why, "; ")
}

// Keep puts the whole state of the tree under the ref, which must not exist, and proves that nothing is lost. Ignored
// files are in the proof only if the person gives them up. Nested repositories and unfinished operations give no proof.
func (t *Tree) Keep(ctx context.Context, scratch, ref string, s *State, giveUpIgnored bool) (Kept, Proof, error) {
	rest := State{Nested: s.Nested, Midway: s.Midway, Ignored: s.Ignored}
	if giveUpIgnored {
		rest.Ignored = nil
	}
	if why := rest.Why(); why != "" {
		return Kept{}, Proof{}, &NotClean{why}
	}
	w, err := t.write(ctx, scratch, s.at, 0)
	if err != nil {
		return Kept{}, Proof{}, err
	}
	k, err := t.keep(ctx, ref, s, w)
	if err != nil {
		return k, Proof{}, err
	}
	return k, Proof{t.Path, w.trees, s.Ignored}, nil
}

// maxUntracked is the largest untracked file that a snapshot takes, in bytes. Keep takes all.
const maxUntracked = 10 << 20

// Snapshot puts the state of the tree under the ref, which must not exist. Untracked files above 10 MiB are left out. Equal is the commit of an earlier snapshot;
// if the state is still the same, that one is returned and nothing is written.
func (t *Tree) Snapshot(ctx context.Context, scratch, ref, equal string) (Kept, error) {
	s, err := t.State(ctx)
	if err != nil {
		return Kept{}, err
	}
	w, err := t.write(ctx, scratch, s.at, maxUntracked)
	if err != nil {
		return Kept{}, err
	}
	if equal != "" {
		if then, err := t.repo.treesOf(ctx, equal); err == nil && then == w.trees {
			return Kept{Commit: equal, Head: s.Head, Changes: len(s.Changes)}, nil
		}
	}
	return t.keep(ctx, ref, s, w)
}

// keep makes the commits of what was written.
func (t *Tree) keep(ctx context.Context, ref string, s *State, w written) (Kept, error) {
	k := Kept{Ref: ref, Head: w.head, Changes: len(s.Changes)}
	for _, path := range w.large {
		k.Skipped = append(k.Skipped, path+": more than 10 MiB")
	}
	for _, path := range s.Nested {
		k.Skipped = append(k.Skipped, path+": a repository of its own")
	}
	if w.unmerged {
		k.Skipped = append(k.Skipped, "the sides of an unfinished merge; its files are kept as they stand")
	}
	k.Skipped = k.Skipped[:min(len(k.Skipped), 8)]
	g := t.g.With("GIT_AUTHOR_NAME=aburn", "GIT_AUTHOR_EMAIL=aburn@localhost", "GIT_COMMITTER_NAME=aburn", "GIT_COMMITTER_EMAIL=aburn@localhost")
	index, err := g.Out(ctx, "commit-tree", w.index, "-p", w.head, "-m", "index of "+filepath.Base(t.Path))
	if err != nil {
		return k, err
	}
	args := []string{"commit-tree", w.work, "-p", w.head, "-p", index}
	if w.untracked != "" {
		others, err := g.Out(ctx, "commit-tree", w.untracked, "-m", "untracked files of "+filepath.Base(t.Path))
		if err != nil {
			return k, err
		}
		args = append(args, "-p", others)
	}
	if k.Commit, err = g.Out(ctx, append(args, "-m", "aburn: state of "+filepath.Base(t.Path))...); err != nil {
		return k, err
	}
	none := strings.Repeat("0", len(k.Commit))
	_, err = g.Out(ctx, "update-ref", ref, k.Commit, none)
	return k, err
}

// written is a state whose trees stand in the objects.
type written struct {
	trees
	large    []string // untracked files that were left out
	unmerged bool     // a merge is not finished
}

// write puts the three trees of the state into the objects, by copies of the index in scratch. Untracked files of more
// than most bytes are left out; 0 takes all.
func (t *Tree) write(ctx context.Context, scratch string, at place, most int64) (w written, err error) {
	dir, err := os.MkdirTemp(scratch, ".index-*")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, "work")
	if err := copyFile(at.index, work); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w, err
	}
	g := t.g.With("GIT_INDEX_FILE=" + work)
	list, err := g.List(ctx, "ls-files", "-v", "--stage", "--others", "--exclude-standard", "-z")
	if err != nil {
		return w, err
	}
	var hidden, others strings.Builder
	for _, e := range entries(list) {
		w.unmerged = w.unmerged || e.unmerged
		if !e.untracked && !e.hidden || strings.HasSuffix(e.path, "/") { // a folder is a repository of its own
			continue
		}
		st, err := os.Lstat(filepath.Join(t.Path, e.path))
		switch {
		case e.hidden && err == nil:
			hidden.WriteString(e.path + "\x00")
		case e.hidden:
		case most > 0 && err == nil && st.Size() > most:
			w.large = append(w.large, e.path)
		default:
			others.WriteString(e.path + "\x00")
		}
	}
	if w.head, w.index = at.head, at.tree; !w.unmerged {
		if w.index, err = g.Out(ctx, "write-tree"); err != nil {
			return w, err
		}
	}
	if w.work, err = t.writeWork(ctx, g, hidden.String()); err != nil || others.Len() == 0 {
		return w, err
	}
	g = t.g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "others"))
	if _, err := g.Feed(ctx, others.String(), "update-index", "--add", "-z", "--stdin"); err != nil {
		return w, err
	}
	w.untracked, err = g.Out(ctx, "write-tree")
	return w, err
}

// writeWork brings the copied index to what stands in the tree. Marks that hide changes of a file from git are taken off
// the copy where the file is there.
func (t *Tree) writeWork(ctx context.Context, g *git.Git, hidden string) (string, error) {
	if hidden != "" {
		for _, mark := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
			if _, err := g.Feed(ctx, hidden, "update-index", mark, "-z", "--stdin"); err != nil {
				return "", err
			}
		}
	}
	if _, err := g.Out(ctx, "add", "--update", "--", t.Path); err != nil {
		return "", err
	}
	return g.Out(ctx, "write-tree")
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// treesOf are the trees of a kept state.
func (r *Repo) treesOf(ctx context.Context, commit string) (s trees, err error) {
	out, err := r.g.Out(ctx, "rev-parse", "--revs-only", commit+"^1^{commit}", commit+"^2^{tree}", commit+"^{tree}", commit+"^3^{tree}") // ends at the first that is not there
	says := strings.Split(out, "\n")
	if err != nil || len(says) < 3 {
		return s, fmt.Errorf("%s is no kept state", commit)
	}
	s.head, s.index, s.work = says[0], says[1], says[2]
	if len(says) > 3 {
		s.untracked = says[3]
	}
	return s, nil
}

// Remove removes the tree. It refuses if the tree is not in the state of the proof any more.
func (t *Tree) Remove(ctx context.Context, scratch string, p Proof) error {
	s, err := t.State(ctx)
	if err != nil {
		return err
	}
	now, err := t.write(ctx, scratch, s.at, 0)
	if err != nil {
		return err
	}
	if p.path != t.Path || now.trees != p.state || len(s.Nested) > 0 || s.Midway != "" || !slices.Equal(s.Ignored, p.ignored) {
		return &NotClean{"it changed meanwhile"}
	}
	_, err = t.repo.g.Out(ctx, "worktree", "remove", "--force", t.Path)
	return err
}

// Restore makes a worktree at path with the kept state: on the branch if that stands at the commit that the state began
// from, or is gone; else on none. It reports which.
func (r *Repo) Restore(ctx context.Context, scratch, path, branch, commit string) (onBranch bool, err error) {
	s, err := r.treesOf(ctx, commit)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(path); err == nil {
		return false, &Problem{path + " exists already", "name another folder with --into"}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	at, _ := r.g.Out(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if onBranch = branch != "" && (at == s.head || at == ""); onBranch {
		onBranch = r.Again(ctx, path, branch, s.head) == nil // it may be checked out elsewhere
	}
	if !onBranch {
		if err := r.add(ctx, path, "--detach", path, s.head); err != nil {
			return false, err
		}
	}
	if err := r.Tree(path).fill(ctx, scratch, s); err != nil {
		r.g.Code(ctx, "worktree", "remove", "--force", path)
		return false, err
	}
	return onBranch, nil
}

// Again makes a worktree at path on a branch that is there, or on one that begins at base.
func (r *Repo) Again(ctx context.Context, path, branch, base string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if !r.Taken(ctx, "refs/heads/"+branch) {
		if err := r.branch(ctx, branch, base); err != nil {
			return err
		}
		return r.add(ctx, path, path, branch)
	}
	if at, err := r.CheckedOut(ctx, branch); err != nil || at != "" && at != path {
		return cmp.Or(err, error(&Problem{branch + " is checked out in " + at, "git -C " + at + " switch another branch"}))
	}
	return r.add(ctx, path, path, branch)
}

// add makes a worktree at path, also where git still knows one that somebody deleted. It then forgets no other one.
func (r *Repo) add(ctx context.Context, path string, args ...string) error {
	list, err := r.g.List(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return err
	}
	args = append([]string{"worktree", "add", "--quiet"}, args...)
	if slices.Contains(list, "worktree "+path) {
		args = slices.Insert(args, 2, "--force")
	}
	_, err = r.g.Out(ctx, args...)
	return err
}

// fill brings a fresh worktree into a state: tracked files, then untracked ones, then the index.
func (t *Tree) fill(ctx context.Context, scratch string, s trees) error {
	if _, err := t.g.Out(ctx, "read-tree", "--reset", "-u", s.work); err != nil {
		return err
	}
	if s.untracked != "" {
		dir, err := os.MkdirTemp(scratch, ".index-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		g := t.g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "others"))
		if _, err := g.Out(ctx, "read-tree", s.untracked); err != nil {
			return err
		}
		if _, err := g.Out(ctx, "checkout-index", "--all"); err != nil {
			return err
		}
	}
	if _, err := t.g.Out(ctx, "read-tree", s.index); err != nil {
		return err
	}
	t.g.Code(ctx, "update-index", "-q", "--refresh") // 1 where files differ, which they may
	return nil
}

// DropRef lets go of a kept state.
func (r *Repo) DropRef(ctx context.Context, ref, commit string) {
	r.g.Code(ctx, "update-ref", "-d", ref, commit)
}
