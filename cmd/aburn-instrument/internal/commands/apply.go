package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/report"
	"aburn/instrument/telemetry"
	"aburn/internal/atomicfile"
	"aburn/internal/consent"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

// applyFlags are those of the tree's root: they apply a plan.
func applyFlags() []cli.Flag {
	json := kit.JSONFlag()
	if b, ok := json.(*cli.BoolFlag); ok {
		b.Local = true
	}
	return []cli.Flag{
		&cli.StringFlag{Name: "from-plan", Usage: "apply the plan in `FILE`", TakesFile: true, Local: true},
		&cli.StringFlag{Name: "config", Usage: "the project's `FILE`; " + instrument.ConfigFile + " where it is there", TakesFile: true, Local: true},
		&cli.BoolFlag{Name: "dry-run", Usage: "write nothing; print what would change", Local: true},
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask before writing", Local: true},
		&cli.BoolFlag{Name: "no-install", Usage: "install no libraries, and leave the set-up of telemetry as it is", Local: true},
		&cli.StringFlag{Name: "pr-text", Usage: "write to `FILE` what a pull request would say, as Markdown", TakesFile: true, Local: true},
		&cli.BoolFlag{Name: "allow-dirty", Usage: "change files that git does not have as they are", Local: true},
		json,
	}
}

const exitDeclined = 3

// runRoot applies a plan; without one it only holds commands.
func runRoot(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.String("from-plan") == "" {
		return withoutPlan(ctx, a, cmd)
	}
	for _, flag := range []string{"provider", "model", "mode", "branch", "only-plan", "no-tests", "no-pr"} {
		if cmd.IsSet(flag) {
			return fault.Usage(kit.Dashed(flag)+" does not go with --from-plan: no model is asked", "aburn instrument src "+kit.Dashed(flag))
		}
	}
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	work, err := applying(ctx, a, cmd, dir)
	if err != nil {
		return err
	}
	engine := jsast.Start(ctx)
	defer engine.Close()
	work.Trace = tracer(a)
	inside, span := work.Trace.Start(ctx, telemetry.Run)
	result, err := work.Work(inside, engine)
	span.End(err)
	send(ctx, a, work.Trace)
	if err != nil {
		return applyError(err, work.Config)
	}
	for _, text := range result.Warnings {
		a.Warn(plain.Line(text), "aburn instrument registry check "+plain.Line(work.Config.SchemaPath))
	}
	if err := write(ctx, a, cmd, dir, result); err != nil {
		return err
	}
	if err := supply(ctx, a, cmd, engine, work, result); err != nil {
		return err
	}
	for _, f := range work.JudgeOnce(ctx, engine, result) {
		result.Findings = append(result.Findings, f)
		a.Warn(plain.Line(fmt.Sprintf("%s:%d: %s (%s)", f.File, f.Line, f.Message, f.Rule)), f.Example)
	}
	if file := cmd.String("pr-text"); file != "" {
		said := result.Report(work.Plan, work.Config)
		said.Versions = []string{"aburn " + kit.Version().String()}
		if err := writePRText(workspace.InFolder(dir, file), report.Title(said), report.Body(said)); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(result)
	} else {
		printResult(a.Screen(cmd), result, cmd.Bool("dry-run"))
	}
	if err != nil {
		return err
	}
	return applyExit(result)
}

func writePRText(file, title, body string) error {
	if err := atomicfile.Write(file, []byte("# "+title+"\n\n"+body), 0o644, atomicfile.Options{}); err != nil {
		return fault.Usage(plain.Line(err.Error()))
	}
	return nil
}

