package project

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// anySpelling says that file systems here usually take Proj and proj for one folder, and that following links does not
// bring a path to one spelling. On Windows it does.
var anySpelling = runtime.GOOS == "darwin"

// resolve is the real path of path: without links (on macOS, /tmp is one) and spelled as the file system has it. So one
// folder is one project, whatever name leads to it.
func resolve(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err == nil && anySpelling {
		path = spelled(path, disk{})
	}
	return path, err
}

// fileSystem is what spelled sees of one.
type fileSystem interface {
	names(dir string) ([]string, error)
	same(a, b string) bool // that both paths lead to one file
}

// disk is the file system of this machine.
type disk struct{}

func (disk) names(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

func (disk) same(a, b string) bool { return sameFile(a, b) }

// spelled is an absolute path with each name as its folder lists it. Where a folder cannot be listed, or lists no other
// spelling of the same file, the name stays.
func spelled(path string, fs fileSystem) string {
	root := filepath.VolumeName(path) + string(filepath.Separator)
	out := root
	for name := range strings.SplitSeq(strings.TrimPrefix(path, root), string(filepath.Separator)) {
		if name != "" {
			out = in(out, listed(out, name, fs))
		}
	}
	return out
}

// listed is a name as dir lists it. Which letters are alike, the file system decides: another spelling counts only if it
// is the same file, because Proj and proj can be two.
func listed(dir, name string, fs fileSystem) string {
	names, err := fs.names(dir)
	if err != nil {
		return name
	}
	other := ""
	for _, n := range names {
		if n == name {
			return name
		}
		if mayBe(n, name) && fs.same(in(dir, n), in(dir, name)) {
			other = n
		}
	}
	if other != "" {
		return other
	}
	return name
}

// mayBe reports whether a and b could be spellings of one name. Outside of ASCII an accent can be written in two ways.
func mayBe(a, b string) bool {
	return strings.EqualFold(a, b) || !isASCII(a) && !isASCII(b)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
