package own

import (
	"context"
	"path/filepath"
	"strings"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/trace"
	"aburn/trace/draft"
)

// layout is the only one there is.
const layout = "workflow.log v1"

// Find finds the logs in the places that were named, else those of the projects that are known: the ones that this user
// has marked, those in Places.Projects, and the one around the working directory.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, found)
	s.Named(in.Paths, func(f draft.File) {
		if filepath.Base(f.Path) == journal.Name {
			give(s, filepath.Dir(f.Path))
		}
	}, func(dir string) { below(s, dir) })
	if len(in.Paths) > 0 {
		return s.End()
	}
	env := func(name string) string {
		if name == "HOME" {
			return in.Home
		}
		return in.Getenv(name)
	}
	roots := append(project.Marked(env), in.Projects...)
	if pwd := env("PWD"); filepath.IsAbs(pwd) {
		if here, err := project.Find(pwd, env); err == nil {
			roots = append(roots, here.Root)
		}
	}
	for _, root := range roots {
		// At refuses an .oss that is not this user's own folder.
		if p, err := project.At(root, env); err == nil {
			give(s, filepath.Join(p.Root, project.OssDir))
		}
	}
	return s.End()
}

// below finds the logs in a folder that a person named, and in those below it. Folders of git and of packages are passed over.
func below(s *draft.Search, dir string) {
	if filepath.Base(dir) == project.OssDir {
		give(s, dir)
		return
	}
	s.Walk(dir, func(e draft.Entry) bool {
		switch {
		case e.IsDir() && e.Name == project.OssDir:
			give(s, e.Path())
			return false
		case !e.IsDir() && e.Name == journal.Name:
			give(s, filepath.Dir(e.Path()))
		}
		return e.Name != ".git" && e.Name != "node_modules"
	})
}

// give gives the log in the folder oss, with its rotated segments, once.
func give(s *draft.Search, oss string) {
	oss, err := filepath.EvalSymlinks(oss)
	if err != nil || !s.Once(oss) {
		return // it is not there, or was given
	}
	log := draft.File{Path: filepath.Join(oss, journal.Name)} // after a rotation there can be none
	var segments []draft.File
	for e := range s.Entries(oss) {
		if e.Name != journal.Name && !isSegment(e.Name) || !e.IsRegular() {
			continue
		}
		f, ok := e.File()
		switch {
		case !ok: // rotated or dropped just now
		case e.Name == journal.Name:
			log = f
		default:
			segments = append(segments, f)
		}
	}
	if len(segments) > 0 || !log.ModTime.IsZero() {
		s.Give(draft.Store(Name, layout, log, segments...))
	}
}

// isSegment says whether a file is a rotated segment: workflow.log.<first seq>.
func isSegment(name string) bool {
	number, ok := strings.CutPrefix(name, journal.Name+".")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}
