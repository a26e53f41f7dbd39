package tree

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// SendFiles writes files of the main checkout as a tar, for a tree of another repository. What Copy would leave out is left out.
func SendFiles(ctx context.Context, r *Repo, to io.Writer, paths []string) (left []string, err error) {
	from, err := os.OpenRoot(r.Main)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	w := tar.NewWriter(to)
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return left, err
		}
		switch err := sendOne(from, w, p); {
		case errors.Is(err, errNotCopied):
			left = append(left, p)
		case err != nil:
			return left, fmt.Errorf("copy %s: %w", p, err)
		}
	}
	return left, w.Close()
}

func sendOne(from *os.Root, w *tar.Writer, p string) error {
	name := filepath.FromSlash(p)
	st, err := from.Lstat(name)
	if err != nil {
		return errNotCopied
	}
	h := &tar.Header{Name: p, Mode: int64(st.Mode().Perm()), Format: tar.FormatPAX}
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		if h.Linkname, err = linkBelow(from, name); err != nil {
			return err
		}
		h.Typeflag = tar.TypeSymlink
		return w.WriteHeader(h)
	case !st.Mode().IsRegular():
		return errNotCopied
	}
	f, err := from.Open(name)
	if err != nil {
		return errNotCopied
	}
	defer f.Close()
	h.Typeflag, h.Size = tar.TypeReg, st.Size()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.CopyN(w, f, h.Size) // one that grows meanwhile is cut, one that shrinks fails
	return err
}

// Receive puts files of Send into the tree. What is there already stays, and nothing is written outside of it or into git's folder.
func (t *Tree) Receive(ctx context.Context, from io.Reader) (done []Copied, err error) {
	to, err := os.OpenRoot(t.Path)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	size := int64(0)
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return done, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return done, err
		}
		if size += h.Size; len(done) >= maxCopied || size > maxBytes {
			return done, &Problem{fmt.Sprintf("more than %d files or %d GiB would be copied, %s first of the rest", maxCopied, maxBytes>>30, h.Name),
				"setup: instead of copy:"}
		}
		c, err := receiveOne(to, h, r)
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return done, fmt.Errorf("copy %s: %w", h.Name, err)
		default:
			done = append(done, c)
		}
	}
}

func receiveOne(to *os.Root, h *tar.Header, content io.Reader) (c Copied, err error) {
	if first, _, _ := strings.Cut(h.Name, "/"); !filepath.IsLocal(filepath.FromSlash(h.Name)) || strings.EqualFold(first, ".git") {
		return c, errNotCopied
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return putFile(to, h.Name, fs.FileMode(h.Mode).Perm(), content)
	case tar.TypeSymlink:
		if path.IsAbs(h.Linkname) || !filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(h.Name), h.Linkname))) {
			return c, errNotCopied
		}
		return putLink(to, h.Name, h.Linkname)
	}
	return c, errNotCopied
}
