package projects

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/worker/config"
)

// Accepted is the file with hashes of texts that the person confirmed for this project.
func (o *Project) Accepted() string { return filepath.Join(o.Store.Dir, "confirmed") }

// Config is what counts for the project.
func (o *Project) Config(only string) (*config.Config, error) {
	root := o.Root
	p := config.Places{
		Root: root, User: config.UserFile(project.ConfigDir(o.Env)), Only: only, Home: o.Env("HOME"), Accepted: config.Accepted(o.Accepted()),
	}
	c, err := config.Load(p)
	var m *config.Mistake
	switch {
	case errors.As(err, &m):
		var hints []string
		if m.Word != "" {
			hints = fault.DidYouMean(m.Word, m.Known)
		}
		return nil, fault.Usage(plain.Line(m.Error()), append(hints, "aburn config check")...)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Usage(err.Error())
	}
	return c, err
}

// Relative is a path as seen from the project, where that is shorter.
func (o *Project) Relative(path string) string {
	if rel, err := filepath.Rel(o.Root, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// KeepHash writes down what the person confirmed: one text a project, so an older one does not count again.
func (o *Project) KeepHash(path, hash string) error {
	if err := os.MkdirAll(o.Store.Dir, 0o700); err != nil {
		return fault.Failed(err.Error())
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.WriteString(hash + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fault.Failed(err.Error())
	}
	return nil
}
