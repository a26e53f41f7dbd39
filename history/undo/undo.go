package undo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/snapshot"
)

// Snapshot is a state in git.
type Snapshot struct {
	Ref, Commit string
	Time        time.Time
}

// Question is what to undo.
type Question struct {
	Session   string
	Snapshots []Snapshot // of the worktree by any session, the oldest first: the state to go back to, and last the one of now
	Calls     []Call
	Only      []string // files and folders; none means all
	Side      Side
	Own       func(p string) bool // aburn's own files
	// Times, unless nil, replaces what the file system says.
	Times func(p string) (Times, bool)
}

// Answer is what an undo would do.
type Answer struct {
	Steps   []Step
	Commits []string // made since, the newest first
}

// Ask works out what an undo does. It writes nothing.
func (s *Store) Ask(ctx context.Context, q Question) (a Answer, err error) {
	e := &Evidence{Session: q.Session, Root: s.Tree.Path, Calls: q.Calls, Times: q.Times}
	if e.Times == nil {
		e.Times = s.times
	}
	known := map[string]map[string]File{}
	for _, one := range q.Snapshots {
		if known[one.Commit] == nil {
			if known[one.Commit], err = s.Files(ctx, one.Commit, q.Own); err != nil {
				return a, err
			}
		}
		e.States = append(e.States, &State{Ref: one.Ref, Commit: one.Commit, Time: one.Time, Files: known[one.Commit]})
	}
	if err := s.readChanged(ctx, e, q.Only); err != nil {
		return a, err
	}
	e.Sum = func(i int, p string) string { return s.Sum(ctx, p, e.States[i].Files[p]) }
	pl := &Planner{Evidence: e, Side: q.Side, Committed: map[string]bool{}, Hidden: s.hidden,
		Merge: func(p string, ours []byte, base, theirs File) ([]byte, bool, error) {
			return s.Merge(ctx, p, ours, base, theirs)
		},
		Bytes: func(p string, f File) ([]byte, error) { return s.Bytes(ctx, p, f) },
	}
	if len(q.Only) > 0 {
		pl.Only = func(p string) bool { return Under(p, q.Only) }
	}
	if a.Commits, err = s.committed(ctx, e, pl.Committed); err != nil {
		return a, err
	}
	a.Steps, err = pl.Steps()
	return a, err
}

// readChanged reads all files that differ between two states, with a few calls of git.
func (s *Store) readChanged(ctx context.Context, e *Evidence, only []string) error {
	for i, state := range e.States {
		files := map[string]File{}
		for _, next := range []int{i - 1, i + 1} {
			for p, f := range state.Files {
				if next >= 0 && next < len(e.States) && e.States[next].Files[p] != f && (len(only) == 0 || Under(p, only)) {
					files[p] = f
				}
			}
		}
		if err := s.Read(ctx, files); err != nil {
			return err
		}
	}
	return nil
}

// committed notes the paths that differ between the commits of the first state and now, and returns the commits since.
func (s *Store) committed(ctx context.Context, e *Evidence, paths map[string]bool) ([]string, error) {
	from, err := snapshot.TreesOf(ctx, s.Tree.Git, e.States[0].Commit)
	if err != nil {
		return nil, err
	}
	to, err := snapshot.TreesOf(ctx, s.Tree.Git, e.States[e.last()].Commit)
	if err != nil || from.Head == to.Head {
		return nil, err
	}
	list, err := s.Tree.Git.List(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", from.Head, to.Head)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		paths[p] = true
	}
	out, err := s.Tree.Git.Out(ctx, "rev-list", "--max-count=100", from.Head+".."+to.Head)
	return strings.Fields(out), err
}

// times are those of a path, or of the nearest folder above it.
func (s *Store) times(p string) (t Times, ok bool) {
	for {
		st, err := os.Lstat(filepath.Join(s.Tree.Path, filepath.FromSlash(p)))
		if err == nil {
			t.Content = st.ModTime()
			t.Inode, _ = snapshot.Changed(st)
			return t, true
		}
		if !errors.Is(err, fs.ErrNotExist) || p == "." {
			return t, false
		}
		p = path.Dir(p)
	}
}

// hidden reports whether a file stands at a path.
func (s *Store) hidden(p string) bool {
	st, err := os.Lstat(filepath.Join(s.Tree.Path, filepath.FromSlash(p)))
	return err == nil && !st.IsDir()
}

// Do writes what was answered: first the plan under PendingRef, then the files. before is the snapshot of now, of which the answer is. Files
// that changed meanwhile are left, and so named in the plan's steps. The caller notes the undo, and then calls Finish.
func (s *Store) Do(ctx context.Context, q Question, a *Answer) (*Plan, error) {
	root, err := os.OpenRoot(s.Tree.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	now := q.Snapshots[len(q.Snapshots)-1]
	p := &Plan{Session: q.Session, To: q.Snapshots[0].Ref, Before: now.Ref, Steps: a.Steps}
	if p.Moves, err = s.Moves(ctx, root, p.Steps); err != nil {
		return nil, err
	}
	if len(p.Moves) == 0 {
		return p, nil
	}
	if err := s.Keep(ctx, p, now.Commit); err != nil {
		return nil, err
	}
	return p, p.Apply(root)
}

// Apply writes the files of a plan, or goes on with it.
func (p *Plan) Apply(root *os.Root) error {
	left, err := Apply(root, p.Moves, p.mark())
	p.leave(left)
	return err
}

// TakeBack brings the files of a plan back to the state before.
func (p *Plan) TakeBack(root *os.Root) error {
	left, err := Apply(root, Reversed(p.Moves), p.mark())
	p.leave(left)
	return err
}

func (p *Plan) mark() string { return p.Commit[:12] }

// leave notes the files that could not be written.
func (p *Plan) leave(left map[string]error) {
	for i := range p.Steps {
		if err := left[p.Steps[i].Path]; err != nil {
			p.Steps[i].Action, p.Steps[i].Reason, p.Steps[i].Why = Leave, Conflict, err.Error()
		}
	}
}

// Redo takes the last undo back: the same moves the other way around, as a plan of their own.
func (s *Store) Redo(ctx context.Context, done *Plan, before Snapshot) (*Plan, error) {
	root, err := os.OpenRoot(s.Tree.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &Plan{Session: done.Session, To: done.Before, Before: before.Ref, Redo: true, Moves: Reversed(done.Moves)}
	for _, st := range done.Steps {
		if st.Action != Leave {
			p.Steps = append(p.Steps, reversed(st))
		}
	}
	if err := s.Keep(ctx, p, before.Commit); err != nil {
		return nil, err
	}
	return p, p.Apply(root)
}

// reversed is what a redo does with the file of a step.
func reversed(st Step) Step {
	switch st.Action {
	case Return:
		st.Action = Remove
	case Remove:
		st.Action = Return
	default:
		st.Action = Restore
	}
	st.Why = ""
	return st
}
