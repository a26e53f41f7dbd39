package record

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

func VerifyCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "check that the log is complete and unchanged",
		Description: "Exits with 1 if something is missing, changed, doubled or unreadable, or if aburn can't tell. `aburn init` keeps an anchor of\n" +
			"the log outside of the project. It shows that a log was cut off, deleted, or changed in any byte. If you did that on purpose,\n" +
			"--accept records it and begins a new anchor. \"Whole, except N entries\" means that the anchor doesn't cover the last N yet.\n" +
			"logfmt/SPEC.md says what cannot be proved.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "accept", Usage: "treat today's damage as known"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --accept: do not ask"},
			kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn verify", "aburn verify --json | jq .damage", "aburn verify --accept"),
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
		return fault.Failed("verify: " + err.Error())
	}
	if cmd.Bool("accept") && !report.Whole() {
		if report, err = accept(ctx, a, cmd, w, report); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		err = verifyJSON(a, report)
	} else {
		err = verifyText(a.Screen(cmd), report)
	}
	switch {
	case err != nil || report.Whole():
		return err
	case len(report.Damage) > 0:
		return &fault.Error{Code: fault.ExitFailed, Hints: damageHints(w, report)}
	}
	return fault.Failed("aburn can't tell whether something was cut off: "+report.Why, anchorHint(report)...)
}

// damageHints says how the log counts as whole again.
func damageHints(w *workspace.Workspace, r journal.Report) []string {
	if segment, _ := noFile(r); segment != "" {
		return []string{removal(w, segment)}
	}
	if !r.Anchored && !r.BadAnchor {
		return anchorHint(r)
	}
	return []string{"aburn verify --accept  # if you know of the damage"}
}

// noFile is a segment that is no file, and what it is; "" if there is none.
func noFile(r journal.Report) (segment, what string) {
	for _, f := range r.Damage {
		if f.Kind == journal.NoFile {
			return f.Segment, f.Text
		}
	}
	return "", ""
}

func removal(w *workspace.Workspace, segment string) string {
	return "rm " + filepath.Join(w.Root, project.OssDir, segment)
}

// anchorHint says how the log gets an anchor. Nothing helps here where one cannot be written.
func anchorHint(r journal.Report) []string {
	switch {
	case r.NoAnchor:
		return []string{"aburn init"}
	case r.BadAnchor:
		return []string{"aburn verify --accept"}
	}
	return nil
}

// accept records that the person knows of the damage in r, and returns what verify then finds.
func accept(ctx context.Context, a *kit.App, cmd *cli.Command, w *workspace.Workspace, r journal.Report) (journal.Report, error) {
	if !r.Anchored && !r.BadAnchor {
		return r, fault.Failed("nothing can be accepted here: "+r.Why, anchorHint(r)...)
	}
	if segment, what := noFile(r); segment != "" {
		return r, fault.Failed(segment+" cannot be accepted: "+what, removal(w, segment))
	}
	if !cmd.Bool("yes") {
		yes, err := asked(a, cmd, r)
		if err != nil {
			return r, err
		}
		if !yes {
			return r, fault.Exit(fault.ExitFailed)
		}
	}
	if err := w.Log.Accept(r, time.Now()); err != nil {
		return r, fault.Failed("accept: " + err.Error())
	}
	return w.Log.Verify(ctx)
}

