package own

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/trace"
)

// layout is the only one there is.
const layout = "workflow.log v1"

// Find finds the logs in the places that were named, else those of the projects that are known: the ones that this user
// has marked, those in Places.Projects, and the one around the working directory.
func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	seen := map[string]bool{}
	take := func(oss string) error {
		real, err := filepath.EvalSymlinks(oss)
		if err != nil || seen[real] {
			return nil // it is not there, or was taken
		}
		seen[real] = true
		s, ok := store(real)
		if !ok {
			return nil
		}
		return found(s)
	}
	for _, path := range in.Paths {
		if err := named(ctx, path, take); err != nil {
			return err
		}
	}
	if len(in.Paths) > 0 {
		return nil
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
		if err := ctx.Err(); err != nil {
			return err
		}
		// At refuses an .oss that is not this user's own folder.
		if p, err := project.At(root, env); err == nil {
			if err := take(filepath.Join(p.Root, project.OssDir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// named takes the log that path is, or those below it. Folders of git and of packages are passed over.
func named(ctx context.Context, path string, take func(oss string) error) error {
	if filepath.Base(path) == journal.Name {
		return take(filepath.Dir(path))
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() && d.Name() == project.OssDir:
			if err := take(path); err != nil {
				return err
			}
			return fs.SkipDir
		case !d.IsDir() && d.Name() == journal.Name:
			return take(filepath.Dir(path))
		}
		return nil
	})
}

// store is the log in the folder oss, with its rotated segments.
func store(oss string) (trace.Store, bool) {
	s := trace.Store{Reader: Name, Path: filepath.Join(oss, journal.Name), Layout: layout}
	entries, err := os.ReadDir(oss)
	if err != nil {
		return s, false
	}
	files := 0
	for _, e := range entries {
		if e.Name() != journal.Name && !isSegment(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // rotated or dropped just now
		}
		files++
		s.Size += info.Size()
		s.ModTime = latest(s.ModTime, info.ModTime())
		if e.Name() != journal.Name {
			s.Parts = append(s.Parts, filepath.Join(oss, e.Name()))
		}
	}
	return s, files > 0
}

// isSegment says whether a file is a rotated segment: workflow.log.<first seq>.
func isSegment(name string) bool {
	number, ok := strings.CutPrefix(name, journal.Name+".")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
