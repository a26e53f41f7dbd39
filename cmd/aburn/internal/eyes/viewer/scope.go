package viewer

import (
	"path/filepath"
	"time"

	"aburn/internal/plain"
	"aburn/internal/workspace"
)

// scope says whose sessions the pages show, where they are and by which clock.
type scope struct {
	dir     string // of the archive
	env     func(string) string
	zone    *time.Location
	clock   func() time.Time
	project string // the root of the only project that is shown, "" for all
}

// Now is the time in the zone of the pages.
func (s *scope) Now() time.Time { return s.clock().In(s.zone) }

// Caller asks about a folder without printing warnings: those of one project must not appear on the pages of all.
func (s *scope) Caller(dir string) *workspace.Caller {
	return workspace.Quiet(dir, s.env, s.Now())
}

// projectsWord says which projects a page is about.
func (s *scope) projectsWord(f filter) string {
	switch {
	case f.project != "":
		return plain.Line(filepath.Base(f.project))
	case s.project != "":
		return plain.Line(filepath.Base(s.project))
	}
	return "all projects that you have vouched for"
}
