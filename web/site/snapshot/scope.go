package snapshot

import (
	"path/filepath"
	"time"

	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/workspace"
)

// Scope says whose sessions the pages show, where they are and by which clock.
type Scope struct {
	Dir     string // of the archive
	Env     func(string) string
	Zone    *time.Location
	Clock   func() time.Time
	Project string // the root of the only project that is shown, "" for all
}

// Now is the time in the zone of the pages.
func (s *Scope) Now() time.Time { return s.Clock().In(s.Zone) }

// Caller asks about a folder without printing warnings: those of one project must not appear on the pages of all.
func (s *Scope) Caller(dir string) *workspace.Caller {
	return workspace.Quiet(dir, s.Env, s.Now())
}

// ProjectsWord says which projects a page is about.
func (s *Scope) ProjectsWord(f Filter) string {
	switch {
	case f.Project != "":
		return plain.Line(filepath.Base(f.Project))
	case s.Project != "":
		return plain.Line(filepath.Base(s.Project))
	}
	return "all projects that you have vouched for"
}

// Shows reports whether a project is one of those that the pages show.
func (s *Scope) Shows(root string) bool {
	p, err := project.Find(root, s.Env)
	return err == nil && p.Marked && p.Root == root && (s.Project == "" || s.Project == root)
}
