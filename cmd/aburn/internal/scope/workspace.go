package scope

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
	"aburn/workflow"
)

// Workspace is the project that a command works in, with its log.
type Workspace struct {
	*project.Project
	dir      string // the folder that the person stands in, or named with -C; absolute
	Settings settings.Settings
	Oss      *os.Root
	Log      *journal.Journal
}

// Open opens the project around the current folder (or -C DIR).
func Open(a *kit.App, cmd *cli.Command) (*Workspace, error) { return OpenWorkspace(CallerOf(a, cmd)) }

// OpenWorkspace finds the project around the caller's folder. Whatever needs the log begins with it. Without a project the
// error is exit 2.
func OpenWorkspace(c *Caller) (*Workspace, error) {
	dir, err := c.Folder()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, c.Env)
	if errors.Is(err, project.ErrNone) {
		return nil, kit.UsageError(project.ErrNone.Error(), "aburn init")
	}
	if err != nil {
		return nil, kit.UsageError(err.Error())
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil, kit.BadNews(err.Error())
	}
	w := &Workspace{Project: p, dir: dir, Settings: settings.Load(p, c.Env), Oss: oss}
	w.Settings.Model() // which adds what is wrong with it to the warnings
	for _, warning := range w.Settings.Warnings {
		c.Warn(warning)
	}
	w.Log = journal.New(oss, journal.Options{
		By:     journal.Command,
		Rotate: w.Settings.Rotate,
		Keep:   w.Settings.Keep,
		Sync:   journal.SyncPolicy(w.Settings.Sync),
	})
	return w, nil
}

func (w *Workspace) Close() { w.Oss.Close() }

// WarnDamage warns of lines that a reading of the log passed over because they are no entries.
func (w *Workspace) WarnDamage(warn WarnFunc) {
	if n := w.Log.Stats().Damage; n > 0 {
		warn(plain.Plural(n, "line")+" of the log could not be read", "aburn verify")
	}
}

// Resolve is a path as the person gave it, relative to the folder they stand in.
func (w *Workspace) Resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.dir, path)
}

// NotVouched is the answer about the log of somebody else's project.
func NotVouched() error {
	return kit.BadNews("you have not vouched for this project on this machine: its log counts as empty here", "aburn init")
}

// CheckName refuses what the log would have to rewrite.
func CheckName(what, name string, max int) error {
	switch {
	case name == "":
		return kit.UsageError(what + " is empty")
	case len(name) > max:
		return kit.UsageError(fmt.Sprintf("%s is longer than %d characters", what, max))
	case logfmt.Token(name, max) != name:
		return kit.UsageError(what+" "+kit.Quote(name)+" has other characters than letters, digits and . _ : / -", "aburn log --help")
	}
	return nil
}

// ModelAt is the workflow of the project that a command line is about, the default one outside of any.
func ModelAt(a *kit.App, cmd *cli.Command) *workflow.Model {
	var p *project.Project
	if dir, err := kit.Folder(cmd); err == nil {
		p, _ = project.Find(dir, a.Getenv)
	}
	set := settings.Load(p, a.Getenv)
	return set.Model()
}

// LogSessions are the sessions that the end of the project's log tells of, the newest first.
func LogSessions(a *kit.App, cmd *cli.Command) (list []string) {
	oss := OssAt(a, cmd)
	if oss == nil {
		return nil
	}
	defer oss.Close()
	seen := map[string]bool{"": true}
	for line, err := range journal.New(oss, journal.Options{By: journal.Command}).Backward(journal.BackwardOptions{Limit: journal.TailSize}) {
		if err != nil {
			break
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if id := string(h.Session); ok && !seen[id] && !strings.ContainsAny(id, ":\n") {
			seen[id] = true
			list = append(list, plain.Line(id)+":last "+plain.Line(string(h.Event))+" at "+plain.Line(string(h.Time)))
		}
	}
	return list
}

// OssAt is the .oss folder that a command line is about, nil for none: whoever completes is told of no error.
func OssAt(a *kit.App, cmd *cli.Command) *os.Root {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return nil
	}
	p, err := project.Find(dir, a.Getenv)
	if err != nil {
		return nil
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil
	}
	return oss
}

func CommandNames(m *workflow.Model) (names []string) {
	for _, c := range m.Commands {
		names = append(names, c.Name)
	}
	return names
}

func PhaseNames(m *workflow.Model) (names []string) {
	for _, p := range m.Phases {
		names = append(names, p.Name)
	}
	return names
}

func EventNames(keep func(logfmt.Event) bool) (names []string) {
	for _, ev := range logfmt.Events() {
		if keep(ev) {
			names = append(names, string(ev))
		}
	}
	return names
}

// ModelWords are the words of a command line that depend on its project's workflow, for completion.
func ModelWords(a *kit.App, words func(m *workflow.Model, n int) []string) func(cmd *cli.Command, n int) []string {
	return func(cmd *cli.Command, n int) []string { return words(ModelAt(a, cmd), n) }
}
