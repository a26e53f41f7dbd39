package undo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"aburn/internal/git"
	"aburn/internal/snapshot"
)

// Store reads snapshots of one worktree. Its files lie in a scratch folder.
type Store struct {
	Tree    *snapshot.Tree
	Scratch string
	next    int
	texts   map[string][]byte // by path and object
}

// ErrMissing says that an object of a snapshot is gone.
var ErrMissing = errors.New("an object of the snapshot is missing")

// Files are those of a snapshot, without those that own chooses.
func (s *Store) Files(ctx context.Context, commit string, own func(p string) bool) (map[string]File, error) {
	t, err := snapshot.TreesOf(ctx, s.Tree.Git, commit)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrMissing, err)
	}
	files := map[string]File{}
	for _, tree := range []string{t.Work, t.Untracked} {
		if tree == "" {
			continue
		}
		list, err := s.Tree.Git.List(ctx, "ls-tree", "-r", "-z", "--full-tree", tree)
		if err != nil {
			return nil, fmt.Errorf("%w: %v", ErrMissing, err)
		}
		for _, line := range list {
			about, p, _ := strings.Cut(line, "\t")
			if words := strings.Fields(about); len(words) == 3 && !own(p) {
				files[p] = File{Mode: words[0], ID: words[2]}
			}
		}
	}
	return files, nil
}

// Read brings the bytes of files into memory, as the worktree would have them: line ends and filters are applied. A link's are its target.
func (s *Store) Read(ctx context.Context, files map[string]File) error {
	if s.texts == nil {
		s.texts = map[string][]byte{}
	}
	files = maps.Clone(files)
	var in strings.Builder
	for p, f := range files {
		if _, known := s.texts[p+"\x00"+f.ID]; known || !f.Exists() || f.isRepository() {
			delete(files, p)
			continue
		}
		in.WriteString(f.Mode + " " + f.ID + " 0\t" + p + "\x00")
	}
	if in.Len() == 0 {
		return nil
	}
	s.next++
	dir := filepath.Join(s.Scratch, strconv.Itoa(s.next))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	g := s.Tree.Git.With("GIT_INDEX_FILE=" + dir + ".index")
	if _, err := g.Feed(ctx, in.String(), "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	if _, err := g.Out(ctx, "-c", "core.symlinks=true", "checkout-index", "--all", "--prefix="+dir+"/"); err != nil {
		return fmt.Errorf("%w: %v", ErrMissing, err)
	}
	for p, f := range files {
		text, err := bytesAt(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			return fmt.Errorf("%w: %s", ErrMissing, p)
		}
		s.texts[p+"\x00"+f.ID] = text
	}
	return os.RemoveAll(dir)
}

// bytesAt are the bytes of a file or the target of a link.
func bytesAt(path string) ([]byte, error) {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return []byte(target), err
	case !st.Mode().IsRegular():
		return nil, errors.New("no regular file")
	}
	return os.ReadFile(path)
}

// Bytes are those of a file that was read.
func (s *Store) Bytes(ctx context.Context, p string, f File) ([]byte, error) {
	if text, ok := s.texts[p+"\x00"+f.ID]; ok {
		return text, nil
	}
	if err := s.Read(ctx, map[string]File{p: f}); err != nil {
		return nil, err
	}
	return s.texts[p+"\x00"+f.ID], nil
}

// Sum is the SHA-256 of a file's bytes, "none" of no file.
func (s *Store) Sum(ctx context.Context, p string, f File) string {
	if !f.Exists() {
		return "none"
	}
	text, err := s.Bytes(ctx, p, f)
	if err != nil || !f.isRegular() {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Merge takes the change from base to theirs out of ours, in files of the scratch folder. false is a conflict, or a binary file.
func (s *Store) Merge(ctx context.Context, p string, ours []byte, base, theirs File) ([]byte, bool, error) {
	var args []string
	old, err := s.Bytes(ctx, p, base)
	if err != nil {
		return nil, false, err
	}
	back, err := s.Bytes(ctx, p, theirs)
	if err != nil {
		return nil, false, err
	}
	s.next++
	for i, text := range [][]byte{ours, old, back} {
		name := filepath.Join(s.Scratch, fmt.Sprintf("merge-%d-%d", s.next, i))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return nil, false, err
		}
		defer os.Remove(name)
		args = append(args, name)
	}
	merged, err := s.Tree.Git.Bytes(ctx, append([]string{"merge-file", "-p", "--quiet"}, args...)...)
	var failed *git.Error
	if errors.As(err, &failed) {
		return nil, false, nil
	}
	return merged, err == nil, err
}
