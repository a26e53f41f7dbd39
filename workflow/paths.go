package workflow

import (
	"path"
	"strings"
)

// IsTestPath reports whether a path, relative to the worktree and with slashes, is a test or a
// fixture. A pattern that ends with a slash matches every folder of that name in the path. A
// pattern without a slash matches the base name, any other the whole path. Each part matches as
// in path.Match.
func (m *Model) IsTestPath(p string) bool { return matches(m.Tests, p) }

// IsDocPath reports whether a path is a document or a settings file: neither test nor production
// code.
func (m *Model) IsDocPath(p string) bool { return matches(m.Docs, p) }

func matches(patterns []string, p string) bool {
	dir, base := path.Split(p)
	for _, pattern := range patterns {
		switch folder, isFolder := strings.CutSuffix(pattern, "/"); {
		case isFolder && !strings.Contains(folder, "/"):
			for part := range strings.SplitSeq(dir, "/") {
				if part != "" && part != "." && part != ".." && match(folder, part) {
					return true
				}
			}
		case isFolder:
			if strings.HasPrefix(p, pattern) {
				return true
			}
		case strings.Contains(pattern, "/"):
			if match(pattern, p) {
				return true
			}
		case match(pattern, base):
			return true
		}
	}
	return false
}

// match is path.Match, except that a broken pattern matches nothing.
func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
