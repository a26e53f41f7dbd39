package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

func printFile(out *term.Out, f *coordinator.File, withDiff bool) {
	one := &instrument.RunResult{Files: []*instrument.FileResult{f.FileResult}}
	printFiles(out, one, withDiff)
	for i, p := range f.ErrorProgression {
		if i < len(f.ErrorProgression)-1 {
			fmt.Fprintf(out, "  attempt %d: %s\n", i+1, plain.Line(p))
		}
	}
}

func printRun(out *term.Out, r *coordinator.Result, dry bool) {
	for _, f := range r.Files {
		if f.Reverted != "" {
			fmt.Fprintf(out, "%s: taken back: %s\n", plain.Line(f.Path), plain.Line(f.Reason))
		}
	}
	for _, c := range r.SchemaDiff {
		if c.Field == "" {
			fmt.Fprintf(out, "registry: %s %s %s\n", c.Kind, plain.Line(c.Item), plain.Line(c.Name))
		}
	}
	if dry && len(r.Libraries) > 0 {
		fmt.Fprintf(out, "libraries that the plan asks for: %s\n", plain.Line(strings.Join(r.Libraries, ", ")))
	}
	printSupply(out, r.RunResult, dry)
	if r.Tests != nil {
		fmt.Fprintf(out, "tests: exit code %d", r.Tests.Exit)
		if r.Baseline != nil && r.Baseline.Exit != r.Tests.Exit {
			fmt.Fprintf(out, ", and %d before", r.Baseline.Exit)
		}
		fmt.Fprintln(out)
	}
	if r.Record != nil {
		fmt.Fprintf(out, "the tests emitted %s of %s\n", countOf(r.Record.Spans, "span"), countOf(len(r.Record.Names), "name"))
		for _, f := range r.Record.Findings {
			fmt.Fprintf(out, "  %s\n", plain.Line(findingText(f)))
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintf(out, "%s:%d: %s %s: %s\n", plain.Line(f.File), f.Line, f.Severity, f.Rule, plain.Line(f.Message))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(out, "%s %s\n", out.Paint(term.Yellow, "warning:"), plain.Line(w))
	}
	if len(r.Files) == 0 && r.Stopped == "" {
		fmt.Fprintf(out, "nothing to do: no function of %s wants a span\n", countOf(len(r.Idle), "file"))
		return
	}
	printTotal(out, r, dry)
}

func printTotal(out *term.Out, r *coordinator.Result, dry bool) {
	verb := "changed"
	if dry {
		verb = "would be changed"
	}
	fmt.Fprintf(out, "%s %s, %d failed, %d skipped, %d for a person; %s, %s tokens of at most %s", countOf(r.Succeeded, "file"), verb, r.Failed, r.Skipped,
		r.NeedsHuman,
		countOf(r.Calls, "call"), plain.Count(int64(r.Usage.Total())), plain.Count(int64(r.Ceiling.MaxTokens)))
	if r.CostUSD != nil {
		fmt.Fprintf(out, ", $%.2f", *r.CostUSD)
	}
	fmt.Fprintln(out)
	if r.Stopped != "" {
		fmt.Fprintf(out, "%s %s\n", out.Paint(term.Yellow, "stopped:"), plain.Line(r.Stopped))
	}
	switch {
	case r.PullRequest != "":
		fmt.Fprintf(out, "pull request: %s\n", plain.Line(r.PullRequest))
	case r.Branch != "":
		fmt.Fprintf(out, "branch: %s, from %s\n", plain.Line(r.Branch), plain.Line(r.Base))
		if r.Command != "" {
			fmt.Fprintf(out, "a pull request: %s\n", plain.Line(r.Command))
		}
	}
}

func (j *job) failed(err error) error {
	var why *coordinator.Abort
	var no *coordinator.Declined
	switch {
	case errors.As(err, &no):
		if !j.app.CanAsk(j.cmd) && !j.cmd.Bool("yes") {
			j.app.Hint("--yes accepts it; aburn instrument cost shows it by file")
		}
		j.app.Note("nothing was asked, and nothing was written")
		return fault.Exit(exitDeclined)
	case errors.As(err, &why) && why.Hint != "":
		return fault.Usage(plain.Line(why.Msg), plain.Line(why.Hint))
	case errors.As(err, &why):
		return fault.Usage(plain.Line(why.Msg))
	case errors.Is(err, context.Canceled) && j.dry:
		return fault.Failed("stopped; the answers that were paid for are kept", "aburn instrument resume "+j.id+" goes on")
	case errors.Is(err, context.Canceled):
		return fault.Failed("stopped; what was done stays on its branch", "aburn instrument resume "+j.id+" goes on, aburn instrument abort "+j.id+" goes back")
	}
	return fault.Failed(plain.Line(err.Error()))
}

func (j *job) print(r *coordinator.Result) error {
	if file := j.cmd.String("only-plan"); file != "" {
		if err := writePlan(workspace.InFolder(j.dir, file), r.Plan); err != nil {
			return err
		}
	}
	if j.cmd.Bool("json") {
		if err := j.app.PrintJSON(r); err != nil {
			return err
		}
	} else {
		printRun(j.app.Screen(j.cmd), r, j.dry)
		if file := j.cmd.String("only-plan"); file != "" {
			fmt.Fprintf(j.app.Stdout, "the plan is in %s; aburn instrument --from-plan %s applies it\n", plain.Line(file), plain.Line(shell.Quote(file)))
		}
	}
	return runExit(r)
}

// runExit: 0 if each file succeeded or was rightly skipped, 1 if some failed or the run
// stopped early, 2 if nothing was achieved.
func runExit(r *coordinator.Result) error {
	bad := r.Failed + r.NeedsHuman
	switch {
	case bad == 0 && r.Stopped == "":
		return nil
	case r.Succeeded > 0 || r.Skipped > 0:
		return fault.Exit(fault.ExitFailed)
	}
	return fault.Exit(fault.ExitUsage)
}

func writePlan(file string, p *instrument.Plan) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}
