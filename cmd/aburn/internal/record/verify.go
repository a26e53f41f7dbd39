package record

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/term"
)

func VerifyCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "check that the log is whole",
		Description: "Exit 1 if something is missing, doubled or unreadable. Notes are no damage: an edited entry, a\n" +
			"comment that somebody wrote. logfmt/SPEC.md says what no log can prove about itself.",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn verify", "aburn verify --json | jq .damage"),
		Action:       a.Action(runVerify),
	}
}

func runVerify(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	report, err := w.Log.Verify(ctx)
	if err != nil {
		return kit.BadNews("verify: " + err.Error())
	}
	if cmd.Bool("json") {
		err = verifyJSON(a, report)
	} else {
		err = verifyText(a, a.Screen(cmd), report)
	}
	if err == nil && len(report.Damage) > 0 {
		return kit.ExitWith(kit.ExitBadNews)
	}
	return err
}

func verifyText(a *kit.App, out *term.Out, r journal.Report) error {
	var bytes int64
	for _, s := range r.Segments {
		bytes += s.Size
	}
	style, verdict := term.BoldGreen, "whole"
	if n := len(r.Damage); n > 0 {
		style, verdict = term.BoldRed, "damaged in "+plain.Plural(int64(n), "place")
	}
	fmt.Fprintf(out, "%s: %s in %s, %s", out.Paint(style, verdict),
		plain.Plural(int64(r.Entries), "entry", "entries"), plain.Plural(int64(len(r.Segments)), "segment"), plain.Size(bytes))
	if r.Last > 0 {
		fmt.Fprintf(out, ", numbered %d to %d", r.First, r.Last)
	}
	fmt.Fprintln(out)
	if err := findings(out, "damage", term.Red, r.Damage); err != nil {
		return err
	}
	return findings(out, "notes", term.Yellow, r.Notes)
}

func findings(out *term.Out, title string, style term.Style, list []journal.Finding) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\n%s\n", out.Paint(term.Bold, title))
	t := term.Table{Columns: []term.Column{{}, {}, {}, {Flex: true, Min: 20}}}
	for _, f := range list {
		t.AddCells(term.Cell{Text: f.Kind, Style: style}, term.Cell{Text: f.Segment + ":" + strconv.Itoa(f.Line)},
			term.Cell{Text: "at byte " + plain.Count(f.Offset), Style: term.Dim}, term.Cell{Text: f.Text})
	}
	return t.Print(out, 2)
}

// finding is a journal.Finding as programs read it.
type finding struct {
	Segment string `json:"segment"`
	Line    int    `json:"line"`
	Offset  int64  `json:"offset"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
}

func verifyJSON(a *kit.App, r journal.Report) error {
	list := func(in []journal.Finding) []finding {
		out := make([]finding, 0, len(in))
		for _, f := range in {
			out = append(out, finding{f.Segment, f.Line, f.Offset, f.Kind, f.Text})
		}
		return out
	}
	return a.PrintJSON(struct {
		Whole    bool      `json:"whole"`
		Entries  int       `json:"entries"`
		Segments int       `json:"segments"`
		First    uint64    `json:"first"`
		Last     uint64    `json:"last"`
		Damage   []finding `json:"damage"`
		Notes    []finding `json:"notes"`
	}{len(r.Damage) == 0, r.Entries, len(r.Segments), uint64(r.First), uint64(r.Last), list(r.Damage), list(r.Notes)})
}
