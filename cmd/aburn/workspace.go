package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/internal/settings"
)

// workspace is the project that a command works in, with its log.
type workspace struct {
	*project.Project
	dir      string // the folder that the person stands in, or named with -C; absolute
	settings settings.Settings
	oss      *os.Root
	log      *journal.Journal
}

// open finds the project around the current folder (or -C DIR). Every command
// that needs the log begins with it. Without a project the error is exit 2.
func (a *app) open(cmd *cli.Command) (*workspace, error) {
	dir, err := folder(cmd)
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, a.env)
	if errors.Is(err, project.ErrNone) {
		return nil, usageError(project.ErrNone.Error(), "aburn init")
	}
	if err != nil {
		return nil, usageError(err.Error())
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil, badNews(err.Error())
	}
	w := &workspace{Project: p, dir: dir, settings: settings.Load(p, a.env), oss: oss}
	w.settings.Model() // so that what is wrong with it is told, too
	for _, warning := range w.settings.Warnings {
		a.warn(warning)
	}
	w.log = journal.New(oss, journal.Options{
		By:     journal.Command,
		Rotate: w.settings.Rotate,
		Keep:   w.settings.Keep,
		Sync:   journal.SyncPolicy(w.settings.Sync),
	})
	return w, nil
}

// folder is the folder that the person stands in, or named with -C. One that is
// not there is a mistake: the project above it is not the one that was meant.
func folder(cmd *cli.Command) (string, error) {
	dir, err := filepath.Abs(cmd.String("C"))
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", usageError("-C: " + dir + " is not a folder")
	}
	return dir, nil
}

func (w *workspace) close() { w.oss.Close() }

// resolve is a path as the person gave it, relative to the folder they stand in.
func (w *workspace) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.dir, path)
}
