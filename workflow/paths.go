package workflow

import (
	"path"
	"strings"
)

// IsTestPath says whether a path, relative to the worktree and with slashes, is a test or a fixture. A pattern that
// ends in a slash matches every folder of that name on the way, one without a slash the base name, another the whole
// path; each part as path.Match does it.
func (m *Model) IsTestPath(p string) bool { return matches(m.Tests, p) }

// IsDocPath says whether a path is a document or settings: neither a test nor production code.
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

// match is path.Match; a broken pattern matches nothing.
func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
