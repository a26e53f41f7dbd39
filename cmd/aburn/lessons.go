package main

import (
	"context"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/insight/lesson"
)

// lessonLimit is how many lessons are listed for who does not say how many.
const lessonLimit = 20

func (a *app) lessonsCommand() *cli.Command {
	return &cli.Command{
		Name:  "lessons",
		Usage: "list what went wrong in the same way in more than one session",
		Description: "Equal errors, edit loops on the same file, and failed phases of a command that at least two sessions have in common, ranked by how often and how recently, each\n" +
			"with its sessions and events. It changes nothing. On a pipe it is Markdown.",
		Flags: append(chooseFlags(),
			&cli.IntFlag{Name: "limit", Usage: "only the first `N`; 0 for all (default " + strconv.Itoa(lessonLimit) + ")"},
			jsonFlag()),
		ArgValidator: noArguments,
		Metadata: examples(
			"aburn lessons --since 30d",
			"aburn lessons --project . --json | jq '.lessons[0].evidence'",
		),
		Action: a.lessons,
	}
}

func (a *app) lessons(ctx context.Context, cmd *cli.Command) error {
	limit := lessonLimit
	if cmd.IsSet("limit") {
		limit = cmd.Int("limit")
	}
	if limit < 0 {
		return usageError("--limit: a number of lessons is not negative")
	}
	now := time.Now()
	arch, f, err := a.viewChosen(ctx, cmd, now)
	if err != nil {
		return err
	}
	defer arch.Close()
	all, err := a.digests(ctx, f)
	if err != nil {
		return err
	}
	found := lesson.Find(pure(all), now, limit)
	if done, err := a.asJSON(cmd, found); done || err != nil {
		return err
	}
	if len(all) == 0 {
		return a.noneChosen(ctx, arch, "session")
	}
	if found.Total == 0 {
		a.note("no two of " + found.Units() + " went wrong in the same way")
		return nil
	}
	out := a.screen(cmd)
	if err := showMarkdown(out, found.Markdown()); err != nil {
		return err
	}
	if len(found.Lessons) > 0 && len(found.Lessons[0].Evidence) > 0 {
		newest := found.Lessons[0].Evidence[0]
		sayNext(out, "aburn replay "+shellWord(newest.Source+"/"+newest.Session))
	}
	return nil
}
