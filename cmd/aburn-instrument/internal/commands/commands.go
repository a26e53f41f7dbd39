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
		Usage: "add OpenTelemetry to JavaScript; prove the rest unchanged",
		Description: "Instrumentation puts spans around functions. It must not change what they do. aburn instrument\n" +
			"compares the syntax trees of a file before and after, and judges what was added.\n\n" +
			"On paths it makes a run: a model plans spans, file by file, and aburn's own editor puts them in, on a\n" +
			"branch of their own. No model is asked before you accepted the most that it can cost. With --from-plan\n" +
			"the plan is yours, and no model is asked. A file that does not pass every blocking rule stays as it is.\n\n" +
			"Exit code: 0 if each file succeeded or needs nothing, 1 if some failed or the run stopped early, 2 if\n" +
			"nothing was achieved, 3 if you declined.",
		UsageText: "aburn instrument command [options]\naburn instrument PATH... [options]\naburn instrument [PATH...] --from-plan " +
			"FILE [options]",
		Metadata: kit.Examples("aburn instrument scan src  # which functions deserve a span?",
			"aburn instrument src  # a model plans, aburn edits", "aburn instrument --from-plan plan.json --dry-run",
			"aburn instrument check before.js after.js  # only instrumentation was added?"),
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
		}, append(applyFlags(), runFlags()...)...),
		Commands: []*cli.Command{initCommand(a), checkCommand(a), recordCommand(a), scanCommand(a), registryCommand(a), costCommand(a), statusCommand(a),
			resumeCommand(a), abortCommand(a), approveCommand(a)},
	})
}
