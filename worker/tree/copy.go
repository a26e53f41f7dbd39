package tree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/git"
	"aburn/internal/snapshot"
)

const (
	maxCopied = 100_000
	maxBytes  = 4 << 30
)

// Copied is one file that a worker's tree got from the person's checkout, so that removing it loses nothing while it is as it
// was.
type Copied struct {
	Path string `json:"path"`
	Sum  string `json:"sum"` // SHA-256 of its bytes, or "-> " and the target of a link
}

// ChosenFiles lists the files of the main checkout that patterns in the syntax of .gitignore choose, and that git ignores. Those
// that git does not ignore come apart: in a worker's tree they would be committed.
func ChosenFiles(ctx context.Context, r *Repo, scratch string, patterns []string) (ignored, others []string, err error) {
	if len(patterns) == 0 {
		return nil, nil, nil
	}
	file, err := os.CreateTemp(scratch, ".patterns-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(strings.Join(patterns, "\n") + "\n")
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, nil, err
	}
	g := r.g.At(r.Main)
	all, err := g.List(ctx, "ls-files", "--others", "--ignored", "--exclude-from="+file.Name(), "-z")
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	if ignored, err = ignores(ctx, g, all); err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, p := range ignored {
		known[p] = true
	}
	others = slices.DeleteFunc(all, func(p string) bool { return known[p] || strings.HasSuffix(p, "/") })
	return ignored, others, nil
}

// ignores are those of the paths that git ignores.
func ignores(ctx context.Context, g *git.Git, paths []string) ([]string, error) {
	var in strings.Builder
	for _, p := range paths {
		in.WriteString("./" + p + "\x00") // a : at the beginning means something
	}
	// This command refuses literal pathspecs; it takes paths from its input as they are.
	out, err := g.With("GIT_LITERAL_PATHSPECS=0").Feed(ctx, in.String(), "check-ignore", "-z", "--stdin")
	var failed *git.Error
	if errors.As(err, &failed) && failed.Code == 1 {
		return nil, nil // none
	}
	list := git.SplitNul(out)
	for i := range list {
		list[i] = strings.TrimPrefix(list[i], "./")
	}
	return list, err
}

// Copy puts files of the main checkout into the tree, with their modes. What is there already stays. A link is copied if it
// leads to something below the root, and left out else, as is all that is no file.
func (t *Tree) Copy(ctx context.Context, paths []string) (done []Copied, left []string, err error) {
	from, err := os.OpenRoot(t.repo.Main)
	if err != nil {
		return nil, nil, err
	}
	defer from.Close()
	to, err := os.OpenRoot(t.Path)
	if err != nil {
		return nil, nil, err
	}
	defer to.Close()
	size := int64(0)
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return done, left, err
		}
		st, err := from.Lstat(p)
		if err != nil {
			left = append(left, p)
			continue
		}
		if size += st.Size(); len(done) >= maxCopied || size > maxBytes {
			return done, left, &Problem{fmt.Sprintf("more than %d files or %d GiB would be copied, %s first of the rest", maxCopied, maxBytes>>30, p),
				"link: or setup: instead of copy:"}
		}
		c, err := copyOne(from, to, p, st)
		switch {
		case errors.Is(err, fs.ErrExist):
		case errors.Is(err, errNotCopied):
			left = append(left, p)
		case err != nil:
			return done, left, fmt.Errorf("copy %s: %w", p, err)
		default:
			done = append(done, c)
		}
	}
	return done, left, nil
}

var errNotCopied = errors.New("leads out of the project, or is no file")

func copyOne(from, to *os.Root, p string, st fs.FileInfo) (c Copied, err error) {
	name := filepath.FromSlash(p)
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := linkBelow(from, name)
		if err != nil {
			return c, err
		}
		return putLink(to, p, target)
	case !st.Mode().IsRegular():
		return c, errNotCopied
	}
	src, err := from.Open(name)
	if err != nil {
		return c, errNotCopied
	}
	defer src.Close()
	return putFile(to, p, st.Mode().Perm(), src)
}

// linkBelow is the target of a link, which leads to something below the root.
func linkBelow(from *os.Root, name string) (string, error) {
	target, err := from.Readlink(name)
	if err != nil || filepath.IsAbs(target) {
		return "", errNotCopied
	}
	if _, err := from.Stat(name); err != nil { // also one that leads out
		return "", errNotCopied
	}
	return target, nil
}

func putLink(to *os.Root, p, target string) (c Copied, err error) {
	c = Copied{p, "-> " + target}
	if err = folderFor(to, p); err == nil {
		err = to.Symlink(target, filepath.FromSlash(p))
	}
	return c, err
}

func putFile(to *os.Root, p string, mode fs.FileMode, src io.Reader) (c Copied, err error) {
	c.Path = p
	if err := folderFor(to, p); err != nil {
		return c, err
	}
	dst, err := to.OpenFile(filepath.FromSlash(p), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode|0o200)
	if err != nil {
		return c, err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(dst, sum), src)
	err = errors.Join(err, dst.Chmod(mode), dst.Close())
	c.Sum = hex.EncodeToString(sum.Sum(nil))
	return c, err
}

func folderFor(to *os.Root, p string) error {
	dir := filepath.Dir(filepath.FromSlash(p))
	if dir == "." {
		return nil
	}
	return to.MkdirAll(dir, 0o755)
}

