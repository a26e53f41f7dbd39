// Package chosen reads from a command line which sessions of the archive a command is about, completes their names, and reads
// what is new of them first.
package chosen

import (
	"context"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/trace/readers"
)

// ChoiceFlags choose sessions of the archive.
func ChoiceFlags() []cli.Flag { return choiceFlags("sessions that ended") }

// AnswerFlags choose answers of archived sessions.
func AnswerFlags() []cli.Flag { return choiceFlags("answers that came") }

func choiceFlags(what string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "since", Usage: "only " + what + " since `WHEN`: 24h, 7d, today, \"last week\", 2026-11-21T10:03"},
		&cli.StringFlag{Name: "until", Usage: "only " + what + " before `WHEN`"},
		&cli.StringFlag{Name: "source", Usage: "only sessions of this `AGENT`: " + strings.Join(readers.Sources(), ", ")},
		&cli.StringFlag{Name: "project", Usage: "only sessions in `DIR`, or in the project of this name"},
		IngestFlag(),
	}
}

// OutcomeFlag chooses sessions by their outcome.
func OutcomeFlag() cli.Flag {
	return &cli.StringFlag{Name: "outcome",
		Usage: "only sessions with this `RESULT`: completed, interrupted, running, unknown, or failed, which is errored, gave_up, killed or crashed"}
}

// ChoiceOf reads the choice from a command's flags.
func ChoiceOf(cmd *cli.Command) lookup.Choice {
	return lookup.Choice{Since: cmd.String("since"), Until: cmd.String("until"), Source: cmd.String("source"), Project: cmd.String("project"),
		Outcome: cmd.String("outcome"), Relation: cmd.String("relationship")}
}

// NoteNoneChosen prints why nothing is shown: no session was chosen, or the archive is empty.
func NoteNoneChosen(ctx context.Context, a *kit.App, arch *archive.Archive, what string) error {
	archived, err := lookup.CountArchived(ctx, arch)
	if err == nil {
		NoteNone(ctx, a, archived, what)
	}
	return err
}

// NoteNone is NoteNoneChosen for an archive with so many sessions.
func NoteNone(ctx context.Context, a *kit.App, archived int, what string) {
	if archived == 0 {
		if looked := lookup.LookedIn(ctx, a.Getenv); looked != "" {
			a.Note(lookup.NoSessions)
			a.Note(looked)
			return
		}
		a.Note(lookup.EmptyArchive)
		a.Hint(lookup.FillArchive)
		return
	}
	a.Note(lookup.NoneText(what))
	if what == "session" {
		a.Hint("aburn sessions  # all sessions")
	}
}

// SessionArgument requires exactly one argument, a session.
func SessionArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return fault.Usage("name one session", "aburn sessions")
	}
	return nil
}

// CallerOf is scope.CallerOf for questions about digests.
func CallerOf(a *kit.App, cmd *cli.Command) *lookup.Caller {
	c := &lookup.Caller{Caller: scope.CallerOf(a, cmd)}
	c.Load = func(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
		a.PauseGC()
		return digests.Load(ctx, archive.Dir(a.Getenv), f, lookup.DigestProgress(c.Progress))
	}
	return c
}
