package tree

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

// written is a state whose trees stand in the objects.
type written struct {
	trees
	commit string // the tree of head
	look   *look
	key    string   // of look; "" where it proves nothing
	plain  string   // the stamp of an index without marks that hide changes
	large  []string // untracked files that were left out
}

// asCommitted reports whether the state is that of its commit.
func (w *written) asCommitted() bool {
	return w.index == w.commit && w.work == w.commit && w.untracked == ""
}

// skipped is what the state does not hold, with the reason.
func (w *written) skipped() (list []string) {
	for _, path := range w.large {
		list = append(list, path+": more than 10 MiB")
	}
	for _, path := range w.look.nested {
		list = append(list, path+": a repository of its own")
	}
	if len(w.look.unmerged) > 0 {
		list = append(list, "the sides of an unfinished merge; its files are kept as they stand")
	}
	return list[:min(len(list), 8)]
}

// now writes the state in which the tree is.
func (t *Tree) now(ctx context.Context, scratch string, at place, most int64) (*written, error) {
	x, err := t.copyOf(scratch, at.index)
	if err != nil {
		return nil, err
	}
	defer x.remove()
	if x.look, err = t.look(ctx, x.work, false); err != nil {
		return nil, err
	}
	return t.write(ctx, x, at, most, "")
}

// copied is a copy of the tree's index: git works with that, and changes the tree's own one never.
type copied struct {
	dir, work string
	stamp     string // of the index before it was copied; "" if it may change and look the same
	at        time.Time
	look      *look
}

// copyOf copies the index. The copy gets its time: git compares the times of files with that to tell which ones it has to read.
func (t *Tree) copyOf(scratch, index string) (x *copied, err error) {
	x = &copied{at: time.Now()}
	x.stamp, _ = stamp(index, x.at)
	if x.dir, err = os.MkdirTemp(scratch, ".index-*"); err != nil {
		return nil, err
	}
	x.work = filepath.Join(x.dir, "work")
	st, err := os.Stat(index)
	if err == nil {
		if err = copyFile(index, x.work); err == nil {
			err = os.Chtimes(x.work, st.ModTime(), st.ModTime())
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.remove()
		return nil, err
	}
	return x, nil
}

func (x *copied) remove() { os.RemoveAll(x.dir) }

// write puts the three trees of the state into the objects. Untracked files of more than most bytes are left out; 0 takes all. An
// index with the stamp plain has no marks that hide changes.
func (t *Tree) write(ctx context.Context, x *copied, at place, most int64, plain string) (w *written, err error) {
	if at.tree == "" {
		if at.tree, err = t.repo.TreeOf(ctx, at.head); err != nil {
			return nil, err
		}
	}
	w = &written{look: x.look, commit: at.tree, trees: trees{head: at.head, index: at.tree}}
	moved := x.look.head != at.head
	g := t.g.With("GIT_INDEX_FILE=" + x.work)
	var hidden []string
	if w.plain = x.stamp; x.stamp == "" || x.stamp != plain {
		list, err := g.List(ctx, "ls-files", "-v", "--stage", "-z")
		if err != nil {
			return w, err
		}
		if hidden = t.hidden(entries(list)); len(hidden) > 0 {
			w.plain = ""
		}
	}
	if w.plain != "" && !moved {
		w.key = t.key(x.look, x.stamp, x.at)
	}
	if len(x.look.unmerged) == 0 && (x.look.staged || moved) {
		if w.index, err = g.Out(ctx, "write-tree"); err != nil {
			return w, err
		}
	}
	if w.work = w.index; x.look.edited || len(hidden) > 0 || len(x.look.unmerged) > 0 {
		if w.work, err = t.writeWork(ctx, g, hidden); err != nil {
			return w, err
		}
	}
	var others []string
	if others, w.large = t.sized(x.look, most); len(others) == 0 {
		return w, nil
	}
	g = t.g.With("GIT_INDEX_FILE=" + filepath.Join(x.dir, "others"))
	if _, err := g.Feed(ctx, strings.Join(others, "\x00")+"\x00", "update-index", "--add", "-z", "--stdin"); err != nil {
		return w, err
	}
	w.untracked, err = g.Out(ctx, "write-tree")
	return w, err
}

// hidden are the files that are there and whose changes a mark hides from git.
func (t *Tree) hidden(list []entry) (paths []string) {
	for _, e := range list {
		if !e.hidden {
			continue
		}
		if _, err := os.Lstat(filepath.Join(t.Path, e.path)); err == nil {
			paths = append(paths, e.path)
		}
	}
	return paths
}

// writeWork brings the copied index to what stands in the tree. Marks that hide changes of a file from git are taken off
// the copy.
func (t *Tree) writeWork(ctx context.Context, g *git.Git, hidden []string) (string, error) {
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
