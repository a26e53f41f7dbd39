package main

import (
	"context"
	"strconv"

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
	answer, err := lessonsOf(ctx, a.caller(cmd), lessonsQuery{choiceOf(cmd), limit})
	switch {
	case err != nil:
		return err
	case cmd.Bool("json"):
		return a.printJSON(answer.Lessons)
	case answer.none:
		a.noneOf(answer.archived, "session")
		return nil
	case answer.Total == 0:
		a.note(answer.nothingRecurs())
		return nil
	}
	out := a.screen(cmd)
	if err := showMarkdown(out, answer.Markdown()); err != nil {
		return err
	}
	if len(answer.Lessons.Lessons) > 0 && len(answer.Lessons.Lessons[0].Evidence) > 0 {
		newest := answer.Lessons.Lessons[0].Evidence[0]
		sayNext(out, "aburn replay "+shellWord(newest.Source+"/"+newest.Session))
	}
	return nil
}

// lessonsQuery is which lessons are asked for.
type lessonsQuery struct {
	choice
	Limit int // 0 for all
}

// lessonsAnswer is what recurs in the sessions that were chosen.
type lessonsAnswer struct {
	*lesson.Lessons
	none     bool // no session was chosen
	archived int  // all that could have been; counted where none was chosen
}

// lessonsOf finds what went wrong in the same way in more than one session.
func lessonsOf(ctx context.Context, c *caller, q lessonsQuery) (*lessonsAnswer, error) {
	if q.Limit < 0 {
		return nil, usageError("--limit: a number of lessons is not negative")
	}
	arch, f, err := viewChosen(ctx, c, q.choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.digests(ctx, f)
	if err != nil {
		return nil, err
	}
	answer := &lessonsAnswer{Lessons: lesson.Find(digestsOnly(all), c.Now, q.Limit), none: len(all) == 0}
	if answer.none {
		answer.archived, err = countArchived(ctx, arch)
	}
	return answer, err
}

// nothingRecurs is what is said of sessions without a lesson.
func (a *lessonsAnswer) nothingRecurs() string {
	return "no two of " + a.Units() + " went wrong in the same way"
}
