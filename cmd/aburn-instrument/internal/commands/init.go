package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsproject"
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
			"On a terminal it asks once: for the files that it would write and for the project's tests and formatter, which\n" +
			"aburn may start then. That answer is saved outside of the repository. Without a terminal it writes only with\n" +
			"--yes, which permits no command.\n\n" +
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
	answer.Project = p
	w := planned(p, dir, c)
	if err := w.read(a); err != nil {
		return err
	}
	switch open := w.open(answer); {
	case w.nothing() && len(open) == 0:
	case cmd.Bool("yes"):
		notPermitted(a, w, open)
		err = w.write(ctx, a, answer)
	case !ask && w.nothing():
		notPermitted(a, w, open)
	case !ask:
		return refuse(a, cmd, answer, w)
	case !w.confirmed(a, open):
		if w.nothing() { // only commands were asked for
			break
		}
		fmt.Fprintln(a.Stdout, "nothing was written")
		return fault.Exit(exitDeclined)
	default:
		if err = w.write(ctx, a, answer); err == nil {
			err = w.permit(a, answer, open)
		}
	}
	if err != nil {
		return err
	}
	p = answer.Project
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
