package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/history/notes"
	"aburn/history/why"
	"aburn/internal/plain"
)

// mostNotes bounds the commits of one call.
const mostNotes = 1000

func NotesCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:     "notes",
		Usage:    "say in git notes which session wrote a commit's lines",
		Metadata: kit.Examples("aburn notes write --dry-run"),
		Commands: []*cli.Command{notesWriteCommand(a)},
	}
}

func notesWriteCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "write",
		Usage:     "write Git AI notes for commits that sessions made",
		ArgsUsage: "[COMMIT | RANGE | BRANCH]",
		Description: "Writes to refs/notes/ai, in the format of Git AI 3.0.0. The default is HEAD alone. A note says only what is proved: a call of the\n" +
			"session made the commit, and the file in it has the bytes that the session left. A note that is there stays. aburn pushes nothing.\n\n" +
			"--agent-trace writes no note and prints Agent Trace records, one a line.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be written"},
			&cli.BoolFlag{Name: "agent-trace", Usage: "print Agent Trace records instead"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator: kit.AtMostOneArgument("COMMIT"),
		Metadata: kit.Examples(
			"aburn notes write --dry-run",
			"aburn notes write main..topic",
			"aburn notes write main..topic --agent-trace >> .agent-trace/traces.jsonl",
			"git push origin refs/notes/ai  # others see them then",
		),
		Action: a.Action(runNotesWrite),
	}
}

func runNotesWrite(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	q := why.NotesQuery{Revision: cmd.Args().First(), DryRun: cmd.Bool("dry-run"), Trace: cmd.Bool("agent-trace"), Limit: mostNotes,
		Tool: notes.TraceTool{Name: "aburn", Version: kit.Version().Version}}
	list, err := why.WriteNotes(ctx, chosen.CallerOf(a, cmd), os.Environ(), q, func() error { return chosen.CatchUp(ctx, a, cmd, lookup.Choice{}) })
	if err != nil {
		return err
	}
	switch {
	case cmd.Bool("json"):
		return a.PrintJSON(struct {
			Commits []why.Noted `json:"commits"`
		}{list})
	case q.Trace:
		for i := range list {
			if list[i].Trace == nil {
				continue
			}
			text, err := json.Marshal(list[i].Trace)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s\n", text)
		}
		return nil
	}
	for i := range list {
		n := &list[i]
		fmt.Fprintf(a.Stdout, "%s  %s  %s\n", n.Hash[:10], notedWords(n), n.Subject)
	}
	return nil
}

func notedWords(n *why.Noted) string {
	lines := fmt.Sprintf("%d of %s in %s", n.Lines, plain.Plural(int64(n.Added), "added line"), plain.Plural(int64(n.Files), "file"))
	switch n.State {
	case why.NoteWritten:
		return "noted: " + lines
	case why.NoteWould:
		return "would note: " + lines
	case why.NoteThere:
		return "left alone: it has a note"
	case why.NoteNoProof:
		return "left alone: of none of its lines it is proved who wrote them"
	}
	return "left alone: no session that aburn knows made it"
}
