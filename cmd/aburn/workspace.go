package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// workspace is the project that a command works in, with its log.
type workspace struct {
	*project.Project
	dir      string // the folder that the person stands in, or named with -C; absolute
	settings settings.Settings
	oss      *os.Root
	log      *journal.Journal
}

// open opens the project around the current folder (or -C DIR).
func (a *app) open(cmd *cli.Command) (*workspace, error) { return openWorkspace(a.caller(cmd)) }

// openWorkspace finds the project around the caller's folder. Whatever needs the log begins with it. Without a project the
// error is exit 2.
func openWorkspace(c *caller) (*workspace, error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, c.Env)
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
	w := &workspace{Project: p, dir: dir, settings: settings.Load(p, c.Env), oss: oss}
	w.settings.Model() // which adds what is wrong with it to the warnings
	for _, warning := range w.settings.Warnings {
		c.Warn(warning)
	}
	w.log = journal.New(oss, journal.Options{
		By:     journal.Command,
		Rotate: w.settings.Rotate,
		Keep:   w.settings.Keep,
		Sync:   journal.SyncPolicy(w.settings.Sync),
	})
	return w, nil
}

func (w *workspace) close() { w.oss.Close() }

// warnDamage warns of lines that a reading of the log passed over because they are no entries.
func (w *workspace) warnDamage(warn warner) {
	if n := w.log.Stats().Damage; n > 0 {
		warn(plain.Plural(n, "line")+" of the log could not be read", "aburn verify")
	}
}

// resolve is a path as the person gave it, relative to the folder they stand in.
func (w *workspace) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.dir, path)
}

// notVouched is the answer about the log of somebody else's project.
func notVouched() error {
	return badNews("you have not vouched for this project on this machine: its log counts as empty here", "aburn init")
}

// checkName refuses what the log would have to rewrite.
func checkName(what, name string, max int) error {
	switch {
	case name == "":
		return usageError(what + " is empty")
	case len(name) > max:
		return usageError(fmt.Sprintf("%s is longer than %d characters", what, max))
	case logfmt.Token(name, max) != name:
		return usageError(what+" "+quote(name)+" has other characters than letters, digits and . _ : / -", "aburn log --help")
	}
	return nil
}
