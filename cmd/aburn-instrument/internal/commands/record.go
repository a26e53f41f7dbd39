package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/record"
	"aburn/instrument/registry"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/internal/shell"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

func recordCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "run the tests and show which spans they make",
		ArgsUsage: "-- CMD…",
		Description: "Runs a command, most often the tests, and shows the OpenTelemetry spans that it makes, by test and by\n" +
			"file. With a registry it judges them. It needs no SDK, no configuration and no network, and changes no\n" +
			"file. A recorder stands in for the SDK in each node process; so spans of libraries are not seen, and\n" +
			"nothing is exported. A command that fails runs once more without the recorder.\n\n" +
			"The command sees a clean environment: --env passes more of yours. What it prints goes to stderr.\n\n" +
			"Exit code: 0 if the command succeeded and no finding is a violation, 1 if not (no span at all is one),\n" +
			"2 if nothing could be recorded.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "record",
				Usage: "see spans by `MODE`: recorder, tap (the project's own SDK), otlp (a receiver) or weaver (recorder, and Weaver judges)", Value: "recorder"},
			&cli.StringFlag{Name: "registry", Usage: "judge by the registry in `DIR`; default: schemaPath of " + instrument.ConfigFile, TakesFile: true},
			&cli.StringFlag{Name: "config", Usage: "the project's `FILE`; default: " + instrument.ConfigFile + ", if it is there", TakesFile: true},
			&cli.StringSliceFlag{Name: "dependency", Usage: "where a dependency of the registry lies on this disk, as `URL=PATH`; may be given again"},
			&cli.StringFlag{Name: "setup", Usage: "the `FILE` that starts the SDK, for tap and otlp; default: sdkInitFile of the configuration", TakesFile: true},
			&cli.StringSliceFlag{Name: "env", Usage: "pass the variable `NAME`, or all that begin with NAME*; may be given again"},
			&cli.DurationFlag{Name: "timeout", Usage: "end the command after this `TIME`; default: 30m", Value: 30 * time.Minute},
			&cli.BoolFlag{Name: "once", Usage: "do not run a failing command again"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "do not show what the command prints"},
			kit.JSONFlag(),
		},
		ShellComplete: a.Completer(kit.NoWords, kit.FlagCandidates{"record": func() []string { return recordModes }}),
		Metadata: kit.Examples(
			"aburn instrument record -- npm test",
			"aburn instrument record --registry telemetry/registry -- npx vitest run",
			"aburn instrument record --record tap --setup src/telemetry.mjs -- npm test  # spans of libraries too",
			"aburn instrument record --json -q -- npm test | jq '.names[] | {name, file, count}'",
		),
		Action: a.Action(runRecord),
	}
}

const weaverMode = "weaver"

var recordModes = []string{string(record.Recorder), string(record.Tap), string(record.OTLP), weaverMode}

func runRecord(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	job, err := newRecordJob(a, cmd)
	if err != nil {
		return err
	}
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	if job.contract, err = job.load(ctx); err != nil {
		return err
	}
	recording, err := record.Run(ctx, job.options)
	if err != nil {
		return recordError(err, job.options.Timeout)
	}
	record.FindPlaces(recording, job.options.Dir)
	report := job.judge(ctx, recording)
	if cmd.Bool("json") {
		err = a.PrintJSON(report)
	} else {
		printRecording(a.Screen(cmd), report)
	}
	if err != nil {
		return err
	}
	recordHints(a, report, cmd.StringSlice("env"))
	if record.Worst(report.Findings) || report.Red() {
		return fault.Exit(fault.ExitFailed)
	}
	return nil
}

// recordJob is what a command line asks for.
type recordJob struct {
	app      *kit.App
	options  record.Options
	named    string // the registry's folder, as it was named; "" for none
	registry string // where that is
	open     registry.Options
	contract *record.Contract
	minimum  string // version of Weaver
	weaver   bool
	live     *record.LiveCheck // nil without --record weaver
}

