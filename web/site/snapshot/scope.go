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
	Project string                 // the root of the only project that is shown, "" for all
	Hidden  func(root string) bool // reports whether the user's settings hide a project; nil: none
}

// Hides reports whether the user's settings hide a project. The one that --project names is shown.
func (s *Scope) Hides(root string) bool {
	return s.Hidden != nil && root != "" && root != s.Project && s.Hidden(root)
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
		return NameOf(f.Project)
	case s.Project != "":
		return NameOf(s.Project)
	}
	return "all projects"
}

// NameOf is how a project is called: by its folder.
func NameOf(root string) string {
	if root == "" {
		return "–"
	}
	return plain.Line(filepath.Base(root))
}

// Shows reports whether a project's workers are shown: it has to be a trusted one.
func (s *Scope) Shows(root string) bool {
	p, err := project.Find(root, s.Env)
	return err == nil && p.Marked && p.Root == root && (s.Project == "" || s.Project == root) && !s.Hides(root)
}
