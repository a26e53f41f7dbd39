package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/templates"
)

func TemplatesCommand(a *kit.App) *cli.Command {
	list := templatesList(a)
	return a.ByDefault(&cli.Command{
		Name:  "templates",
		Usage: "write workflow commands for agents",
		Description: "ideate, plan, build and ship as slash commands of Claude Code, opencode, Gemini CLI and Qwen Code, and as skills of\n" +
			"Codex and the Copilot CLI: prompts that begin with `aburn chain` and log their lifecycle with `aburn log`.\n" +
			"The guide is for those who write prompts of their own. Without a command, `aburn templates` lists them.",
		Metadata: kit.Examples("aburn templates", "aburn templates show build", "aburn templates write"),
		Commands: []*cli.Command{list, templatesShow(a), templatesWrite(a), templatesRemove(a)},
	}, list)
}

// agentFlag is --agent for one of these agents.
func agentFlag(value string, of []install.Agent) cli.Flag {
	values := agentcli.Names(Records(of)) + " or all"
	return &cli.StringFlag{Name: "agent", Usage: "for `AGENT`: " + values, Value: value, Validator: func(s string) error {
		if len(agentsNamed(s, of)) == 0 {
			return fmt.Errorf("--agent: %s, not %s", values, fault.Quote(s))
		}
		return nil
	}}
}

// prompted are the agents that have commands and skills of aburn's.
func prompted() []install.Agent {
	return slices.DeleteFunc(install.Agents(), func(a install.Agent) bool { return !a.Prompted() })
}

// agentsNamed are those of a value of --agent; none for an unknown value.
func agentsNamed(name string, of []install.Agent) []install.Agent {
	return slices.DeleteFunc(slices.Clone(of), func(a install.Agent) bool { return name != "all" && name != a.Name })
}

// Records are the records of agents.
func Records(agents []install.Agent) (list []*agentcli.Agent) {
	for _, a := range agents {
		list = append(list, a.Agent)
	}
	return list
}

func templatesList(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "list",
		Usage:        "list the templates",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn templates list"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Bool("json") {
				return a.PrintJSON(listed())
			}
			table := term.Table{Columns: []term.Column{{Title: "NAME"}, {Title: "KIND"}, {Title: "WHAT", Flex: true, Min: 20}}}
			for _, t := range templates.List() {
				table.Add(t.Name, string(t.Kind), t.Description)
			}
			return table.Print(a.Screen(cmd), 0)
		},
	}
}

// listing is a template in `aburn templates list --json`.
type listing struct {
	templates.Template
	agents []*agentcli.Agent
}

// MarshalJSON has a member for each agent: the path below the project.
func (l listing) MarshalJSON() ([]byte, error) {
	head := struct {
		Name        string         `json:"name"`
		Kind        templates.Kind `json:"kind"`
		Description string         `json:"description"`
	}{l.Name, l.Kind, l.Description}
	out, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	out = out[:len(out)-1]
	for _, agent := range l.agents {
		out = fmt.Appendf(out, ",%q:%q", agent.Name, l.ProjectPath(agent)) // names and paths of ASCII
	}
	return append(out, '}'), nil
}

func listed() (all []listing) {
	for _, t := range templates.List() {
		all = append(all, listing{t, Records(prompted())})
	}
	return all
}

func templatesShow(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "print a template as an agent gets it",
		ArgsUsage: "NAME",
		Flags:     []cli.Flag{agentFlag(prompted()[0].Name, prompted())},
		ShellComplete: a.Completer(func(n int) []string {
			if n > 0 {
				return nil
			}
			return templateNames()
		}),
		Metadata: kit.Examples("aburn templates show build", "aburn templates show logging", "aburn templates show plan --agent codex"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			name := cmd.Args().First()
			if name == "" || cmd.Args().Len() > 1 {
				return fault.Usage("name one template", "aburn templates list")
			}
			t, ok := templates.Find(name)
			if !ok {
				return unknownTemplate(name)
			}
			agents := agentsNamed(cmd.String("agent"), prompted())
			if len(agents) != 1 {
				return fault.Usage("--agent: " + agentcli.Names(Records(prompted())) + ": one of them")
			}
			_, err := a.Stdout.Write(t.Render(agents[0].Agent))
			return err
		},
	}
}

func unknownTemplate(name string) error {
	hints := []string{"aburn templates list"}
	if near := plain.Nearest(name, templateNames()); near != "" {
		hints = append([]string{"did you mean " + near + "?"}, hints...)
	}
	return fault.Usage("there is no template "+fault.Quote(name), hints...)
}

func templateNames() (names []string) {
	for _, t := range templates.List() {
		names = append(names, t.Name)
	}
	return names
}

func templatesWrite(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "write",
		Usage:     "write the commands and the guide where agents find them",
		ArgsUsage: "[DIR]",
		Description: "Writes into .claude/, .agents/, .opencode/, .gemini/, .qwen/ and .github/ of DIR; without DIR, of the worktree\n" +
			"you are in. A file that you changed stays as it is (exit 1 says so); what an older aburn wrote is renewed.\n" +
			"In Claude Code /plan is then this command; its own plan mode stays on shift+tab.",
		Flags: []cli.Flag{
			agentFlag("all", prompted()),
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace changed files too"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would be written"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn templates write", "aburn templates write --agent claude ~    # for all your projects"),
		Action:   a.Action(runWriteTemplates),
	}
}