func newRecordJob(a *kit.App, cmd *cli.Command) (*recordJob, error) {
	argv := cmd.Args().Slice()
	if len(argv) == 0 {
		return nil, fault.Usage("record takes a command", "aburn instrument record -- npm test")
	}
	mode := cmd.String("record")
	if !slices.Contains(recordModes, mode) {
		return nil, fault.Usage("--record is "+fault.Quote(mode), fault.DidYouMean(mode, recordModes)...)
	}
	if cmd.Duration("timeout") <= 0 {
		return nil, fault.Usage("--timeout has to be more than 0")
	}
	for _, name := range cmd.StringSlice("env") {
		switch before, _, isPair := strings.Cut(name, "="); {
		case isPair:
			return nil, fault.Usage("--env takes a name, not a value", "set "+before+" in your environment, and write --env "+before)
		case strings.HasPrefix(name, "OTEL_"):
			return nil, fault.Usage("--env "+name+": the command never sees your OTEL_ variables", "tests must not send telemetry where you do")
		}
	}
	dir, err := kit.Folder(cmd)
	if err != nil {
		return nil, err
	}
	config, configDir, err := projectConfig(dir, cmd.String("config"))
	if err != nil {
		return nil, err
	}
	j := &recordJob{app: a, minimum: config.WeaverMinVersion, weaver: mode == weaverMode}
	j.options = record.Options{Argv: argv, Dir: dir, Mode: record.Mode(mode), Environ: os.Environ(), Pass: cmd.StringSlice("env"),
		Timeout: cmd.Duration("timeout"), Once: cmd.Bool("once")}
	if j.weaver {
		j.options.Mode = record.Recorder
	}
	if !cmd.Bool("quiet") {
		j.options.Live = a.Stderr
	}
	if err := j.setUp(cmd, config, configDir); err != nil {
		return nil, err
	}
	j.named = cmd.String("registry")
	from := j.named
	if j.named == "" && config.SchemaPath != "" {
		if !filepath.IsLocal(config.SchemaPath) {
			return nil, fault.Usage(instrument.ConfigFile+": schemaPath is "+fault.Quote(config.SchemaPath)+", outside of the project",
				"--registry DIR names a folder anywhere")
		}
		j.named, from = config.SchemaPath, filepath.Join(configDir, config.SchemaPath)
	}
	switch {
	case j.named == "" && j.weaver:
		return nil, fault.Usage("--record weaver needs a registry", "--registry DIR")
	case j.named == "":
		return j, nil
	}
	j.registry, j.open, err = registryOptions(cmd, from)
	return j, err
}

// projectConfig reads the configuration that is named, else that of the folder, else gives the defaults. The second
// result is the folder that its paths start from.
func projectConfig(dir, name string) (instrument.Config, string, error) {
	if name == "" {
		if _, err := os.Stat(filepath.Join(dir, instrument.ConfigFile)); errors.Is(err, fs.ErrNotExist) {
			return instrument.Defaults(), "", nil
		}
		name = instrument.ConfigFile
	}
	return readConfig(dir, name)
}

func (j *recordJob) setUp(cmd *cli.Command, config instrument.Config, configDir string) error {
	setup := cmd.String("setup")
	switch {
	case setup != "" && j.options.Mode == record.Recorder:
		return fault.Usage("--setup goes with --record tap or otlp", "the recorder stands in for the SDK and needs no set-up")
	case j.options.Mode == record.Recorder:
		return nil
	case setup != "":
		setup = workspace.InFolder(j.options.Dir, setup)
	case config.SDKInitFile != "" && !filepath.IsLocal(config.SDKInitFile):
		return fault.Usage(instrument.ConfigFile+": sdkInitFile is "+fault.Quote(config.SDKInitFile)+", outside of the project", "--setup FILE names a file anywhere")
	case config.SDKInitFile != "":
		setup = filepath.Join(configDir, config.SDKInitFile)
	default:
		return nil // the command may start the SDK itself
	}
	if st, err := os.Stat(setup); err != nil || !st.Mode().IsRegular() {
		return fault.Usage(setup + ": there is no such file")
	}
	j.options.Setup = setup
	return nil
}

