package snapshot

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/git"
)

// Written is a state whose trees stand in the objects.
type Written struct {
	Trees
	Commit string // the tree of Head
	Look   *Look
	Key    string   // of Look; "" where it proves nothing
	Plain  string   // the stamp of an index without marks that hide changes
	Large  []string // untracked files that were left out
}

// AsCommitted reports whether the state is that of its commit.
func (w *Written) AsCommitted() bool {
	return w.Index == w.Commit && w.Work == w.Commit && w.Untracked == ""
}

// Skipped is what the state does not hold, with the reason.
func (w *Written) Skipped() (list []string) {
	for _, path := range w.Large {
		list = append(list, path+": more than 10 MiB")
	}
	for _, path := range w.Look.Nested {
		list = append(list, path+": a repository of its own")
	}
	if len(w.Look.Unmerged) > 0 {
		list = append(list, "the sides of an unfinished merge; its files are kept as they stand")
	}
	return list[:min(len(list), 8)]
}

// Index is a copy of the tree's index: git works with that, and changes the tree's own one never.
type Index struct {
	dir, Work string
	Stamp     string // of the index before it was copied; "" if it may change and look the same
	At        time.Time
	Look      *Look
}

// CopyIndex copies the index below scratch. The copy gets its time: git compares the times of files with that to tell which ones it has to
// read. The caller removes it.
func CopyIndex(scratch, index string) (x *Index, err error) {
	x = &Index{At: time.Now()}
	x.Stamp, _ = Stamp(index, x.At)
	if x.dir, err = os.MkdirTemp(scratch, ".index-*"); err != nil {
		return nil, err
	}
	x.Work = filepath.Join(x.dir, "work")
	st, err := os.Stat(index)
	if err == nil {
		if err = copyFile(index, x.Work); err == nil {
			err = os.Chtimes(x.Work, st.ModTime(), st.ModTime())
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.Remove()
		return nil, err
	}
	return x, nil
}

// Remove removes the copy.
func (x *Index) Remove() { os.RemoveAll(x.dir) }

// Write puts the three trees of the state into the objects. head is the commit that is checked out, tree its tree or "". Untracked files
// of more than most bytes are left out; 0 takes all. An index with the stamp plain has no marks that hide changes.
func (t *Tree) Write(ctx context.Context, x *Index, head, tree string, most int64, plain string) (w *Written, err error) {
	if tree == "" {
		if tree, err = t.Git.Out(ctx, "rev-parse", "--verify", "--quiet", head+"^{tree}"); err != nil {
			return nil, err
		}
	}
	w = &Written{Look: x.Look, Commit: tree, Trees: Trees{Head: head, Index: tree}}
	moved := x.Look.Head != head
	g := t.Git.With("GIT_INDEX_FILE=" + x.Work)
	var hidden []string
	if w.Plain = x.Stamp; x.Stamp == "" || x.Stamp != plain {
		list, err := g.List(ctx, "ls-files", "-v", "--stage", "-z")
		if err != nil {
			return w, err
		}
		if hidden = t.Hidden(Entries(list)); len(hidden) > 0 {
			w.Plain = ""
		}
	}
	if w.Plain != "" && !moved {
		w.Key = t.Key(x.Look, x.Stamp, x.At)
	}
	if len(x.Look.Unmerged) == 0 && (x.Look.Staged || moved) {
		if w.Index, err = g.Out(ctx, "write-tree"); err != nil {
			return w, err
		}
	}
	if w.Work = w.Index; x.Look.Edited || len(hidden) > 0 || len(x.Look.Unmerged) > 0 {
		if w.Work, err = t.writeWork(ctx, g, x.Look, hidden); err != nil {
			return w, err
		}
	}
	var others []string
	if others, w.Large = t.Sized(x.Look, most); len(others) == 0 {
		return w, nil
	}
	g = t.Git.With("GIT_INDEX_FILE=" + filepath.Join(x.dir, "others"))
	if _, err := g.Feed(ctx, strings.Join(others, "\x00")+"\x00", "update-index", "--add", "-z", "--stdin"); err != nil {
		return w, err
	}
	w.Untracked, err = g.Out(ctx, "write-tree")
	return w, err
}

// Hidden are the files that are there and whose changes a mark hides from git.
func (t *Tree) Hidden(list []Entry) (paths []string) {
	for _, e := range list {
		if !e.Hidden {
			continue
		}
		if _, err := os.Lstat(filepath.Join(t.Path, e.Path)); err == nil {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// writeWork brings the copied index to what stands in the tree. Marks that hide changes of a file from git are taken off
// the copy.
func (t *Tree) writeWork(ctx context.Context, g *git.Git, l *Look, hidden []string) (string, error) {
	if len(hidden) == 0 && len(l.Unmerged) == 0 && len(l.Nested) == 0 {
		// git status has found the files already: this doesn't go through the whole tree again. It refuses a folder in place of a file.
		in := strings.Join(l.tracked(), "\x00") + "\x00"
		if _, err := g.Feed(ctx, in, "update-index", "--add", "--remove", "-z", "--stdin"); err == nil {
			return g.Out(ctx, "write-tree")
		}
	}
	if len(hidden) > 0 {
		in := strings.Join(hidden, "\x00") + "\x00"
		for _, mark := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
			if _, err := g.Feed(ctx, in, "update-index", mark, "-z", "--stdin"); err != nil {
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
