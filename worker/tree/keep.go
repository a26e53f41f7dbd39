package tree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/internal/snapshot"
)

// undoTime is for taking away what was begun, when the person does not wait any more.
const undoTime = time.Minute

// Proof says that nothing is lost with a tree in this state.
type Proof struct {
	path  string
	state snapshot.Trees
	clean bool // it was as its commit says, and of the state only that is set
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
	if len(s.hidden) > 0 {
		w, err := t.now(ctx, scratch, s.at, 0)
		if err != nil {
			return Proof{}, err
		}
		if !w.AsCommitted() {
			return Proof{}, &NotClean{"it has changes that a mark hides from git status, or that came meanwhile"}
		}
	}
	return Proof{path: t.Path, state: snapshot.Trees{Head: s.Head}, clean: true}, nil
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

// Keep puts the whole state of the tree under a new ref, and proves that nothing is lost. Ignored
// files are in the proof only if the person gives them up. Nested repositories and unfinished operations give no proof.
func (t *Tree) Keep(ctx context.Context, scratch string, refs Refs, s *State, giveUpIgnored bool) (Kept, Proof, error) {
	rest := State{Nested: s.Nested, Midway: s.Midway, Ignored: s.Ignored}
	if giveUpIgnored {
		rest.Ignored = nil
	}
	if why := rest.Why(); why != "" {
		return Kept{}, Proof{}, &NotClean{why}
	}
	w, err := t.now(ctx, scratch, s.at, 0)
	if err != nil {
		return Kept{}, Proof{}, err
	}
	k, err := t.snapshots().Keep(ctx, scratch, refs, w)
	if err != nil {
		return k, Proof{}, err
	}
	return k, Proof{path: t.Path, state: w.Trees, ignored: s.Ignored}, nil
}

// Remove removes the tree. It refuses if the tree is not in the state of the proof any more.
func (t *Tree) Remove(ctx context.Context, scratch string, p Proof) error {
	s, err := t.State(ctx)
	if err != nil {
		return err
	}
	if p.path != t.Path || len(s.Nested) > 0 || s.Midway != "" || !slices.Equal(s.Ignored, p.ignored) {
		return &NotClean{"it changed meanwhile"}
	}
	if s.Head != p.state.Head || p.clean && len(s.Changes) > 0 { // what nobody asked to keep is not written
		return &NotClean{"it changed meanwhile"}
	}
	if !p.clean || len(s.hidden) > 0 {
		w, err := t.now(ctx, scratch, s.at, 0)
		if err != nil {
			return err
		}
		if p.clean && !w.AsCommitted() || !p.clean && w.Trees != p.state {
			return &NotClean{"it changed meanwhile"}
		}
	}
	_, err = t.repo.g.Out(ctx, "worktree", "remove", "--force", t.Path)
	return err
}
