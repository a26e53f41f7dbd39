package registry

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Bounds of what is read. The semantic conventions, the largest registry that is
// known, are 250 files, or 1.2 MB as one resolved file.
const (
	maxFile    = 4 << 20
	maxTotal   = 24 << 20
	maxFiles   = 4000
	maxArchive = 64 << 20
)

// source is the text of a registry's files by their path below its folder, with /
// between the parts.
type source struct {
	texts    map[string][]byte
	outside  []string // links that lead out of the folder
	policies []string
	total    int
}

// LoadError says why a folder or archive cannot be read at all.
type LoadError struct {
	Path string
	Msg  string
	Hint string // what a person can do; "" for nothing
}

func (e *LoadError) Error() string { return e.Path + ": " + e.Msg }

func (s *source) names() []string {
	var names []string
	for name := range s.texts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// wanted tells whether Weaver would look at a file. A name or a folder that begins
// with a dot is skipped.
func wanted(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	base := path.Base(name)
	switch path.Ext(base) {
	case ".yaml", ".yml":
		return base != "schema-next.yaml"
	case ".rego":
		return true
	}
	return false
}

func (s *source) add(where, name string, size int64, open func() (io.ReadCloser, error)) error {
	if path.Ext(name) == ".rego" {
		s.policies = append(s.policies, name)
		return nil
	}
	switch {
	case size > maxFile:
		return &LoadError{where, fmt.Sprintf("%s is larger than %d MB", name, maxFile>>20), "a definition file is written by hand: is this one?"}
	case len(s.texts) >= maxFiles:
		return &LoadError{where, fmt.Sprintf("holds more than %d YAML files", maxFiles), "name the registry's own folder"}
	}
	f, err := open()
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return err
	}
	if s.total += len(data); len(data) > maxFile || s.total > maxTotal {
		return &LoadError{where, fmt.Sprintf("holds more YAML than %d MB", maxTotal>>20), "name the registry's own folder"}
	}
	s.texts[name] = data
	return nil
}

// readFolder reads the folder sub of root. Links to files are followed as far as
// they stay below root; links to folders are not, as in Weaver.
func readFolder(root *os.Root, sub, where string) (*source, error) {
	s := &source{texts: map[string][]byte{}}
	below, err := root.OpenRoot(sub)
	if err != nil {
		return nil, noFolder(where, err)
	}
	defer below.Close()
	err = fs.WalkDir(below.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !wanted(name):
			return nil
		}
		// A link may lead elsewhere in root, so it is opened there.
		full := path.Join(sub, name)
		st, err := root.Stat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil && d.Type()&fs.ModeSymlink != 0:
			s.outside = append(s.outside, name)
			return nil
		case err != nil:
			return err
		case !st.Mode().IsRegular():
			return nil
		}
		return s.add(where, name, st.Size(), func() (io.ReadCloser, error) { return root.Open(full) })
	})
	return s, err
}

func noFolder(where string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &LoadError{where, "there is no such folder", "a registry is a folder with manifest.yaml and definition files"}
	case errors.Is(err, fs.ErrPermission):
		return &LoadError{where, "may not be read", ""}
	}
	return &LoadError{where, "is no folder that can be read", "a registry is a folder with manifest.yaml and definition files"}
}

// isArchive tells by the name.
func isArchive(name string) bool {
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// readArchive reads the folder sub of an archive. A single folder that holds all
// the rest, as in GitHub's archives, is left out of the paths.
func readArchive(f io.Reader, where, sub string) (*source, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxArchive+1))
	if err != nil {
		return nil, &LoadError{where, "may not be read", ""}
	}
	if len(data) > maxArchive {
		return nil, &LoadError{where, fmt.Sprintf("is larger than %d MB", maxArchive>>20), ""}
	}
	all := &source{texts: map[string][]byte{}}
	if strings.HasSuffix(where, ".zip") {
		err = all.unzip(data, where)
	} else {
		err = all.untar(data, where)
	}
	var known *LoadError
	if err != nil && !errors.As(err, &known) {
		return nil, &LoadError{where, "is no archive that can be read", "registries come as .zip or .tar.gz"}
	}
	if err != nil {
		return nil, err
	}
	return all.below(sub, where)
}

func (s *source) unzip(data []byte, where string) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if name := path.Clean(f.Name); f.Mode().IsRegular() && wanted(name) {
			if err := s.add(where, name, int64(min(f.UncompressedSize64, 1<<40)), f.Open); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *source) untar(data []byte, where string) error {
	g, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	// What is skipped is unpacked too, so the whole is bounded.
	t := tar.NewReader(io.LimitReader(g, 16*maxArchive))
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if name := path.Clean(h.Name); h.Typeflag == tar.TypeReg && wanted(name) {
			if err := s.add(where, name, h.Size, func() (io.ReadCloser, error) { return io.NopCloser(t), nil }); err != nil {
				return err
			}
		}
	}
}

func (s *source) below(sub, where string) (*source, error) {
	first := ""
	for name := range s.texts {
		top, _, more := strings.Cut(name, "/")
		if !more || first != "" && first != top {
			first = ""
			break
		}
		first = top
	}
	prefix := path.Join(first, sub)
	out := &source{texts: map[string][]byte{}}
	for name, text := range s.texts {
		if rest, ok := strings.CutPrefix(name, prefix+"/"); ok || prefix == "" {
			if prefix == "" {
				rest = name
			}
			out.texts[rest] = text
		}
	}
	if len(out.texts) == 0 {
		return nil, &LoadError{where, fmt.Sprintf("holds no YAML file in %q", cmp.Or(sub, ".")), "name the folder in brackets, as in v1.37.0.zip[model]"}
	}
	return out, nil
}
