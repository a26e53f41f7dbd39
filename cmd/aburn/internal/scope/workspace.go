package scope

import (
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/workflow"
)

// Open opens the project around the current folder (or -C DIR).
func Open(a *kit.App, cmd *cli.Command) (*workspace.Workspace, error) {
	return workspace.Open(CallerOf(a, cmd))
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

// ModelWords completes arguments that depend on the project's workflow.
func ModelWords(a *kit.App, words func(m *workflow.Model, n int) []string) func(cmd *cli.Command, n int) []string {
	return func(cmd *cli.Command, n int) []string { return words(ModelAt(a, cmd), n) }
}
