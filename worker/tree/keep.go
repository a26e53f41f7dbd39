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

// Clean proves that the tree holds nothing beside its commits.
func (t *Tree) Clean(ctx context.Context, scratch string) (Proof, error) {
	s, err := t.State(ctx)
	if err != nil {
		return Proof{}, err
	}
	if !s.Clean() {
		return Proof{}, &NotClean{s.Why()}
	}
	state, _, err := t.write(ctx, scratch, 0)
	return Proof{t.Path, state, nil}, err
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
func (t *Tree) Keep(ctx context.Context, scratch, ref string, giveUpIgnored bool) (Kept, Proof, error) {
	s, err := t.State(ctx)
	if err != nil {
		return Kept{}, Proof{}, err
	}
	rest := State{Nested: s.Nested, Midway: s.Midway, Ignored: s.Ignored}
	if giveUpIgnored {
		rest.Ignored = nil
	}
	if why := rest.Why(); why != "" {
		return Kept{}, Proof{}, &NotClean{why}
	}
	k, state, err := t.snapshot(ctx, scratch, ref, s, 0)
	return k, Proof{t.Path, state, s.Ignored}, err
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
	if equal != "" {
		now, _, err := t.write(ctx, scratch, maxUntracked)
		if err != nil {
			return Kept{}, err
		}
		if then, err := t.repo.treesOf(ctx, equal); err == nil && then == now {
			return Kept{Commit: equal, Head: s.Head, Changes: len(s.Changes)}, nil
		}
	}
	k, _, err := t.snapshot(ctx, scratch, ref, s, maxUntracked)
	return k, err
}

func (t *Tree) snapshot(ctx context.Context, scratch, ref string, s *State, most int64) (Kept, trees, error) {
	state, unmerged, err := t.write(ctx, scratch, most)
	if err != nil {
		return Kept{}, state, err
	}
	k := Kept{Ref: ref, Head: state.head, Changes: len(s.Changes)}
	_, large, err := t.untracked(ctx, most)
	if err != nil {
		return k, state, err
	}
	for _, path := range large {
		k.Skipped = append(k.Skipped, path+": more than 10 MiB")
	}
	for _, path := range s.Nested {
		k.Skipped = append(k.Skipped, path+": a repository of its own")
	}
	if unmerged {
		k.Skipped = append(k.Skipped, "the sides of an unfinished merge; its files are kept as they stand")
	}
	k.Skipped = k.Skipped[:min(len(k.Skipped), 8)]
	g := t.g.With("GIT_AUTHOR_NAME=aburn", "GIT_AUTHOR_EMAIL=aburn@localhost", "GIT_COMMITTER_NAME=aburn", "GIT_COMMITTER_EMAIL=aburn@localhost")
	index, err := g.Out(ctx, "commit-tree", state.index, "-p", state.head, "-m", "index of "+filepath.Base(t.Path))
	if err != nil {
		return k, state, err
	}
	args := []string{"commit-tree", state.work, "-p", state.head, "-p", index}
	if state.untracked != "" {
		others, err := g.Out(ctx, "commit-tree", state.untracked, "-m", "untracked files of "+filepath.Base(t.Path))
		if err != nil {
			return k, state, err
		}
		args = append(args, "-p", others)
	}
	if k.Commit, err = g.Out(ctx, append(args, "-m", "aburn: state of "+filepath.Base(t.Path))...); err != nil {
		return k, state, err
	}
	none := strings.Repeat("0", len(k.Commit))
	_, err = g.Out(ctx, "update-ref", ref, k.Commit, none)
	return k, state, err
}

// write puts the three trees of the state into the objects, by copies of the index in scratch. Untracked files of more
// than most bytes are left out; 0 takes all.
func (t *Tree) write(ctx context.Context, scratch string, most int64) (s trees, unmerged bool, err error) {
	dir, err := os.MkdirTemp(scratch, ".index-*")
	if err != nil {
		return s, false, err
	}
	defer os.RemoveAll(dir)
	path, err := t.g.Out(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return s, false, err
	}
	work := filepath.Join(dir, "work")
	if err := copyFile(path, work); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, false, err
	}
	if s.head, err = t.g.Out(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return s, false, err
	}
	others, _, err := t.untracked(ctx, most)
	if err != nil {
		return s, false, err
	}
	g := t.g.With("GIT_INDEX_FILE=" + work)
	conflicts, err := g.Out(ctx, "ls-files", "--unmerged")
	if err != nil {
		return s, false, err
	}
	if unmerged = conflicts != ""; unmerged {
		s.index, err = g.Out(ctx, "rev-parse", s.head+"^{tree}")
	} else {
		s.index, err = g.Out(ctx, "write-tree")
	}
	if err != nil {
		return s, unmerged, err
	}
	if s.work, err = t.writeWork(ctx, g); err != nil {
		return s, unmerged, err
	}
	if len(others) > 0 {
		g := t.g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "others"))
		list := strings.Join(others, "\x00") + "\x00"
		if _, err := g.Feed(ctx, list, "update-index", "--add", "-z", "--stdin"); err != nil {
			return s, unmerged, err
		}
		s.untracked, err = g.Out(ctx, "write-tree")
	}
	return s, unmerged, err
}

