// Package archiving is the commands that fill the archive from agents' stores, save sessions for good, and export them. What they
// show of sessions is package sessions.
package archiving

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost/spend"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/trace"
	"aburn/trace/readers"
)

func IngestCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "ingest",
		Usage:     "read your agents' saved sessions into the archive",
		ArgsUsage: "[SOURCE…]",
		Description: "Most agents delete their sessions after some weeks. The archive saves them as traces without content. ingest\n" +
			"reads what is new since the last run and changes no source. You can stop it at any moment: the next\n" +
			"run continues. A SOURCE is an agent (" + strings.Join(readers.Sources(), ", ") + "), or a file or folder of\n" +
			"sessions; by default it is every agent in its usual place. It counts the sessions that are new,\n" +
			"updated, unchanged, or gone from the agent's disk but still in the archive, and the stores (files,\n" +
			"databases) that it read. Exit 1 if something could not be archived.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only stores that changed since `WHEN`: 24h, 30d, 2026-11-21, 2026-11-21T10:03"},
			&cli.BoolFlag{Name: "watch", Usage: "archive every change until you stop it"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would be read"},
			&cli.BoolFlag{Name: "rebuild", Usage: "read everything again; sessions that are gone stay in the archive"},
			&cli.BoolFlag{Name: "check", Usage: "only check that the archive is complete"},
			&cli.BoolFlag{Name: "if-idle", Usage: "leave the work to another ingest if one is running"},
			&cli.BoolFlag{Name: "quiet", Usage: "print only problems"},
			&cli.StringFlag{Name: "settle", Usage: "wait this `TIME` before each run", Hidden: true},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples(
			"aburn ingest  # what is new, from every agent",
			"aburn ingest claude --since 30d",
			"aburn ingest --watch  # in a terminal of its own",
			"aburn ingest --json | jq '.sources[] | {source, new, updated}'",
		),
		ShellComplete: a.Completer(func(int) []string { return readers.Sources() }),
		Action:        a.Action(runIngest),
	}
}

type ingestRun struct {
	dir     string
	options ingest.Options
	rebuild bool
	watch   bool
	quiet   bool
	json    bool
	idle    bool
	settle  time.Duration // to wait before each run, while agents finish writing
	out     *term.Out
	meter   *lookup.Meter

	reportedSkips map[string]bool // by a watch
}

func runIngest(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	run, err := newIngestRun(a, cmd)
	if err != nil {
		return err
	}
	if run.watch { // bounds each of its runs, and sleeps in between
		return ingestWatch(ctx, a, cmd, run)
	}
	defer ingest.BoundMemory()()
	switch {
	case cmd.Bool("check"):
		return ingestCheck(ctx, a, run)
	case run.options.DryRun:
		return ingestDry(ctx, a, run)
	}
	return ingestOnce(ctx, a, cmd, run)
}

// ingestRun reads the command line.
func newIngestRun(a *kit.App, cmd *cli.Command) (*ingestRun, error) {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	run := &ingestRun{
		dir: archive.Dir(a.Getenv), rebuild: cmd.Bool("rebuild"), watch: cmd.Bool("watch"), quiet: cmd.Bool("quiet"), json: cmd.Bool("json"),
		idle: cmd.Bool("if-idle"), reportedSkips: map[string]bool{}, out: a.Screen(cmd),
		meter: &lookup.Meter{Meter: term.Meter{Out: term.New(a.Stderr, a.Getenv, true)}},
		options: ingest.Options{
			Readers: readers.Readers(), DryRun: cmd.Bool("dry-run"),
			Places: trace.Places{Home: a.Getenv("HOME"), Getenv: a.Getenv},
		},
	}
	if run.dir == "" {
		return nil, lookup.NoHome()
	}
	for _, pair := range [][2]string{{"watch", "dry-run"}, {"watch", "rebuild"}, {"watch", "check"}, {"dry-run", "rebuild"}, {"dry-run", "check"},
		{"rebuild", "check"}} {
		if cmd.Bool(pair[0]) && cmd.Bool(pair[1]) {
			return nil, fault.Usage("--" + pair[0] + " and --" + pair[1] + " do not go together")
		}
	}
	if text := cmd.String("since"); text != "" {
		if run.options.Since, err = units.ParseTime(text, now); err != nil {
			return nil, fault.Usage("--since: " + err.Error())
		}
	}
	if text := cmd.String("settle"); text != "" {
		if run.settle, err = time.ParseDuration(text); err != nil {
			return nil, fault.Usage("--settle: " + fault.Quote(text) + " is no length of time")
		}
	}
	if !run.quiet && !run.json && !run.watch {
		run.options.Progress = run.meter.Show
	}
	if days := retention(a, dir); days > 0 {
		run.options.Keep = now.AddDate(0, 0, -days)
	}
	return run, run.sources(dir, cmd.Args().Slice())
}

// retention is how many days sessions are kept, 0 for ever. Only the user's own settings set it.
func retention(a *kit.App, dir string) int {
	p, _ := project.Find(dir, a.Getenv)
	set := settings.Load(p, a.Getenv)
	for _, warning := range set.Warnings {
		if strings.Contains(warning, "archive.") {
			a.Warn(warning)
		}
	}
	return set.Archive.Retention
}

