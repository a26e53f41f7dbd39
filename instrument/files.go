package instrument

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"aburn/instrument/jsast"
	"aburn/internal/git"
)

// Skipped is a file that was looked at and left out, with the reason.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Selection are the files of a project that paths name. All stand below the project's
// folder, with / between the parts.
type Selection struct {
	Files []string
	// Skipped were named themselves, and cannot be taken; or a program generates them.
	Skipped    []Skipped
	TypeScript int // files of .tsx, and of TypeScript that include leaves out
	LeftOut    []LeftOut
	aside      []string
}

// PathError says why a path cannot be taken.
type PathError struct {
	Path string
	Msg  string
	Hint string
}

func (e *PathError) Error() string { return e.Path + ": " + e.Msg }

// Select finds the files below dir that paths name: those that c includes and does not
// exclude, without tests, examples, benchmarks and configuration. Files that git ignores, node_modules, folders with a dot in front and the
// file that sets up telemetry are left out, and files that say that a program generates
// them. A file that is named itself counts in any case. environ is for git. The error is a *PathError, or the context's.
func Select(ctx context.Context, dir string, paths []string, c Config, environ []string) (*Selection, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &PathError{dir, "is no folder that can be read", ""}
	}
	defer root.Close()
	for _, pattern := range slices.Concat(c.Include, c.Exclude) {
		if !doublestar.ValidatePattern(pattern) {
			return nil, &PathError{pattern, "is no pattern", "include and exclude of " + ConfigFile + " hold patterns such as **/*.test.js"}
		}
	}
	s := &Selection{aside: asideOf(root, c)}
	var all []string
	for _, p := range paths {
		name, err := inside(root, dir, p)
		if err != nil {
			return nil, err
		}
		st, err := root.Lstat(filepath.FromSlash(name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &PathError{p, "there is no such file or folder", ""}
		case err != nil:
			return nil, &PathError{p, "cannot be read: " + err.Error(), ""}
		case st.IsDir():
			if all == nil {
				if all, err = listed(ctx, root, dir, environ); err != nil {
					return nil, err
				}
			}
			was := s.aside
			s.aside = slices.DeleteFunc(slices.Clone(was), func(p string) bool { return !slices.Contains(c.Exclude, p) && matches([]string{p}, name+"/a.js") })
			for _, f := range all {
				if name == "." || strings.HasPrefix(f, name+"/") {
					s.add(root, f, c)
				}
			}
			s.aside = was
		case !st.Mode().IsRegular():
			s.Skipped = append(s.Skipped, Skipped{name, "is a link or no file"})
		case otherLanguage(name) != nil:
			s.Skipped = append(s.Skipped, Skipped{name, otherLanguage(name).Error()})
		default:
			s.Files = append(s.Files, name)
		}
	}
	slices.Sort(s.Files)
	s.Files = slices.Compact(s.Files)
	s.Skipped = slices.DeleteFunc(s.Skipped, func(left Skipped) bool { return slices.Contains(s.Files, left.Path) })
	return s, nil
}

// inside gives a path below dir, with /.
func inside(root *os.Root, dir, name string) (string, error) {
	abs := name
	if !filepath.IsAbs(name) {
		abs = filepath.Join(dir, name)
	}
	top, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.Abs(abs)
	}
	if err == nil {
		name, err = filepath.Rel(top, abs)
	}
	if err != nil || !filepath.IsLocal(name) {
		return "", &PathError{name, "lies outside of the project " + dir, "name files of the project, or its folder with -C"}
	}
	return filepath.ToSlash(name), nil
}

// listed are the files of a folder that git does not ignore; all where there is no git
// or no repository.
func listed(ctx context.Context, root *os.Root, dir string, environ []string) ([]string, error) {
	files, err := git.In(dir, environ).List(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err == nil {
		return files, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	files = nil
	err = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == ".":
			return err
		case err != nil:
			return nil // a folder that may not be read holds nothing for us
		case d.IsDir() && leftOut(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			files = append(files, p)
		}
		return ctx.Err()
	})
	return files, err
}

func leftOut(folder string) bool {
	return folder == "node_modules" || len(folder) > 1 && strings.HasPrefix(folder, ".")
}

func (s *Selection) add(root *os.Root, file string, c Config) {
	if slices.ContainsFunc(strings.Split(path.Dir(file), "/"), leftOut) || file == path.Clean(filepath.ToSlash(c.SDKInitFile)) {
		return
	}
	if !matches(c.Include, file) {
		if ext := path.Ext(file); ext == ".ts" || ext == ".tsx" || ext == ".mts" || ext == ".cts" {
			s.TypeScript++
		}
		return
	}
	if i := slices.IndexFunc(s.aside, func(p string) bool { return matches([]string{p}, file) }); i >= 0 {
		s.leave(s.aside[i])
		return
	}
	st, err := root.Lstat(filepath.FromSlash(file))
	switch {
	case err != nil || !st.Mode().IsRegular():
	case isGenerated(root, file):
		s.Skipped = append(s.Skipped, Skipped{file, "it says that a program generates it, which would overwrite spans"})
	default:
		s.Files = append(s.Files, file)
	}
}

// generatedHead is how much of a file is looked at for the comment that says what made it, in bytes.
const generatedHead = 2 << 10

// isGenerated says whether the comments at a file's beginning say "@generated", or that it
// is generated and not to be edited.
func isGenerated(root *os.Root, file string) bool {
	f, err := root.Open(filepath.FromSlash(file))
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, generatedHead))
	if err != nil {
		return false
	}
	text := strings.ToLower(leadingComments(strings.TrimPrefix(string(head), "\uFEFF")))
	if strings.Contains(text, "@generated") {
		return true
	}
	return strings.Contains(text, "generated") && (strings.Contains(text, "do not edit") || strings.Contains(text, "do not modify") ||
		strings.Contains(text, "do not change"))
}

// leadingComments are the comments before a file's first code.
func leadingComments(text string) string {
	if strings.HasPrefix(text, "#!") {
		_, text, _ = strings.Cut(text, "\n")
	}
	var comments strings.Builder
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		end := ""
		switch {
		case strings.HasPrefix(text, "//"):
			end = "\n"
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		default:
			return comments.String()
		}
		comment, rest, _ := strings.Cut(text, end)
		comments.WriteString(comment + "\n")
		text = rest
	}
}

func matches(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := doublestar.Match(p, file)
		return ok && err == nil
	})
}

var errNoFile = errors.New("is no file")

// isPipe says whether what stands at a path exists and is no regular file.
func isPipe(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.Mode().IsRegular()
}

// readIn reads a file below root. One that is longer than the parser takes is cut: the
// parser then says why it is refused.
func readIn(root *os.Root, name string) ([]byte, error) {
	st, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() { // opening a pipe would wait for somebody to write
		return nil, errNoFile
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st.Size() > jsast.MaxBytes {
		return nil, &jsast.LimitError{Reason: fmt.Sprintf("the file has %d KB, the limit is %d", st.Size()>>10, jsast.MaxBytes>>10)}
	}
	return io.ReadAll(io.LimitReader(f, jsast.MaxBytes+1))
}