// load reads the registry before the command runs: a mistake in it is told at once.
func (j *recordJob) load(ctx context.Context) (*record.Contract, error) {
	if j.named == "" {
		return nil, nil
	}
	if j.weaver {
		var err error
		if j.live, err = record.NewLiveCheck(ctx, j.registry, j.options.Dir, j.minimum); err != nil {
			return nil, fault.Usage(err.Error(), "--record recorder: aburn judges alone")
		}
	}
	done, findings, err := resolved(j.registry, j.open)
	if err != nil {
		return nil, err
	}
	verdict := registry.VerdictOf(findings)
	if verdict == registry.Invalid {
		return nil, fault.Usage("the registry in "+j.named+" is invalid, so nothing can be judged by it", "aburn instrument registry check "+shell.Quote(j.named))
	}
	return &record.Contract{Resolved: done, Whole: verdict == registry.Valid}, nil
}

func (j *recordJob) judge(ctx context.Context, recording *record.Recording) *record.Report {
	findings, judge := record.Judge(recording, j.contract), "aburn"
	if j.live != nil {
		theirs, err := j.live.Judge(ctx, recording, findings)
		if err == nil {
			findings, judge = theirs, "weaver "+j.live.Version+" and aburn"
		} else {
			j.app.Warn(err.Error(), "aburn judged alone")
		}
	}
	report := record.NewReport(recording, j.contract, findings)
	if report.Registry != nil {
		report.Registry.Dir, report.Registry.Judge = j.named, judge
	}
	return report
}

func recordError(err error, timeout time.Duration) error {
	var start *record.StartError
	switch {
	case errors.As(err, &start) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound)):
		return fault.Usage(start.Program+" is not there", "name a program on PATH, or a path")
	case errors.As(err, &start):
		return fault.Usage(err.Error())
	case errors.Is(err, run.ErrTimeout):
		return fault.Usage(fmt.Sprintf("%v (%v): nothing was judged", err, timeout), "--timeout 1h")
	case errors.Is(err, context.Canceled):
		return fault.Usage("the recording was ended by a signal: nothing was judged")
	}
	return err
}

// recordHints says what a person can do about the way the command ended.
func recordHints(a *kit.App, r *record.Report, passed []string) {
	has := func(id string) bool {
		return slices.ContainsFunc(r.Findings, func(f record.Finding) bool { return f.ID == id })
	}
	switch {
	case has("aburn.fails_recorded_only") && has("aburn.provider_refused"):
		a.Hint("tests with an SDK of their own want --record tap")
	case has("aburn.fails_recorded_only") && r.Mode == record.Recorder:
		a.Hint("--record tap changes less: it only listens to the project's SDK")
	case r.Red() && r.Hidden > 0 && len(passed) == 0:
		a.Hint(fmt.Sprintf("the command did not see %d of your variables; --env NAME passes one", r.Hidden))
	}
	switch {
	case has("aburn.never_loaded"):
		a.Hint("the recorder reaches node on this machine; for bun, deno or a container use --record otlp")
	case has("aburn.no_provider"):
		a.Hint("--setup FILE names the file that starts the SDK")
	case has("aburn.no_span") && r.Mode == record.OTLP:
		a.Hint("a node process that ends soon takes its spans with it: --record tap or recorder sees them")
	case has("aburn.no_span") && r.Mode == record.Recorder:
		a.Hint("spans that only libraries make want --record tap")
	}
}

