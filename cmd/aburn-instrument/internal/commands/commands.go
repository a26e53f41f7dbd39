// Package commands is the commands of aburn-instrument. They are called as
// `aburn instrument …`, so help and errors name them so.
package commands

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
)

// Run executes the command line and returns the exit code.
func Run(ctx context.Context, a *kit.App, args []string) int {
	return a.Run(ctx, func() *cli.Command { return Root(a) }, args)
}

// Root is the tree of commands.
func Root(a *kit.App) *cli.Command {
	a.UseOwnHelp()
	return a.WithDefaults(&cli.Command{
		Name:  "aburn instrument",
		Usage: "OpenTelemetry for JavaScript, and proof that nothing else changed",
		Description: "Instrumentation puts spans around functions. It must not change what they do. aburn instrument\n" +
			"compares the syntax trees of a file before and after, and judges what was added.\n\n" +
			"With --from-plan it puts in the spans that a plan names, by aburn's own editor. A file that does not\n" +
			"pass every blocking rule stays as it is. No model is called.\n\n" +
			"Exit code of --from-plan: 0 if each file succeeded or needs nothing, 1 if some failed, 2 if nothing\n" +
			"was achieved, 3 if you declined.",
		UsageText:                       "aburn instrument command [options]\naburn instrument [PATH...] --from-plan FILE [options]",
		Metadata:                        kit.Examples("aburn instrument scan src  # which functions deserve a span?", "aburn instrument --from-plan plan.json --dry-run", "aburn instrument check before.js after.js  # only instrumentation was added?"),
		Version:                         kit.Version().String(),
		Writer:                          a.Stdout,
		ErrWriter:                       a.Stderr,
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: func(c *cli.Command) { c.Hidden = true },
		Action:                          a.Action(runRoot),
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "work in `DIR` instead of the current folder", Value: ".", TakesFile: true},
			&cli.BoolFlag{Name: "no-color", Usage: "no colours; NO_COLOR=1 does the same"},
		}, applyFlags()...),
		Commands: []*cli.Command{initCommand(a), checkCommand(a), recordCommand(a), scanCommand(a), registryCommand(a)},
	})
}
