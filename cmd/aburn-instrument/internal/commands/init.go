package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsproject"
	"aburn/internal/consent"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

func initCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "look at what instrumenting needs, and write " + instrument.ConfigFile,
		ArgsUsage: "[DIR]",
		Description: "Looks at git, package.json, the OpenTelemetry API and SDK, the file that sets up telemetry, where spans\n" +
			"will go, the tests, the registry, and Weaver. Then it writes " + instrument.ConfigFile + ". One that is there\n" +
			"keeps all that it says; only keys that it lacks are added. Nothing of the project is run.\n\n" +
			"On a terminal it asks whether aburn may start the project's tests and formatter. The answer is kept outside\n" +
			"of the repository. --yes does not give it.\n\n" +
			"Exit code: 0 if a run could start, 2 if something is missing for one, 3 if you declined.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask before files are written"},
			kit.JSONFlag(),
		},
		ArgValidator: atMostOne,
		Metadata:     kit.Examples("aburn instrument init", "aburn instrument init --yes --json"),
		Action:       a.Action(runInit),
	}
}

func atMostOne(_ context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() > 1 {
		return fault.Usage("unexpected argument "+fault.Quote(cmd.Args().Get(1)), cmd.FullName()+" --help")
	}
	return nil
}

// initAnswer is what init found and did.
type initAnswer struct {
	*instrument.Project
	Config    string   `json:"config"`  // the file
	Added     []string `json:"added"`   // keys that were written to it
	Created   []string `json:"created"` // files that were not there
	Permitted []string `json:"permitted"`
	Ready     bool     `json:"ready"`
}

func runInit(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	dir, err := kit.Folder(cmd)
	if err == nil && cmd.Args().Len() > 0 {
		dir, err = workspace.ExistingFolder(workspace.InFolder(dir, cmd.Args().First()))
	}
	if err != nil {
		return err
	}
	c, _, err := projectConfig(dir, "")
	if err != nil {
		return err
	}
	p, err := examine(ctx, a, dir, c)
	if err != nil {
		return err
	}
	answer := &initAnswer{Config: instrument.ConfigFile, Added: []string{}, Created: []string{}, Permitted: []string{}}
	ask := a.CanAsk(cmd) && !cmd.Bool("json")
	if ask {
		printProject(a.Screen(cmd), p)
	}
	if p.Registry == "" && mayWrite(a, cmd, ask, "write the smallest registry to "+instrument.NewRegistry+"?") {
		for name, text := range instrument.SmallestRegistry(p.Namespace()) {
			file := instrument.NewRegistry + "/" + name
			if err := instrument.WriteNew(dir, map[string]string{file: text}); err != nil {
				return fault.Failed(plain.Line(err.Error()))
			}
			answer.Created = append(answer.Created, file)
		}
		slices.Sort(answer.Created)
		if p, err = examine(ctx, a, dir, c); err != nil {
			return err
		}
	}
	answer.Project = p
	if err := writeConfig(a, cmd, ask, dir, c, answer); err != nil {
		return err
	}
	permit(a, ask, dir, answer)
	answer.Ready = p.Ready()
	if cmd.Bool("json") {
		err = a.PrintJSON(answer)
	} else {
		printInit(a.Screen(cmd), answer, ask)
	}
	if err == nil && !answer.Ready {
		return fault.Exit(fault.ExitUsage)
	}
	return err
}

func examine(ctx context.Context, a *kit.App, dir string, c instrument.Config) (*instrument.Project, error) {
	trusted, err := project.Find(dir, a.Getenv)
	p, err := instrument.Examine(ctx, dir, c, os.Environ(), err == nil && trusted.Marked)
	var bad *instrument.PathError
	if errors.As(err, &bad) {
		return nil, fault.Usage(plain.Line(bad.Error()))
	}
	if err == nil && p.SetUp != "" { // without one, nothing starts libraries
		p.Commands = append(p.Commands, jsproject.AddLine(dir, p.SetUp, p.Strategy))
	}
	return p, err
}

