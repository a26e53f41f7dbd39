package scope

import (
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
	"aburn/workflow"
	"os"
	"strings"

	"aburn/cmd/internal/kit"

	"github.com/urfave/cli/v3"
)

// ModelAt is the workflow of the project that a command line is about, the default one outside of any.
func ModelAt(a *kit.App, cmd *cli.Command) *workflow.Model {
	var p *project.Project
	if dir, err := kit.Folder(cmd); err == nil {
		p, _ = project.Find(dir, a.Env)
	}
	set := settings.Load(p, a.Env)
	return set.Model()
}

// SessionsAt are the sessions that the end of the project's log tells of, the newest first.
func SessionsAt(a *kit.App, cmd *cli.Command) (list []string) {
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
	p, err := project.Find(dir, a.Env)
	if err != nil {
		return nil
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil
	}
	return oss
}

func CommandsOf(m *workflow.Model) (names []string) {
	for _, c := range m.Commands {
		names = append(names, c.Name)
	}
	return names
}

func PhasesOf(m *workflow.Model) (names []string) {
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
