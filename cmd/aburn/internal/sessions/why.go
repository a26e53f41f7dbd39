package sessions

import (
	"context"
	"os"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/history/why"
	"aburn/internal/fault"
	"aburn/internal/plain"
)

func WhyCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "find the session that made a line or a commit",
		ArgsUsage: "FILE[:LINE[-LINE]] | COMMIT | RANGE | BRANCH",
		Description: "For each commit: the agent's session, the prompt before it, the checks that ran, and what the turn cost. Lines are found with git blame.\n" +
			"aburn compares git's reflogs with the calls that agents saved, and says how sure it is:\n\n" +
			"  made       a call of the session made the commit\n" +
			"  rewritten  it has the same patch as a commit that a session made: rebased, reworded, squashed\n" +
			"  stated     its message names a session, or an agent as co-author\n" +
			"  during     it was made while the session worked in this worktree, maybe by somebody else\n" +
			"  none       no session that aburn knows made it\n\n" +
			"Merges are nobody's. Exit code 1 if no session was found.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "stop after `N` commits of a range or branch (default " + strconv.Itoa(why.Limit) + ")"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator: whyArgument,
		Metadata: kit.Examples(
			"aburn why main.go:42",
			"aburn why main.go",
			"aburn why HEAD",
			"aburn why main..topic",
			"aburn why HEAD --json | jq -r '.commits[].sessions[].prompt'",
		),
		Action: a.Action(runWhy),
	}
}

func whyArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return fault.Usage("give one file, line or commit", "aburn why HEAD")
	}
	return nil
}

func runWhy(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	limit := why.Limit
	if cmd.IsSet("limit") {
		if limit = cmd.Int("limit"); limit < 1 {
			return fault.Usage("--limit: must be at least 1")
		}
	}
	w, err := why.Ask(ctx, chosen.CallerOf(a, cmd), os.Environ(), cmd.Args().First(), limit, func() error { return chosen.CatchUp(ctx, a, cmd, lookup.Choice{}) })
	if err != nil {
		return err
	}
	if w.Unread > 0 {
		a.Warn(plain.Plural(int64(w.Unread), "session") + " could not be read")
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(w)
	} else {
		w.Print(a.Screen(cmd))
		for _, note := range w.Notes() {
			a.Note(note)
		}
	}
	if err == nil && !w.Found() {
		return fault.Exit(1)
	}
	return err
}