// mayWrite asks a person; without one --yes has to be said.
func mayWrite(a *kit.App, cmd *cli.Command, ask bool, question string) bool {
	return cmd.Bool("yes") || ask && a.Confirm(question)
}

// writeConfig writes the configuration if somebody may start a run with it, or adds to
// the one that is there.
func writeConfig(a *kit.App, cmd *cli.Command, ask bool, dir string, c instrument.Config, answer *initAnswer) error {
	had, err := os.ReadFile(filepath.Join(dir, instrument.ConfigFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Failed(plain.Line(err.Error()))
	}
	if had == nil && (!answer.Project.Ready() || answer.Project.Registry == "") {
		return nil
	}
	text, added := answer.Project.ConfigText(had, c)
	if len(added) == 0 && had != nil {
		return nil
	}
	if ask && !cmd.Bool("yes") && !a.Confirm("write "+strings.Join(added, ", ")+" to "+instrument.ConfigFile+"?") {
		fmt.Fprintln(a.Stdout, "nothing was written")
		return fault.Exit(exitDeclined)
	}
	if err := instrument.WriteConfig(dir, had, text); err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	answer.Added = append(answer.Added, added...)
	return nil
}

// permit asks whether the project's commands may be started, each line that nobody
// permitted yet. Only a person on a terminal can say so.
func permit(a *kit.App, ask bool, dir string, answer *initAnswer) {
	p, err := project.Find(dir, a.Getenv)
	var open []string
	for _, line := range answer.Project.Commands {
		if err == nil && consent.Given(p, line) {
			answer.Permitted = append(answer.Permitted, line)
		} else {
			open = append(open, line)
		}
	}
	if len(open) == 0 {
		return
	}
	switch {
	case err != nil || !p.Marked:
		a.Warn("aburn starts none of the project's commands: the project is not trusted", "aburn init, then aburn instrument init")
		return
	case !ask:
		a.Warn("nobody permitted yet: "+plain.Line(strings.Join(open, ", ")), "aburn instrument init, on a terminal")
		return
	}
	for _, line := range open {
		fmt.Fprintf(a.Stdout, "  %s\n", plain.Line(line))
	}
	if !a.Confirm("may aburn start these? That covers the lines, not what they run.") {
		return
	}
	if err := consent.Give(p, open...); err != nil {
		a.Warn(plain.Line(err.Error()))
		return
	}
	answer.Permitted = append(answer.Permitted, open...)
}

func printProject(out *term.Out, p *instrument.Project) {
	styles := map[instrument.State]term.Style{instrument.Met: term.Green, instrument.Missing: term.BoldRed, instrument.Noted: term.Yellow}
	for _, r := range p.Prerequisites {
		fmt.Fprintf(out, "%-12s %s: %s\n", r.Name, out.Paint(styles[r.State], string(r.State)), plain.Line(r.Says))
		if r.Hint != "" {
			fmt.Fprintf(out, "%-12s %s\n", "", plain.Line(r.Hint))
		}
	}
}

func printInit(out *term.Out, answer *initAnswer, shown bool) {
	if !shown || len(answer.Created) > 0 {
		printProject(out, answer.Project)
	}
	for _, f := range answer.Created {
		fmt.Fprintf(out, "wrote %s\n", plain.Line(f))
	}
	switch {
	case len(answer.Added) > 0:
		fmt.Fprintf(out, "wrote %s to %s\n", strings.Join(answer.Added, ", "), answer.Config)
	case answer.Ready:
		fmt.Fprintf(out, "%s says all that was found\n", answer.Config)
	}
	for _, line := range answer.Permitted {
		fmt.Fprintf(out, "permitted: %s\n", plain.Line(line))
	}
	if answer.Ready {
		fmt.Fprintln(out, "next: aburn instrument scan")
		return
	}
	for _, r := range answer.Lacks() {
		fmt.Fprintf(out, "missing for a run: %s: %s\n", r.Name, plain.Line(cmp.Or(r.Hint, r.Says)))
	}
	fmt.Fprintln(out, "then say aburn instrument init again")
}