func (r *ingestRun) sources(dir string, args []string) error {
	var named []trace.Reader
	for _, arg := range args {
		if i := slices.IndexFunc(r.options.Readers, func(reader trace.Reader) bool { return reader.Name() == arg }); i >= 0 {
			named = append(named, r.options.Readers[i])
			continue
		}
		path := workspace.InFolder(dir, arg)
		if _, err := os.Stat(path); err != nil {
			return fault.Usage(fault.Quote(arg)+" is neither an agent nor a file or folder", fault.DidYouMean(arg, readers.Sources())...)
		}
		if real, err := filepath.Abs(path); err == nil {
			path = real
		}
		r.options.Places.Paths = append(r.options.Places.Paths, path)
	}
	if len(named) > 0 {
		r.options.Readers = named
	}
	return nil
}

// ingestOnce makes one run and prints it. If other processes asked for an ingest meanwhile, it reads everything once more,
// and prints nothing of that: it was not asked for it.
func ingestOnce(ctx context.Context, a *kit.App, cmd *cli.Command, run *ingestRun) error {
	o, told := run.options, false
	err := ingest.Exclusively(ctx, run.dir, waitNotice(a, run), func() error {
		select { // under the lock: of many that start at once one waits, and the others leave the work to it
		case <-time.After(run.settle):
		case <-ctx.Done():
			return ctx.Err()
		}
		// The lock's file is in this folder. If somebody has removed it meanwhile, it must not come back.
		if _, err := os.Stat(run.dir); err != nil {
			return fault.Usage("the archive's folder is gone: " + err.Error())
		}
		db, renewed, err := archive.OpenRenewed(ctx, run.dir, run.renewing())
		run.meter.Clear()
		if renewed != nil && !run.quiet {
			chosen.NoteRenewed(a, renewed)
		}
		if err != nil {
			return err
		}
		defer db.Close()
		if run.rebuild && !told {
			if err := db.Remake(ctx); err != nil {
				return err
			}
		}
		o.Archive = db
		report, err := ingest.Run(ctx, o)
		run.meter.Clear()
		if err != nil || told {
			return err
		}
		told = true
		o.Readers, o.Places.Paths, o.Since, o.Progress = readers.Readers(), nil, time.Time{}, nil
		return printIngest(a, run, report)
	})
	switch {
	case err == nil:
		spent(ctx, a, cmd)
	case errors.Is(err, ingest.ErrBusy):
		if !run.quiet {
			a.Note("another ingest is running: it checks once more before it ends")
		}
		return nil
	case errors.Is(err, context.Canceled):
		return fault.Failed("interrupted before anything was read", "aburn ingest")
	}
	return err
}

// spent brings up to date what a status line says of today, and what a person is told of budgets.
func spent(ctx context.Context, a *kit.App, cmd *cli.Command) {
	if err := spend.Update(ctx, scope.CallerOf(a, cmd)); err != nil && ctx.Err() == nil {
		a.Warn("today's sum could not be saved for status lines and budgets: " + err.Error())
	}
}

// renewing shows the progress of renewing the archive; nil if nothing is to be shown.
func (r *ingestRun) renewing() func(done, total int) {
	if r.options.Progress == nil {
		return nil
	}
	return r.meter.Renewing
}

// waitNotice notes that another ingest is running; nil with --if-idle, which does not wait.
func waitNotice(a *kit.App, run *ingestRun) func() {
	if run.idle {
		return nil
	}
	return func() {
		if !run.quiet {
			a.Note("another ingest is running: this one starts when that one ends")
		}
	}
}

func ingestDry(ctx context.Context, a *kit.App, run *ingestRun) error {
	db, err := archive.View(ctx, run.dir)
	switch none := (*archive.NotFound)(nil); {
	case err == nil:
		defer db.Close()
		run.options.Archive = db
	case !errors.As(err, &none):
		return err
	}
	report, err := ingest.Run(ctx, run.options)
	if err != nil {
		return err
	}
	return printIngest(a, run, report)
}

func ingestCheck(ctx context.Context, a *kit.App, run *ingestRun) error {
	db, err := lookup.ViewArchive(ctx, a.Getenv)
	if err != nil {
		return err
	}
	defer db.Close()
	faults, err := db.Check(ctx)
	if err != nil {
		return err
	}
	sessions, err := db.Sessions(ctx, archive.Filter{Own: true})
	if err != nil {
		return err
	}
	if run.json {
		err = a.PrintJSON(IngestCheckReport{Archive: filepath.Join(run.dir, archive.Name), Sessions: len(sessions), Faults: append([]string{}, faults...)})
	} else if len(faults) == 0 && !run.quiet {
		_, err = fmt.Fprintln(a.Stdout, filepath.Join(run.dir, archive.Name)+": "+plain.Plural(int64(len(sessions)), "session")+", all as they should be")
	}
	if err != nil || len(faults) == 0 {
		return err
	}
	if run.json {
		return fault.Exit(fault.ExitFailed)
	}
	for _, fault := range faults {
		fmt.Fprintln(a.Stdout, plain.Line(fault))
	}
	return fault.Failed(filepath.Join(run.dir, archive.Name)+": "+plain.Plural(int64(len(faults)), "fault"), "aburn ingest --rebuild")
}

func ingestWatch(ctx context.Context, a *kit.App, cmd *cli.Command, run *ingestRun) error {
	if run.idle {
		return fault.Usage("--watch and --if-idle do not go together")
	}
	if !run.quiet && !run.json {
		a.Note("process " + fmt.Sprint(os.Getpid()) + " keeps " + filepath.Join(run.dir, archive.Name) + " complete")
	}
	return ingest.Watch(ctx, run.dir, run.options, ingest.DefaultPace, waitNotice(a, run), func(report *ingest.Report, err error) {
		if err != nil {
			failed := fault.Of(err)
			a.Warn(failed.Msg, failed.Hints...)
		}
		if report != nil {
			spent(ctx, a, cmd)
			printRound(a, run, report)
		}
	})
}
