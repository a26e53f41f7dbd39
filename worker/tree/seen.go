package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/snapshot"
)

// Seen is a tree in a state that was written, and how one look tells that the tree is still in it. It may be kept in a file, and
// that may be lost.
type Seen struct {
	Commit  string   `json:"commit"`         // the state, in the shape of a stash
	Kept    bool     `json:"kept,omitempty"` // a ref stands there
	Changes int      `json:"changes"`        // files that differ from the commit that is checked out
	Files   []string `json:"files"`          // that differ from where the branch began
	Loose   []string `json:"loose"`          // those that are untracked; they stand in the state's third parent, large ones nowhere

	Head  string `json:"head"` // what is checked out, and that one's tree
	Tree  string `json:"tree"`
	Trees string `json:"trees,omitempty"` // of the state
	Onto  string `json:"onto"`            // where the branch that it began from stood
	Fork  string `json:"fork"`            // where Head leaves that one
	Plain string `json:"plain,omitempty"` // the stamp of an index without marks that hide changes
	Key   string `json:"key,omitempty"`   // of a look at this state; "" where none proves it
}

// Beginning is where the work of a tree begins.
type Beginning struct {
	Base string // the commit that its branch began at
	Onto string // the branch that it began from, as far as that still exists
	At   string // where that stands; "" if it does not exist
}

// BeginningOf is where the work of a tree begins whose branch began at base, and from onto.
func BeginningOf(ctx context.Context, r *Repo, base, onto string) Beginning {
	o := Beginning{Base: base, Onto: onto}
	if onto == "" || onto == "HEAD" {
		return o
	}
	if onto == r.on {
		o.At = r.at
		return o
	}
	r.tips.Lock()
	defer r.tips.Unlock()
	if at, known := r.tipOf[onto]; known {
		o.At = at
		return o
	}
	o.At, _ = r.g.Out(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", onto+"^{commit}")
	if r.tipOf == nil {
		r.tipOf = map[string]string{}
	}
	r.tipOf[onto] = o.At
	return o
}

// Snapshot puts the state of the tree under a new ref. Untracked files above 10 MiB are left out. last is an earlier state; if the
// tree is still in that, nothing is written, and the state's ref is not told.
func (t *Tree) Snapshot(ctx context.Context, scratch string, refs Refs, from Beginning, last Seen) (Kept, Seen, error) {
	return t.see(ctx, scratch, refs, from, last)
}

// Sketch is Snapshot without a ref. git may forget the state after some weeks.
func (t *Tree) Sketch(ctx context.Context, scratch string, from Beginning, last Seen) (Seen, error) {
	_, now, err := t.see(ctx, scratch, Refs{}, from, last)
	return now, err
}

func (t *Tree) see(ctx context.Context, scratch string, refs Refs, from Beginning, last Seen) (k Kept, now Seen, err error) {
	index, err := t.index(ctx)
	if err != nil {
		return k, now, err
	}
	x, err := snapshot.CopyIndex(scratch, index)
	if err != nil {
		return k, now, err
	}
	defer x.Remove()
	if x.Look, err = t.look(ctx, x.Work, false); err != nil {
		return k, now, err
	}
	usable := last.Commit != "" && (last.Kept || refs.Below == "")
	at := place{head: last.Head, tree: last.Tree, fork: last.Fork}
	switch {
	case last.Head != x.Look.Head || last.Onto != from.At:
		if at, err = t.here(ctx, from.Onto); err != nil {
			return k, now, err
		}
	case usable && last.Key != "" && last.Key == t.snapshots().Key(x.Look, x.Stamp, x.At):
		return Kept{Commit: last.Commit, Head: last.Head, Changes: last.Changes}, last, nil
	}
	w, err := t.snapshots().Write(ctx, x, at.head, at.tree, snapshot.MaxUntracked, last.Plain)
	if err != nil {
		return k, now, err
	}
	now = Seen{Kept: refs.Below != "", Changes: len(x.Look.Changes), Head: at.head, Tree: at.tree, Onto: from.At, Trees: w.Trees.String(), Plain: w.Plain,
		Key: w.Key, Loose: x.Look.Untracked}
	if now.Files, now.Fork, err = t.files(ctx, w, at, from.Base); err != nil {
		return k, now, err
	}
	if usable {
		then := last.Trees
		if then == "" {
			s, _ := snapshot.TreesOf(ctx, t.repo.g, last.Commit) // none equals those of what is no state any more
			then = s.String()
		}
		if then == now.Trees {
			now.Commit, now.Kept = last.Commit, last.Kept
			return Kept{Commit: last.Commit, Head: w.Head, Changes: now.Changes}, now, nil
		}
	}
	k, err = t.snapshots().Keep(ctx, scratch, refs, w)
	now.Commit = k.Commit
	return k, now, err
}

// files are those in which a written state differs from where its branch began, and that. Repositories inside of the tree are none.
func (t *Tree) files(ctx context.Context, w *snapshot.Written, at place, base string) (files []string, fork string, err error) {
	fork = t.begins(ctx, at, base)
	if fork == at.head && w.Look.Head == at.head && !w.Look.Twice {
		for _, path := range w.Look.Changes {
			if !strings.HasSuffix(path, "/") {
				files = append(files, path)
			}
		}
	} else if files, err = t.repo.Files(ctx, fork, w.Work); err == nil {
		files = append(files, w.Look.Untracked...)
	}
	slices.Sort(files)
	return slices.Compact(files), fork, err
}

// Contents is all that a tree holds at one moment. It is comparable: the same state gives the same one.
type Contents struct {
	Head  string // the commit that is checked out
	Files string // the names and contents of all files that differ from it; "" if none does
}

// Contents looks at the tree, and writes nothing. Of large files it takes size and time. The error is ErrGone if the tree is not there.
func (t *Tree) Contents(ctx context.Context) (Contents, error) {
	l, err := t.look(ctx, "", false)
	if err != nil {
		return Contents{}, err
	}
	if len(l.Changes) == 0 {
		return Contents{Head: l.Head}, nil
	}
	h := sha256.New()
	for _, path := range l.Changes {
		says, err := contentOf(filepath.Join(t.Path, filepath.FromSlash(path)))
		if err != nil {
			return Contents{}, err
		}
		fmt.Fprintf(h, "%q %s\n", path, says)
	}
	return Contents{l.Head, hex.EncodeToString(h.Sum(nil))}, nil
}

func contentOf(path string) (string, error) {
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "gone", nil
	case err != nil:
		return "", err
	case st.Mode()&fs.ModeSymlink != 0:
		return os.Readlink(path)
	case !st.Mode().IsRegular() || st.Size() > snapshot.MaxUntracked:
		return fmt.Sprint(st.Mode(), st.Size(), st.ModTime().UnixNano()), nil
	}
	text, err := snapshot.ReadSmall(path, snapshot.MaxUntracked)
	return fmt.Sprintf("%v %x", st.Mode(), sha256.Sum256([]byte(text))), err
}
