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

// Open opens the project around the current folder (or -C DIR).
func Open(a *kit.App, cmd *cli.Command) (*Workspace, error) { return OpenWorkspace(CallerOf(a, cmd)) }

// OpenWorkspace opens the project around the caller's folder, with its log. Without a project the error is exit 2.
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
		return kit.BadNews("the .oss of this project isn't the one that you trusted: its log counts as empty here", "aburn init")
	}
	return kit.BadNews("you have not vouched for this project on this machine: its log counts as empty here", "aburn init")
}

// CheckName refuses a name that the log would have to change. what names it in the error, max is in bytes.
func CheckName(what, name string, max int) error {
	switch {
	case name == "":
		return kit.UsageError(what + " is empty")
	case len(name) > max:
		return kit.UsageError(fmt.Sprintf("%s is longer than %d characters", what, max))
	case logfmt.Token(name, max) != name:
		return kit.UsageError(what+" "+kit.Quote(name)+" may only have letters, digits and . _ : / -", "aburn log --help")
	}
	return nil
}

// ModelAt is the workflow of the project that a command line is about, or the default one outside of projects.
func ModelAt(a *kit.App, cmd *cli.Command) *workflow.Model {
	var p *project.Project
	if dir, err := kit.Folder(cmd); err == nil {
		p, _ = project.Find(dir, a.Getenv)
	}
	set := settings.Load(p, a.Getenv)
	return set.Model()
}

// LogSessions completes the sessions in the end of the project's log, the newest first.
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

// OssAt is the .oss folder that a command line is about. Completion shows no error, so it is nil if there is none.
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

// ModelWords completes arguments that depend on the project's workflow.
func ModelWords(a *kit.App, words func(m *workflow.Model, n int) []string) func(cmd *cli.Command, n int) []string {
	return func(cmd *cli.Command, n int) []string { return words(ModelAt(a, cmd), n) }
}