// asked shows the damage and asks, where somebody can be asked.
func asked(a *kit.App, cmd *cli.Command, r journal.Report) (bool, error) {
	out := a.Screen(cmd)
	f, ok := a.Stdin.(*os.File)
	if !ok || !out.Terminal() || cmd.Bool("json") || !isTerminal(f) {
		return false, fault.Usage("there is no terminal to ask whether you accept the damage", "aburn verify --accept --yes")
	}
	if err := verifyText(out, r); err != nil {
		return false, err
	}
	fmt.Fprint(out, "\naccept this from now on? [y/N] ")
	line, _ := bufio.NewReader(f).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func verifyText(out *term.Out, r journal.Report) error {
	var bytes int64
	for _, s := range r.Segments {
		bytes += s.Size
	}
	style, verdict := term.BoldGreen, "whole"
	if n := len(r.Damage); n > 0 {
		style, verdict = term.BoldRed, "damaged in "+plain.Plural(int64(n), "place")
	} else if !r.Anchored {
		style, verdict = term.BoldYellow, "not anchored"
	} else if r.Uncovered > 0 {
		style, verdict = term.BoldYellow, "whole, except "+plain.Plural(int64(r.Uncovered), "entry", "entries")
	}
	fmt.Fprintf(out, "%s: %s in %s, %s", out.Paint(style, verdict),
		plain.Plural(int64(r.Entries), "entry", "entries"), plain.Plural(int64(len(r.Segments)), "segment"), plain.Size(bytes))
	if r.Last > 0 {
		fmt.Fprintf(out, ", numbered %d to %d", r.First, r.Last)
	}
	if r.Unnumbered > 0 {
		fmt.Fprintf(out, ", %d without number", r.Unnumbered)
	}
	fmt.Fprintln(out)
	switch {
	case r.Anchored:
		fmt.Fprintf(out, "anchored since %s\n", moment(r.Begun))
		if r.Uncovered > 0 {
			fmt.Fprintf(out, "the anchor doesn't cover %s: the next hook that gets the log's lock covers them\n",
				plain.Plural(int64(r.Uncovered), "entry", "entries"))
		}
	case len(r.Damage) > 0:
		fmt.Fprintf(out, "not anchored: %s\n", plain.Line(r.Why))
	default:
		fmt.Fprintln(out, "no damage was found in it")
	}
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
			term.Cell{Text: when(f), Style: term.Dim}, term.Cell{Text: f.Text})
	}
	return t.Print(out, 2)
}

// when says between which times the damage was done, as far as the entries around it tell.
func when(f journal.Finding) string {
	switch {
	case f.Since.IsZero() && f.Until.IsZero():
		return "time unknown"
	case f.Since.IsZero():
		return "before " + moment(f.Until)
	case f.Until.IsZero():
		return "after " + moment(f.Since)
	case moment(f.Since) == moment(f.Until):
		return "at " + moment(f.Since)
	case f.Since.Local().YearDay() == f.Until.Local().YearDay() && f.Until.Sub(f.Since) < 24*time.Hour:
		return moment(f.Since) + " to " + f.Until.Local().Format(time.TimeOnly)
	}
	return moment(f.Since) + " to " + moment(f.Until)
}

func moment(t time.Time) string { return t.Local().Format(time.DateTime) }

// finding is a journal.Finding as programs read it.
type finding struct {
	Segment string `json:"segment"`
	Line    int    `json:"line"`
	Offset  int64  `json:"offset"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Since   string `json:"since,omitempty"`
	Until   string `json:"until,omitempty"`
}

func verifyJSON(a *kit.App, r journal.Report) error {
	list := func(in []journal.Finding) []finding {
		out := make([]finding, 0, len(in))
		for _, f := range in {
			out = append(out, finding{f.Segment, f.Line, f.Offset, f.Kind, f.Text, timeJSON(f.Since), timeJSON(f.Until)})
		}
		return out
	}
	return a.PrintJSON(struct {
		Whole      bool      `json:"whole"`
		Entries    int       `json:"entries"`
		Unnumbered int       `json:"unnumbered"`
		Uncovered  int       `json:"uncovered"` // 0 too where there is no anchor
		Segments   int       `json:"segments"`
		First      uint64    `json:"first"`
		Last       uint64    `json:"last"`
		Damage     []finding `json:"damage"`
		Notes      []finding `json:"notes"`
		Anchored   bool      `json:"anchored"`
		Why        string    `json:"why,omitempty"` // if it is not
		Begun      string    `json:"begun,omitempty"`
	}{
		r.Whole(), r.Entries, r.Unnumbered, r.Uncovered, len(r.Segments), uint64(r.First), uint64(r.Last),
		list(r.Damage), list(r.Notes), r.Anchored, r.Why, timeJSON(r.Begun),
	})
}

// timeJSON is "" for an unknown time.
func timeJSON(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
