package undo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"aburn/internal/atomicfile"
)

// Move is a file's bytes before and after.
type Move struct {
	Path     string
	From, To Content
}

// Content is what stands at a path: nothing, a file or a link.
type Content struct {
	Mode string // as git has it; "" is nothing
	Text []byte // of a file, or a link's target
}

func (c Content) equal(o Content) bool { return c.Mode == o.Mode && bytes.Equal(c.Text, o.Text) }

// contentAt is what stands at a path. A folder, or what is neither file nor link, is an error.
func contentAt(root *os.Root, p string) (c Content, err error) {
	st, err := root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return c, nil
	case err != nil:
		return c, err
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(p)
		return Content{"120000", []byte(target)}, err
	case !st.Mode().IsRegular():
		return c, errFolder
	}
	c.Mode = "100644"
	if st.Mode()&0o100 != 0 {
		c.Mode = "100755"
	}
	c.Text, err = root.ReadFile(p)
	return c, err
}

var (
	errFolder  = errors.New("a folder is there")
	errThrough = errors.New("a link or file is in place of its folder")
	errChanged = errors.New("it changed meanwhile")
)

// Apply brings the files below root from one content to the other. It can be repeated after a crash: what is done already stays, and what is
// neither the one nor the other is left and returned with the reason. mark is part of the names of its temporary files.
//
// All new files are on the disk before the first one gets its name, and all names before Apply returns: two syncs, however many files there are.
func Apply(root *os.Root, moves []Move, mark string) (left map[string]error, err error) {
	w := &writer{root: root, mark: mark, left: map[string]error{}}
	for i := range moves { // the temporary file of a run that was killed
		root.Remove(tempName(moves[i].Path, mark))
	}
	for _, step := range []func(*Move) error{w.remove, w.prepare} { // what goes makes place for what comes
		for i := range moves {
			if err := w.do(&moves[i], step); err != nil {
				w.discard()
				return w.left, err
			}
		}
	}
	if err := w.sync(); err != nil {
		w.discard()
		return w.left, err
	}
	for _, m := range w.ready {
		if err := w.do(m, w.place); err != nil {
			w.discard()
			return w.left, err
		}
	}
	return w.left, w.sync()
}

// writer is one run of Apply.
type writer struct {
	root  *os.Root
	mark  string
	left  map[string]error
	ready []*Move // whose temporary files are written
}

// do notes the error of one file. Those of the disk end the run.
func (w *writer) do(m *Move, step func(*Move) error) error {
	switch err := step(m); {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EIO):
		return fmt.Errorf("%s: %w", m.Path, err)
	case err != nil:
		w.left[m.Path] = err
	}
	return nil
}

func (w *writer) sync() error {
	return atomicfile.SyncAll(w.root)
}

func (w *writer) discard() {
	for _, m := range w.ready {
		w.root.Remove(tempName(m.Path, w.mark))
	}
}

func tempName(p, mark string) string {
	dir, name := filepath.Split(filepath.FromSlash(p))
	return dir + "." + name[:min(len(name), 100)] + ".aburn-" + mark
}

// isDone reports whether a move is done already. The error says why it can't be.
func (m *Move) isDone(root *os.Root, name string) (bool, error) {
	if err := realFolders(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	now, err := contentAt(root, name)
	if errors.Is(err, errFolder) && m.From.Mode == "" && m.To.Mode != "" && root.Remove(name) == nil { // an empty folder is nobody's bytes
		now, err = Content{}, nil
	}
	switch {
	case err != nil:
		return false, err
	case now.equal(m.To):
		return true, nil
	case !now.equal(m.From):
		return false, errChanged
	}
	return false, nil
}

// realFolders reports whether all folders above a path are folders. ErrNotExist says that some are missing.
func realFolders(root *os.Root, name string) error {
	for i, c := range name {
		if c != filepath.Separator {
			continue
		}
		st, err := root.Lstat(name[:i])
		if err != nil {
			return err
		}
		if !st.IsDir() {
			return errThrough
		}
	}
	return nil
}

// remove removes a file, and the folders that are empty then.
func (w *writer) remove(m *Move) error {
	name := filepath.FromSlash(m.Path)
	if m.To.Mode != "" {
		return nil
	}
	if done, err := m.isDone(w.root, name); done || err != nil {
		return err
	}
	if err := w.root.Remove(name); err != nil {
		return err
	}
	for dir := filepath.Dir(name); dir != "." && w.root.Remove(dir) == nil; dir = filepath.Dir(dir) {
	}
	return nil
}

// prepare writes the temporary file of a move.
func (w *writer) prepare(m *Move) error {
	name, temp := filepath.FromSlash(m.Path), tempName(m.Path, w.mark)
	if m.To.Mode == "" {
		return nil
	}
	if done, err := m.isDone(w.root, name); done || err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := w.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	if err := m.writeTemp(w.root, name, temp); err != nil {
		w.root.Remove(temp)
		return err
	}
	w.ready = append(w.ready, m)
	return nil
}

// place gives the temporary file of a move its name, unless somebody saved the file meanwhile.
func (w *writer) place(m *Move) error {
	name, temp := filepath.FromSlash(m.Path), tempName(m.Path, w.mark)
	if !atomicfile.SyncsAll {
		if err := syncFile(w.root, temp); err != nil {
			return err
		}
	}
	done, err := m.isDone(w.root, name)
	if !done && err == nil {
		err = w.root.Rename(temp, name)
	} else {
		w.root.Remove(temp)
	}
	if err == nil && !atomicfile.SyncsAll {
		_ = syncFile(w.root, filepath.Dir(name)) // some systems can't sync folders
	}
	return err
}

func syncFile(root *os.Root, name string) error {
	if st, err := root.Lstat(name); err != nil || st.Mode()&fs.ModeSymlink != 0 {
		return err
	}
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func (m *Move) writeTemp(root *os.Root, name, temp string) error {
	if m.To.Mode == "120000" {
		return root.Symlink(string(m.To.Text), temp)
	}
	mode := fs.FileMode(0o666)
	if m.To.Mode == "100755" {
		mode = 0o777
	}
	exact := false
	if st, err := root.Lstat(name); err == nil && st.Mode().IsRegular() { // other bits of the mode stay
		mode, exact = st.Mode().Perm(), true
		if mode &^= 0o111; m.To.Mode == "100755" {
			mode |= 0o100 | (mode&0o044)>>2
		}
	}
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(m.To.Text)
	if exact {
		err = errors.Join(err, f.Chmod(mode))
	}
	return errors.Join(err, f.Close())
}

// Reversed are the moves that take others back.
func Reversed(moves []Move) []Move {
	back := make([]Move, len(moves))
	for i, m := range moves {
		back[i] = Move{Path: m.Path, From: m.To, To: m.From}
	}
	return back
}

// outside reports whether a path of a plan leads out of the worktree or into git's folder.
func outside(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}