// withoutPlan makes a run on paths; without any it only holds commands.
func withoutPlan(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	switch first := cmd.Args().First(); {
	case cmd.Bool("allow-dirty"):
		return fault.Usage("--allow-dirty goes with --from-plan", "aburn instrument src --from-plan plan.json")
	case first == "" && cmd.NumFlags() > 0 && (cmd.Bool("dry-run") || cmd.Bool("yes") || cmd.IsSet("only-plan")):
		return fault.Usage("no path is named", "aburn instrument src")
	case strings.ContainsAny(first, `/\.`) && !exists(workspace.InFolder(cmd.String("C"), first)):
		return fault.Usage("there is no file or folder "+fault.Quote(first), "aburn instrument src", "aburn instrument --help")
	case first == "":
		return a.HelpAction(ctx, cmd)
	case !exists(workspace.InFolder(cmd.String("C"), first)): // a mistyped command, or a mistyped folder
		hints := fault.Of(a.HelpAction(ctx, cmd)).Hints
		return fault.Usage(fault.Quote(first)+" is no command, and no file or folder here", hints...)
	}
	return runModel(ctx, a, cmd)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// applying reads the plan and the configuration.
func applying(ctx context.Context, a *kit.App, cmd *cli.Command, dir string) (w instrument.Applying, err error) {
	w.Dir = dir
	if w.Config, _, err = projectConfig(dir, cmd.String("config")); err != nil {
		return w, err
	}
	file := workspace.InFolder(dir, cmd.String("from-plan"))
	w.Plan, err = instrument.ReadPlan(file)
	var mistake *instrument.PlanError
	switch {
	case errors.As(err, &mistake):
		return w, fault.Usage(plain.Line(mistake.Error()), fault.DidYouMean(mistake.Word, mistake.Words)...)
	case errors.Is(err, fs.ErrNotExist):
		return w, fault.Usage(plain.Line(file) + ": there is no such file")
	case err != nil:
		return w, fault.Usage(plain.Line(err.Error()))
	}
	if cmd.Args().Len() > 0 {
		s, err := selected(ctx, a, dir, cmd.Args().Slice(), w.Config)
		if err != nil {
			return w, err
		}
		w.Only = s.Files
		if !slices.ContainsFunc(w.Plan.Files, func(f instrument.Planned) bool { return slices.Contains(w.Only, f.Path) }) {
			return w, fault.Usage("the plan names no file of "+plain.Line(strings.Join(cmd.Args().Slice(), " ")),
				"leave the paths out: then all files of the plan count")
		}
	}
	if n := len(w.Plan.Files); w.Only == nil && w.Config.MaxFilesPerRun > 0 && n > w.Config.MaxFilesPerRun {
		return w, fault.Usage(fmt.Sprintf("the plan has %d files, and maxFilesPerRun is %d", n, w.Config.MaxFilesPerRun),
			"name some paths, or raise maxFilesPerRun in "+instrument.ConfigFile)
	}
	w.Formatter, w.Linter = permittedFormatter(a, dir), permittedLinter(a, dir)
	return w, nil
}

// permitted says whether this user permitted the command line of a tool of the project,
// and tells if not.
func permitted(a *kit.App, dir, tool string, words []string) bool {
	line := strings.Join(words, " ")
	if p, err := project.Find(dir, a.Getenv); err == nil && consent.Given(p, line) {
		return true
	}
	a.Warn("the project's "+tool+" is not used: nobody permitted "+fault.Quote(line), "aburn init, then aburn instrument init, asks")
	return false
}

// permittedFormatter is the project's formatter, if this user permitted its command line.
func permittedFormatter(a *kit.App, dir string) *instrument.Formatter {
	f := instrument.FindFormatter(dir, os.Environ())
	if f == nil {
		return nil
	}
	if permitted(a, dir, "formatter", f.Line) {
		return f
	}
	return nil
}

func permittedLinter(a *kit.App, dir string) *instrument.Linter {
	if l := instrument.FindLinter(dir, os.Environ()); l != nil && permitted(a, dir, "linter", l.Line) {
		return l
	}
	return nil
}

func applyError(err error, c instrument.Config) error {
	var path *instrument.PathError
	var bad *instrument.RegistryError
	switch {
	case errors.As(err, &path):
		return fault.Usage(plain.Line(path.Error()), path.Hint)
	case errors.As(err, &bad):
		return fault.Usage(plain.Line(bad.Error()), "aburn instrument registry check "+plain.Line(c.SchemaPath))
	}
	return err
}

// write puts the result on disk, if something changes and nobody objects.
func write(ctx context.Context, a *kit.App, cmd *cli.Command, dir string, r *instrument.RunResult) error {
	if r.Succeeded == 0 || cmd.Bool("dry-run") {
		return nil
	}
	var dirty *instrument.DirtyError
	if err := r.Clean(ctx, dir, os.Environ()); errors.As(err, &dirty) && !cmd.Bool("allow-dirty") {
		return fault.Usage(plain.Line(dirty.Error()), "commit first, so that git can show what aburn changed; or say --allow-dirty")
	} else if err != nil && dirty == nil {
		return err
	}
	if !cmd.Bool("yes") && !cmd.Bool("json") && a.CanAsk(cmd) {
		printResult(a.Screen(cmd), r, true)
		if !a.Confirm("write this?") {
			fmt.Fprintln(a.Stdout, "nothing was written")
			return fault.Exit(exitDeclined)
		}
	}
	if err := r.Write(dir); err != nil {
		return fault.Failed(plain.Line(err.Error()), "git status shows which files were written")
	}
	return nil
}

// applyExit: 0 if each file succeeded or was rightly skipped, 1 if some failed, 2 if
// nothing was achieved.
func applyExit(r *instrument.RunResult) error {
	bad := r.Failed + r.NeedsHuman
	switch {
	case bad == 0:
		return nil
	case r.Succeeded > 0 || r.Skipped > 0:
		return fault.Exit(fault.ExitFailed)
	}
	return fault.Exit(fault.ExitUsage)
}

// printFiles tells of each file.
func printFiles(out *term.Out, r *instrument.RunResult, withDiff bool) {
	styles := map[instrument.Status]term.Style{instrument.Success: term.Green, instrument.Failed: term.BoldRed, instrument.NeedsHuman: term.Yellow,
		instrument.Unchanged: term.Dim}
	for _, f := range r.Files {
		line := out.Paint(styles[f.Status], string(f.Status))
		switch {
		case f.Status == instrument.Success:
			line += fmt.Sprintf(": %s, %s", countOf(f.SpansAdded, "span"), countOf(f.AttributesUsed, "attribute"))
		default:
			line += ": " + plain.Line(f.Reason)
		}
		fmt.Fprintf(out, "%s: %s\n", plain.Line(f.Path), line)
		for _, d := range f.Dropped {
			fmt.Fprintf(out, "  left out: %s\n", plain.Line(d))
		}
		for _, n := range f.Notes {
			fmt.Fprintf(out, "  note: %s\n", plain.Line(n))
		}
		for _, b := range slices.Concat(f.Blocking, f.Advisory) {
			fmt.Fprintf(out, "  %d: %s %s: %s\n", b.Line, b.Severity, b.Rule, plain.Line(b.Message))
		}
		if withDiff && f.Status == instrument.Success {
			printDiff(out, diff.Diff("a/"+f.Path, f.Before, "b/"+f.Path, f.After))
		}
	}
}

func printResult(out *term.Out, r *instrument.RunResult, withDiff bool) {
	printFiles(out, r, withDiff)
	for _, c := range r.SchemaDiff {
		if c.Field == "" {
			fmt.Fprintf(out, "registry: %s %s %s\n", c.Kind, plain.Line(c.Item), plain.Line(c.Name))
		}
	}
	if len(r.Libraries) > 0 {
		fmt.Fprintf(out, "libraries that the plan asks for: %s\n", plain.Line(strings.Join(r.Libraries, ", ")))
	}
	printSupply(out, r, withDiff)
	verb := "changed"
	if !r.Written {
		verb = "would be changed"
	}
	fmt.Fprintf(out, "%s %s, %d failed, %d skipped, %d for a person\n", countOf(r.Succeeded, "file"), verb, r.Failed, r.Skipped, r.NeedsHuman)
}

func printDiff(out *term.Out, text []byte) {
	for line := range strings.Lines(string(text)) {
		line = plain.Line(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = out.Paint(term.Green, line)
		case strings.HasPrefix(line, "-"):
			line = out.Paint(term.BoldRed, line)
		}
		fmt.Fprintln(out, line)
	}
}