// printRecording prints spans by test, then findings, then the score.
func printRecording(out *term.Out, r *record.Report) {
	fmt.Fprintf(out, "%s: %s\n", clean(strings.Join(r.Command, " ")), r.Ending())
	for _, file := range r.ByTest() {
		title := cmp.Or(file.File, "outside of tests")
		if r.Mode == record.OTLP {
			title = "spans (OTLP does not say of which test)"
		}
		term.Title(out, false, title)
		for _, test := range file.Tests {
			indent := "  "
			if file.File != "" {
				fmt.Fprintf(out, "  %s\n", cmp.Or(clean(test.Name), out.Paint(term.Dim, "no test known")))
				indent = "    "
			}
			for _, s := range test.Spans {
				fmt.Fprintf(out, "%s%s\n", indent, spanLine(out, s))
			}
		}
	}
	printRecordFindings(out, r.Findings)
	if r.Registry != nil {
		fmt.Fprintf(out, "\nregistry %s: %d of %s seen; judged by %s\n", clean(r.Registry.Dir), r.Registry.Seen, countOf(r.Registry.Defined, "span"),
			clean(r.Registry.Judge))
	} else {
		fmt.Fprintln(out)
	}
	printScore(out, r.Score)
	fmt.Fprintln(out, r.Verdict())
}

// clean is recorded text on one line.
func clean(s string) string { return plain.OneLine(s, 200) }

func spanLine(out *term.Out, s record.SpanUse) string {
	text := out.Paint(term.Bold, clean(s.Name))
	if s.Count > 1 {
		text += fmt.Sprintf(" ×%d", s.Count)
	}
	if s.Kind != "internal" {
		text += " " + clean(s.Kind)
	}
	if s.Failed > 0 {
		text += " " + out.Paint(term.Yellow, "error")
		if s.Count > 1 {
			text += fmt.Sprintf(" ×%d", s.Failed)
		}
	}
	text += "  " + out.Paint(term.Dim, clean(s.Place()))
	if len(s.Keys) > 0 {
		text += "  " + clean(strings.Join(s.Keys, " "))
	}
	return text
}

// maxOfOne is how many findings of one id are printed; --json has all.
const maxOfOne = 10

func printRecordFindings(out *term.Out, list []record.Finding) {
	if len(list) > 0 {
		term.Title(out, false, "findings")
	}
	styles := map[record.Level]term.Style{record.Violation: term.BoldRed, record.Improvement: term.Yellow, record.NotJudged: term.Cyan,
		record.Information: term.Dim}
	shown := map[string]int{}
	for i, f := range list {
		key := string(f.Level) + f.ID
		if shown[key]++; shown[key] <= maxOfOne {
			where := f.Span
			if f.File != "" {
				where = strings.TrimSpace(where + " " + record.Place(f.File, f.Line))
			}
			if where = clean(where); where != "" {
				where += ": "
			}
			times := ""
			if f.Count > 1 {
				times = fmt.Sprintf(" (×%d)", f.Count)
			}
			fmt.Fprintf(out, "%s %s %s%s%s\n", out.Paint(styles[f.Level], string(f.Level)), clean(f.ID), where, clean(f.Message), times)
		}
		if last := i+1 == len(list) || list[i+1].ID != f.ID || list[i+1].Level != f.Level; last && shown[key] > maxOfOne {
			fmt.Fprintf(out, "%s %s: %d more, with --json\n", out.Paint(styles[f.Level], string(f.Level)), clean(f.ID), shown[key]-maxOfOne)
		}
	}
}

func printScore(out *term.Out, s record.Score) {
	if s.Judged == 0 {
		fmt.Fprintf(out, "instrumentation score: none; %d of %d rules could be judged\n", s.Judged, s.Of)
		return
	}
	fmt.Fprintf(out, "instrumentation score: %d of %d rules could be judged; by them %.0f of 100 (%s)\n", s.Judged, s.Of, s.Value, s.Category)
	for _, r := range s.Rules {
		if !r.Passed {
			fmt.Fprintf(out, "  %s %s: %s\n", out.Paint(term.Yellow, "failed"), r.ID, r.Says)
		}
	}
}
