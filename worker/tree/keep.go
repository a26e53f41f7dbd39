package tree

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
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

func (s trees) String() string {
	return strings.Join([]string{s.head, s.index, s.work, s.untracked}, " ")
}

// Proof says that nothing is lost with a tree in this state.
type Proof struct {
	path  string
	state trees
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
		if !w.asCommitted() {
			return Proof{}, &NotClean{"it has changes that a mark hides from git status, or that came meanwhile"}
		}
	}
	return Proof{path: t.Path, state: trees{head: s.Head}, clean: true}, nil
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
	k, err := t.keep(ctx, scratch, refs, w)
	if err != nil {
		return k, Proof{}, err
	}
	return k, Proof{path: t.Path, state: w.trees, ignored: s.Ignored}, nil
}

// Refs are the names that kept states get: numbers below a name.
type Refs struct {
	Below string
	Next  int // the first number that may be free
}

// keep makes the commits of what was written and puts the last one under a free ref; without refs nothing names it.
func (t *Tree) keep(ctx context.Context, scratch string, refs Refs, w *written) (Kept, error) {
	k := Kept{Head: w.head, Changes: len(w.look.changes), Skipped: w.skipped()}
	var err error
	if k.Commit, err = t.commits(ctx, scratch, w.trees); err != nil || refs.Below == "" {
		return k, err
	}
	none := strings.Repeat("0", len(k.Commit))
	for n := refs.Next; ; n++ {
		k.Ref = refs.Below + "/" + strconv.Itoa(n)
		if _, err = t.g.Out(ctx, "update-ref", k.Ref, k.Commit, none); err == nil || !t.repo.Taken(ctx, k.Ref) {
			return k, err
		}
	}
}

// commits writes the commits of a state in one call. The last one is the state.
func (t *Tree) commits(ctx context.Context, scratch string, s trees) (string, error) {
	dir, err := os.MkdirTemp(scratch, ".commits-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	var files, ids []string
	commit := func(tree, message string, parents ...string) {
		text := "tree " + tree + "\n"
		for _, p := range parents {
			text += "parent " + p + "\n"
		}
		who := fmt.Sprintf("aburn <aburn@localhost> %d +0000", time.Now().Unix())
		text += "author " + who + "\ncommitter " + who + "\n\n" + message + " " + filepath.Base(t.Path) + "\n"
		file := filepath.Join(dir, strconv.Itoa(len(files)))
		err = errors.Join(err, os.WriteFile(file, []byte(text), 0o600))
		files, ids = append(files, file), append(ids, objectID(len(s.head), "commit", text))
	}
	commit(s.index, "index of", s.head)
	parents := []string{s.head, ids[0]}
	if s.untracked != "" {
		commit(s.untracked, "untracked files of")
		parents = append(parents, ids[1])
	}
	commit(s.work, "aburn: state of", parents...)
	if err != nil {
		return "", err
	}
	out, err := t.g.Out(ctx, append([]string{"hash-object", "-t", "commit", "-w", "--no-filters", "--"}, files...)...)
	if err == nil && out != strings.Join(ids, "\n") {
		err = fmt.Errorf("git gave commits other names than %s: %q", strings.Join(ids, ", "), out)
	}
	return ids[len(ids)-1], err
}

// objectID is the name of an object in a repository whose names have so many digits.
func objectID(digits int, kind, content string) string {
	text := fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
	if digits == 2*sha256.Size {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
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
	if s.Head != p.state.head || p.clean && len(s.Changes) > 0 { // what nobody asked to keep is not written
		return &NotClean{"it changed meanwhile"}
	}
	if !p.clean || len(s.hidden) > 0 {
		w, err := t.now(ctx, scratch, s.at, 0)
		if err != nil {
			return err
		}
		if p.clean && !w.asCommitted() || !p.clean && w.trees != p.state {
			return &NotClean{"it changed meanwhile"}
		}
	}
	_, err = t.repo.g.Out(ctx, "worktree", "remove", "--force", t.Path)
	return err
}
