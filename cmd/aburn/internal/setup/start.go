package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/project"
	"aburn/internal/term"
)

// StartAction is what `aburn` without a command does. On a terminal it says what is there and what to do next. Elsewhere
// it prints the help.
func StartAction(a *kit.App) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		out := a.Screen(cmd)
		if cmd.Args().Present() || !out.Terminal() {
			return a.HelpAction(ctx, cmd)
		}
		dir, err := kit.Folder(cmd)
		if err != nil {
			return err
		}
		found := findStart(dir, a.Getenv)
		term.Paragraph(out, 0, "", found.sentence())
		t := term.Table{Columns: []term.Column{{}, {}, {Flex: true, Min: 20}}}
		for i, s := range found.steps() {
			t.AddCells(term.Cell{Text: fmt.Sprintf(" %d", i+1), Style: term.Dim}, term.Cell{Text: s.command, Style: term.Bold}, term.Cell{Text: s.does})
		}
		if err := t.Print(out, 0); err != nil {
			return err
		}
		fmt.Fprintf(out, "All commands: %s\n", out.Paint(term.Bold, "aburn help all"))
		return nil
	}
}

// start is what is there already.
type start struct {
	present  []string // titles of the agents on this machine
	hooked   []string // titles of those whose settings call the hook in sessions in this folder
	archived bool     // sessions were read before
	unfit    bool     // this folder is no place for a project
	project  bool     // sessions in this folder are recorded, once an agent is hooked
}

func findStart(dir string, env func(string) string) (s start) {
	for _, a := range install.Present(install.Agents(), env) {
		s.present = append(s.present, a.Title)
	}
	for _, a := range install.Agents() {
		for _, settings := range install.Inspect(a, dir, env) {
			if len(settings.Own()) > 0 {
				s.hooked = append(s.hooked, a.Title)
				break
			}
		}
	}
	_, err := os.Stat(filepath.Join(archive.Dir(env), archive.Name))
	s.archived = err == nil && archive.Dir(env) != ""
	_, err = project.Find(dir, env)
	s.project, s.unfit = err == nil, project.Unfit(dir, env)
	return s
}

// sentence says what aburn does here, and what is there.
func (s start) sentence() string {
	const does = "aburn records what your coding agents do. "
	switch {
	case len(s.hooked) > 0 && s.project:
		return "aburn records " + list(s.hooked) + " in this project."
	case len(s.hooked) > 0:
		return "aburn records " + list(s.hooked) + ", but not in this folder, because it isn't a project."
	case len(s.present) > 0:
		return does + "No hooks are installed yet. Found here: " + list(s.present) + "."
	}
	return does + "No hooks are installed yet, and no agent was found of these: " + list(titles(install.Agents())) + "."
}

func titles(agents []install.Agent) (out []string) {
	for _, a := range agents {
		out = append(out, a.Title)
	}
	return out
}

type step struct{ command, does string }

// steps are the next three commands.
func (s start) steps() []step {
	report := step{"aburn report", "what keeps going wrong"}
	if !s.archived {
		report = step{"aburn ingest && aburn report", "what went wrong in the sessions on this disk"}
	}
	switch {
	case len(s.hooked) == 0:
		return []step{report, {"aburn install-hooks", "record from now on; shows the change, asks"}, {"aburn doctor", "check that it records"}}
	case !s.project:
		if s.unfit {
			return []step{report, {"aburn top", "what runs now"}, {"aburn doctor", "check that it records"}}
		}
		return []step{{"aburn init", "record the sessions in this folder too"}, report, {"aburn doctor", "check that it records"}}
	}
	return []step{{"aburn status", "what runs now, and what waits for you"}, {"aburn tail -f", "watch the agents at work"}, report}
}

// list is names as a sentence has them: A, B and C.
func list(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
