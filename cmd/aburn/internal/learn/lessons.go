package learn

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/queries"
	"aburn/internal/shell"
	"aburn/internal/term"
)

func LessonsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "lessons",
		Usage: "list failures that more than one session had",
		Description: "Lists equal errors, edit loops on the same file, and failed phases of a command that at least two sessions share, ranked by how often and " +
			"how recently, each\n" +
			"with its sessions and events. It changes nothing. On a pipe it is Markdown.",
		Flags: append(chosen.ChoiceFlags(),
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "only the first `N`; 0 for all (default " + strconv.Itoa(queries.LessonLimit) + ")"},
			kit.JSONFlag()),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn lessons --since 30d",
			"aburn lessons --project . --json | jq '.lessons[0].evidence'",
		),
		Action: a.Action(runLessons),
	}
}

func runLessons(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	limit := queries.LessonLimit
	if cmd.IsSet("limit") {
		limit = cmd.Int("limit")
	}
	if err := chosen.CatchUp(ctx, a, cmd, chosen.ChoiceOf(cmd)); err != nil {
		return err
	}
	answer, err := queries.LessonsOf(ctx, chosen.CallerOf(a, cmd), queries.LessonsQuery{Choice: chosen.ChoiceOf(cmd), Limit: limit})
	switch {
	case err != nil:
		return err
	case cmd.Bool("json"):
		return a.PrintJSON(answer.Lessons)
	case answer.None:
		chosen.NoteNone(ctx, a, answer.Archived, "session")
		return nil
	case answer.Total == 0:
		a.Note(answer.NothingRecurs())
		return nil
	}
	out := a.Screen(cmd)
	if err := term.ShowMarkdown(out, answer.Markdown()); err != nil {
		return err
	}
	if len(answer.Lessons.Lessons) > 0 && len(answer.Lessons.Lessons[0].Evidence) > 0 {
		newest := answer.Lessons.Lessons[0].Evidence[0]
		term.PrintNextSteps(out, "aburn replay "+shell.Quote(newest.Source+"/"+newest.Session))
	}
	return nil
}
