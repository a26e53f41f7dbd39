package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/history/why"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/worker/forge"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

func WhyCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "find the session that made a line or a commit",
		ArgsUsage: "FILE[:LINE[-LINE]] | COMMIT | RANGE | BRANCH | --pr N",
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
			&cli.IntFlag{Name: "pr", Usage: "ask about the commits of pull request `N`"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator: whyArgument,
		Metadata: kit.Examples(
			"aburn why main.go:42",
			"aburn why main.go",
			"aburn why HEAD",
			"aburn why main..topic",
			"aburn why --pr 31",
			"aburn why HEAD --json | jq -r '.commits[].sessions[].prompt'",
		),
		Action: a.Action(runWhy),
	}
}

func whyArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.IsSet("pr") {
		if cmd.Args().Len() > 0 || cmd.Int("pr") < 1 {
			return fault.Usage("--pr takes the number of a pull request, and no file or commit", "aburn why --pr 31")
		}
		return nil
	}
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
	word := cmd.Args().First()
	if cmd.IsSet("pr") {
		var err error
		if word, err = pullRange(ctx, a, cmd, cmd.Int("pr")); err != nil {
			return err
		}
	}
	w, err := why.Ask(ctx, chosen.CallerOf(a, cmd), os.Environ(), word, limit, func() error { return chosen.CatchUp(ctx, a, cmd, lookup.Choice{}) })
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

// pullRange is the range of the commits of a pull request, as far as this clone has them.
func pullRange(ctx context.Context, a *kit.App, cmd *cli.Command, number int) (string, error) {
	folder, err := chosen.CallerOf(a, cmd).Folder()
	if err != nil {
		return "", err
	}
	repo, err := tree.Open(ctx, folder, os.Environ())
	var problem *tree.Problem
	if errors.As(err, &problem) {
		return "", fault.Usage(problem.Text, problem.Advice)
	}
	if err != nil {
		return "", err
	}
	var pull *forge.Pull
	var remote string
	if o, notProject := target.OpenProject(a, cmd); notProject == nil {
		defer o.Close()
		pull, remote, err = projects.Pull(ctx, o, repo, number)
	} else {
		pull, remote, err = projects.PullOfRepository(ctx, os.Environ(), repo, number)
	}
	if err != nil && !errors.Is(err, forge.ErrElsewhere) {
		return "", err
	}
	base := pull.BaseAt
	if _, err := repo.Commit(ctx, base); err != nil {
		base = remote + "/" + pull.Base
	}
	if _, err := repo.Commit(ctx, pull.Head); err != nil {
		return "", fault.Failed(fmt.Sprintf("this clone doesn't have the commits of pull request #%d", number),
			"git fetch "+shell.Quote(remote)+" "+shell.Quote(pull.Branch))
	}
	return base + ".." + pull.Head, nil
}
