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

// layout is the one form of a log.
const layout = "workflow.log v1"

// Find finds the logs in the named places, else those of the known projects: the ones that this user has marked, those
// in Places.Projects, and the one around the working directory.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	s := draft.NewSearch(ctx, in, found)
	s.Named(in.Paths, func(f draft.File) {
		if filepath.Base(f.Path) == journal.Name {
			giveLog(s, filepath.Dir(f.Path))
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
			giveLog(s, filepath.Join(p.Root, project.OssDir))
		}
	}
	return s.End()
}

// below finds the logs below a folder that a person named. It skips the folders of git and of packages.
func below(s *draft.Search, dir string) {
	if filepath.Base(dir) == project.OssDir {
		giveLog(s, dir)
		return
	}
	s.Walk(dir, func(e draft.Entry) bool {
		switch {
		case e.IsDir() && e.Name == project.OssDir:
			giveLog(s, e.Path())
			return false
		case !e.IsDir() && e.Name == journal.Name:
			giveLog(s, filepath.Dir(e.Path()))
		}
		return e.Name != ".git" && e.Name != "node_modules"
	})
}

// giveLog gives the log in the folder oss, with its rotated segments, once.
func giveLog(s *draft.Search, oss string) {
	oss, err := filepath.EvalSymlinks(oss)
	if err != nil || !s.Once(oss) {
		return // missing, or already given
	}
	log := draft.File{Path: filepath.Join(oss, journal.Name)} // right after a rotation there may be none
	var segments []draft.File
	for e := range s.Entries(oss) {
		if e.Name != journal.Name && !isSegment(e.Name) || !e.IsRegular() {
			continue
		}
		f, ok := e.File()
		switch {
		case !ok: // just rotated or dropped
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

// isSegment reports whether a file is a rotated segment: workflow.log.<first seq>.
func isSegment(name string) bool {
	number, ok := strings.CutPrefix(name, journal.Name+".")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}