// Link makes a link in the tree to a path of a checkout, "" is the main one, that git ignores. The answer says why there is none;
// "" if there is.
func (t *Tree) Link(ctx context.Context, checkout, p string) (why string, c Copied, err error) {
	p, checkout = path.Clean(p), cmp.Or(checkout, t.repo.Main)
	source := filepath.Join(checkout, filepath.FromSlash(p))
	if _, err := os.Lstat(source); err != nil {
		return "is not in " + checkout, c, nil
	}
	to, err := os.OpenRoot(t.Path)
	if err != nil {
		return "", c, err
	}
	defer to.Close()
	name := filepath.FromSlash(p)
	if _, err := to.Lstat(name); err == nil {
		return "stands in the commit already", c, nil
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := to.MkdirAll(dir, 0o755); err != nil {
			return "", c, err
		}
	}
	if err := to.Symlink(source, name); err != nil {
		return "", c, err
	}
	list, err := ignores(ctx, t.g, []string{p})
	if err != nil || len(list) == 0 {
		to.Remove(name)
		return "is not ignored by git as a link: the worker would commit it (in .gitignore, a / at the end means folders only)", c, err
	}
	return "", Copied{p, "-> " + source}, nil
}

// AddLines adds lines to a file of the tree that git ignores, or makes it. The answer says why it did not; "" if it did.
func (t *Tree) AddLines(ctx context.Context, p, lines string) (why string, c Copied, err error) {
	p = path.Clean(p)
	list, err := ignores(ctx, t.g, []string{p})
	if err != nil {
		return "", c, err
	}
	if len(list) == 0 {
		return "is not written, as git does not ignore it and the worker would commit it", c, nil
	}
	to, err := os.OpenRoot(t.Path)
	if err != nil {
		return "", c, err
	}
	defer to.Close()
	name := filepath.FromSlash(p)
	if st, err := to.Lstat(name); err == nil && !st.Mode().IsRegular() {
		return "is not written, as it is a link or no file", c, nil
	}
	old, err := to.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", c, err
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		old = append(old, '\n')
	}
	text := append(old, lines...)
	if dir := filepath.Dir(name); dir != "." {
		if err := to.MkdirAll(dir, 0o755); err != nil {
			return "", c, err
		}
	}
	sum := sha256.Sum256(text)
	return "", Copied{p, hex.EncodeToString(sum[:])}, to.WriteFile(name, text, 0o600)
}

// same reports whether what was copied is still as it was.
func (t *Tree) same(c Copied) bool {
	file := filepath.Join(t.Path, filepath.FromSlash(c.Path))
	st, err := os.Lstat(file)
	switch {
	case err != nil:
		return false
	case st.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		return err == nil && c.Sum == "-> "+target
	case !st.Mode().IsRegular():
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return err == nil && c.Sum == hex.EncodeToString(sum.Sum(nil))
}

// Knows tells the tree what was copied into it. That is nothing to lose while it is as it was.
func (t *Tree) Knows(list []Copied) {
	t.copied = map[string]Copied{}
	for _, c := range list {
		t.copied[c.Path] = c
	}
}

// unknown takes the files off a list of ignored ones that are as they were copied; a folder, if all of it is.
func (t *Tree) unknown(ignored []string) (rest []string) {
	if len(t.copied) == 0 {
		return ignored
	}
	for _, p := range ignored {
		dir, isDir := strings.CutSuffix(p, "/")
		if !isDir {
			if c, ok := t.copied[p]; !ok || !t.same(c) {
				rest = append(rest, p)
			}
			continue
		}
		err := filepath.WalkDir(filepath.Join(t.Path, filepath.FromSlash(dir)), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(t.Path, file)
			if c, ok := t.copied[filepath.ToSlash(rel)]; err != nil || !ok || !t.same(c) {
				return errNotCopied
			}
			return nil
		})
		if err != nil {
			rest = append(rest, p)
		}
	}
	return rest
}

// maxAttributes and maxPointer bound files that git and git-lfs read, in bytes.
const maxAttributes, maxPointer = 1 << 20, 1 << 10

// Pointers counts files that git-lfs would have fetched and that only say where they are.
func (t *Tree) Pointers(ctx context.Context) int {
	attributes, _ := snapshot.ReadSmall(filepath.Join(t.Path, ".gitattributes"), maxAttributes)
	if !strings.Contains(attributes, "filter=lfs") {
		return 0
	}
	code, out, err := t.g.Code(ctx, "grep", "--cached", "-z", "-l", "-F", "version https://git-lfs.github.com/spec/v1")
	if err != nil || code != 0 {
		return 0
	}
	n := 0
	for _, p := range git.SplitNul(out) {
		if text, err := snapshot.ReadSmall(filepath.Join(t.Path, p), maxPointer); err == nil && strings.HasPrefix(text, "version https://git-lfs") {
			n++
		}
	}
	return n
}

// Submodules counts those that the tree's commit names.
func (t *Tree) Submodules(ctx context.Context) (n int) {
	if _, err := os.Lstat(filepath.Join(t.Path, ".gitmodules")); err != nil {
		return 0
	}
	list, _ := t.g.List(ctx, "ls-files", "--stage", "-z")
	for _, entry := range list {
		if strings.HasPrefix(entry, "160000 ") {
			n++
		}
	}
	return n
}
