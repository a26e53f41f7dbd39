package learn

import (
	"cmp"
	"context"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/queries"
	"aburn/internal/shell"
	"aburn/internal/term"
)

func ReplayCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "show the sessions behind a line of the report",
		ArgsUsage: "KEY|SESSION",
		Description: "Shows the sessions that share a key of `aburn report` (f1-…, s1-…, e1-…, or 4 of its digits): their errors, tools " +
			"and files, and how each " +
			"of the newest 10 began\n" +
			"and first failed. Every claim names its session and event: `aburn show SESSION --raw EVENT` prints the record behind it. On a pipe it is Markdown.\n\n" +
			"It shows what agents wrote to disk, and judges nothing. `aburn supervisor backtest` replays the supervisor over old workflow logs.",
		Flags:         []cli.Flag{chosen.IngestFlag(), kit.JSONFlag()},
		ArgValidator:  chosen.TargetArgument,
		ShellComplete: a.Completion(chosen.CompleteTargets),
		Metadata: kit.Examples(
			"aburn replay e1-3fa9c41d20b7",
			"aburn replay 5b0c2f91 --json | jq '.errors[0]'",
		),
		Action: a.Action(runReplay),
	}
}

func runReplay(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := chosen.CatchUp(ctx, a, cmd, lookup.Choice{}); err != nil {
		return err
	}
	word := cmd.Args().First()
	r, err := queries.ReplayOf(ctx, chosen.CallerOf(a, cmd), word)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	out := a.Screen(cmd)
	if err := term.ShowMarkdown(out, r.Markdown()); err != nil {
		return err
	}
	term.PrintNextSteps(out, "aburn remedy "+shell.Quote(cmp.Or(r.Key, word)))
	return nil
}