// writeWork brings the copied index to what stands in the tree. Marks that hide changes of a file from git are taken off
// the copy where the file is there.
func (t *Tree) writeWork(ctx context.Context, g *git.Git) (string, error) {
	list, err := g.List(ctx, "ls-files", "-v", "-z")
	if err != nil {
		return "", err
	}
	var hidden strings.Builder
	for _, entry := range list {
		tag, path, _ := strings.Cut(entry, " ")
		if tag != "S" && tag == strings.ToUpper(tag) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(t.Path, path)); err == nil {
			hidden.WriteString(path + "\x00")
		}
	}
	if hidden.Len() > 0 {
		for _, mark := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
			if _, err := g.Feed(ctx, hidden.String(), "update-index", mark, "-z", "--stdin"); err != nil {
				return "", err
			}
		}
	}
	if _, err := g.Out(ctx, "add", "--update", "--", t.Path); err != nil {
		return "", err
	}
	return g.Out(ctx, "write-tree")
}

// untracked lists the files that git neither has nor ignores, without those of nested repositories; those of more than most
// bytes apart.
func (t *Tree) untracked(ctx context.Context, most int64) (list, large []string, err error) {
	all, err := t.g.List(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	for _, path := range all {
		st, serr := os.Lstat(filepath.Join(t.Path, path))
		switch {
		case strings.HasSuffix(path, "/"):
		case most > 0 && serr == nil && st.Size() > most:
			large = append(large, path)
		default:
			list = append(list, path)
		}
	}
	return list, large, err
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
	for _, part := range []struct {
		to   *string
		name string
	}{{&s.head, "^1^{commit}"}, {&s.index, "^2^{tree}"}, {&s.work, "^{tree}"}} {
		if *part.to, err = r.g.Out(ctx, "rev-parse", "--verify", "--quiet", commit+part.name); err != nil {
			return s, fmt.Errorf("%s is no kept state", commit)
		}
	}
	s.untracked, _ = r.g.Out(ctx, "rev-parse", "--verify", "--quiet", commit+"^3^{tree}")
	return s, nil
}

// Remove removes the tree. It refuses if the tree is not in the state of the proof any more.
func (t *Tree) Remove(ctx context.Context, scratch string, p Proof) error {
	now, _, err := t.write(ctx, scratch, 0)
	if err != nil {
		return err
	}
	s, err := t.State(ctx)
	if err != nil {
		return err
	}
	if p.path != t.Path || now != p.state || len(s.Nested) > 0 || s.Midway != "" || !slices.Equal(s.Ignored, p.ignored) {
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