func templatesRemove(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "remove",
		Usage:     "remove what `templates write` wrote",
		ArgsUsage: "[DIR]",
		Description: "Removes the files that `aburn templates write` wrote into DIR, or the worktree you are in, and then the empty\n" +
			"folders. A file that you changed stays (exit 1 says so).",
		Flags: []cli.Flag{
			agentFlag("all", prompted()),
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would be removed"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn templates remove", "aburn templates remove --agent gemini ~"),
		Action:   a.Action(runRemoveTemplates),
	}
}

func runRemoveTemplates(_ context.Context, a *kit.App, cmd *cli.Command) error {
	dir, err := templatesDir(a, cmd)
	if err != nil {
		return err
	}
	done := []templates.Written{}
	for _, agent := range Records(agentsNamed(cmd.String("agent"), prompted())) {
		some, err := templates.Remove(dir, agent, cmd.Bool("dry-run"))
		done = append(done, some...)
		if err != nil {
			return writeError(err)
		}
	}
	if len(done) == 0 && !cmd.Bool("json") {
		_, err := fmt.Fprintf(a.Screen(cmd), "aburn wrote nothing in %s\n", plain.Line(dir))
		return err
	}
	return printWritten(a, cmd, dir, done)
}

func runWriteTemplates(_ context.Context, a *kit.App, cmd *cli.Command) error {
	dir, err := templatesDir(a, cmd)
	if err != nil {
		return err
	}
	agents := Records(agentsNamed(cmd.String("agent"), prompted()))
	done, err := writeTemplates(cmd, dir, agents, true) // what blocks one agent's files keeps the other's from being written
	if err == nil && !cmd.Bool("dry-run") {
		done, err = writeTemplates(cmd, dir, agents, false)
	}
	if err != nil {
		return writeError(err)
	}
	return printWritten(a, cmd, dir, done)
}

func writeTemplates(cmd *cli.Command, dir string, agents []*agentcli.Agent, dry bool) (done []templates.Written, err error) {
	for _, agent := range agents {
		o := templates.Options{Ledger: templates.ProjectLedger(agent), Force: cmd.Bool("force"), DryRun: dry}
		some, err := templates.Write(dir, templates.ProjectFiles(agent), o)
		done = append(done, some...)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// writeError gives the hint that belongs to an error of templates.Write.
func writeError(err error) error {
	if blocked := (*templates.Blocked)(nil); errors.As(err, &blocked) {
		return fault.Failed(plain.Line(err.Error()), "nothing was written: put a folder in its place, or name another folder as DIR")
	}
	return fault.Failed(err.Error())
}

// templatesDir is DIR, else the root of the worktree, else the current folder.
func templatesDir(a *kit.App, cmd *cli.Command) (string, error) {
	here, err := kit.Folder(cmd)
	if err != nil {
		return "", err
	}
	switch dir := cmd.Args().First(); {
	case cmd.Args().Len() > 1:
		return "", fault.Usage("unexpected argument "+fault.Quote(cmd.Args().Get(1)), cmd.FullName()+" --help")
	case dir != "" && filepath.IsAbs(dir):
		return dir, nil
	case dir != "":
		return filepath.Join(here, dir), nil
	}
	if p, err := project.Find(here, a.Getenv); err == nil {
		return p.Worktree, nil
	}
	return here, nil
}

// printWritten prints the state of each file. It fails if a changed file was kept.
func printWritten(a *kit.App, cmd *cli.Command, dir string, done []templates.Written) error {
	if cmd.Bool("json") {
		err := a.PrintJSON(struct {
			Dir    string              `json:"dir"`
			DryRun bool                `json:"dry_run"`
			Files  []templates.Written `json:"files"`
		}{dir, cmd.Bool("dry-run"), done})
		if err != nil {
			return err
		}
		return fault.Exit(keptCode(done))
	}
	o := a.Screen(cmd)
	same, kept := 0, 0
	fmt.Fprintf(o, "in %s\n", plain.Line(dir))
	for _, w := range done {
		switch w.Status {
		case templates.Same:
			same++
			continue
		case templates.Kept:
			kept++
		}
		fmt.Fprintf(o, "  %s %s\n", o.Paint(statusStyle(w.Status), plain.Pad(string(w.Status), 9)), w.Path)
	}
	if same > 0 {
		fmt.Fprintf(o, "  %s\n", o.Paint(term.Dim, plain.Plural(int64(same), "file")+" as they should be"))
	}
	if cmd.Bool("dry-run") {
		fmt.Fprintln(o, "nothing was written")
	}
	if kept > 0 && cmd.Name == "remove" {
		return fault.Failed(plain.Plural(int64(kept), "file")+" not removed, because of your changes", "they are yours now: remove them yourself")
	}
	if kept > 0 {
		return fault.Failed(plain.Plural(int64(kept), "file")+" not written, because of your changes", "--force replaces changed files")
	}
	return nil
}

func keptCode(done []templates.Written) int {
	for _, w := range done {
		if w.Status == templates.Kept {
			return fault.ExitFailed
		}
	}
	return fault.ExitOK
}

func statusStyle(s templates.Status) term.Style {
	switch s {
	case templates.Kept:
		return term.Yellow
	case templates.Forced:
		return term.Magenta
	}
	return term.Green
}
