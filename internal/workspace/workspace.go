// Package workspace opens the project that a question is about: its settings and its log. Caller is who asks.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
	"aburn/workflow"
)

// RecentLines yields the lines at the end of the log, the newest first, as package recent wants them.
func RecentLines(w *Workspace, yield func([]byte) bool) {
	for line, err := range w.Log.Backward(journal.BackwardOptions{Limit: journal.TailSize, Newest: true}) {
		if err != nil || !yield(line.JSON) {
			return
		}
	}
}

// The note, and its hint, about a log that tells of no session.
const (
	NothingRecorded = "nothing is recorded here yet"
	AskDoctor       = "aburn doctor says whether hooks do it"
)

// Workspace is the project that a command works in, with its log.
type Workspace struct {
	*project.Project
	dir      string // the folder of -C, or the current one; absolute
	Settings settings.Settings
	Oss      *os.Root
	Log      *journal.Journal
}

// Open opens the project around the caller's folder, with its log. Without a project the error is exit 2.
func Open(c *Caller) (*Workspace, error) {
	dir, err := c.Folder()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, c.Env)
	if errors.Is(err, project.ErrNone) {
		return nil, fault.Usage(project.ErrNone.Error(), project.InitHint(dir, c.Env))
	}
	if err != nil {
		return nil, fault.Usage(err.Error())
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil, fault.Failed(err.Error())
	}
	w := &Workspace{Project: p, dir: dir, Settings: settings.Load(p, c.Env), Oss: oss}
	w.Settings.Model() // adds its faults to Warnings
	for _, warning := range w.Settings.Warnings {
		c.Warn(warning)
	}
	w.Log = journal.New(oss, journal.Options{
		By:     journal.Command,
		Rotate: w.Settings.Rotate,
		Keep:   w.Settings.Keep,
		Sync:   journal.SyncPolicy(w.Settings.Sync),
		Anchor: p.Anchor(),
	})
	return w, nil
}

func (w *Workspace) Close() { w.Oss.Close() }

// WarnDamage warns of the lines that readings of the log could not parse.
func (w *Workspace) WarnDamage(warn WarnFunc) {
	if n := w.Log.Stats().Damage; n > 0 {
		warn(plain.Plural(n, "line")+" of the log could not be read", "aburn verify")
	}
}

// Resolve makes a path that the person typed absolute.
func (w *Workspace) Resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.dir, path)
}

// NotTrusted is the error for a project without the user's mark of trust.
func NotTrusted(p *project.Project) error {
	if p.Replaced {
		return fault.Failed("the .oss of this project isn't the one that you trusted: its log counts as empty here", "aburn init")
	}
	return fault.Failed("you have not trusted this project on this machine: its log counts as empty here", "aburn init")
}

// CheckName refuses a name that the log would have to change. what names it in the error, max is in bytes.
func CheckName(what, name string, max int) error {
	switch {
	case name == "":
		return fault.Usage(what + " is empty")
	case len(name) > max:
		return fault.Usage(fmt.Sprintf("%s is longer than %d characters", what, max))
	case logfmt.Token(name, max) != name:
		return fault.Usage(what+" "+fault.Quote(name)+" may only have letters, digits and . _ : / -", "aburn log --help")
	}
	return nil
}

// CommandNames are the commands of a workflow.
func CommandNames(m *workflow.Model) (names []string) {
	for _, c := range m.Commands {
		names = append(names, c.Name)
	}
	return names
}

// PhaseNames are the phases of a workflow.
func PhaseNames(m *workflow.Model) (names []string) {
	for _, p := range m.Phases {
		names = append(names, p.Name)
	}
	return names
}

// EventNames are the events of the log's format that keep chooses.
func EventNames(keep func(logfmt.Event) bool) (names []string) {
	for _, ev := range logfmt.Events() {
		if keep(ev) {
			names = append(names, string(ev))
		}
	}
	return names
}
