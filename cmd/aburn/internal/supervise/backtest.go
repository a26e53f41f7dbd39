package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/supervisor/backtest"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

func backtestCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "backtest",
		Usage:     "replay old logs and count the alerts they would have raised",
		ArgsUsage: "[LOG…]",
		Description: "A LOG is a file of entries, or a folder with a log and its rotated segments; by default it is this\n" +
			"project's. An alert counts once, when it is first raised, by the times in the log. With labels\n" +
			"(docs/reference/supervising.md describes them) it counts true alerts and found issues, with 95 %\n" +
			"intervals. It writes nothing and notifies nobody. Exit codes: 0 OK, 1 a log could not be read, 2 wrong\n" +
			"usage or wrong labels.\n\n" +
			"A log doesn't say which processes ran and which files existed, so issues that depend on them aren't\n" +
			"raised.\n\n" +
			"This replays the supervisor over workflow logs, and opens no sessions. For what went wrong in the\n" +
			"sessions that agents wrote to disk, see `aburn report` and `aburn replay`.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "labels", Usage: "compare the alerts with the labels in `FILE`", TakesFile: true},
			&cli.StringFlag{Name: "after", Usage: "continue for this `TIME` after the last entry of each log"},
			&cli.BoolFlag{Name: "alerts", Usage: "list every alert"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples(
			"aburn supervisor backtest",
			"aburn supervisor backtest --alerts old/*.log",
			"aburn supervisor backtest --labels labels.jsonl old/*.log",
		),
		Action: a.Action(runBacktest),
	}
}

type backtestRun struct {
	model   *workflow.Model
	limits  *limits.Limits
	sources []backtest.Source
	labels  backtest.Labels
	after   time.Duration
	meter   *term.ByteMeter
}

func runBacktest(_ context.Context, a *kit.App, cmd *cli.Command) error {
	run, err := newBacktestRun(a, cmd)
	if err != nil {
		return err
	}
	run.meter = term.NewByteMeter(term.New(a.Stderr, a.Getenv, true), run.total())
	rep, err := run.replay()
	run.meter.Clear()
	if err != nil {
		return fault.Failed("backtest: " + err.Error())
	}
	if err := checkEntries(rep); err != nil {
		return err
	}
	backtestWarnings(a, rep)
	if cmd.Bool("json") {
		return a.PrintJSON(backtestReport(rep))
	}
	return backtestText(a.Screen(cmd), rep, cmd.Bool("alerts"))
}

// newBacktestRun reads the command line, so that its mistakes show before the first log is read.
func newBacktestRun(a *kit.App, cmd *cli.Command) (*backtestRun, error) {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, a.Getenv)
	if err != nil && (!errors.Is(err, project.ErrNone) || cmd.NArg() == 0) {
		return nil, fault.Usage(err.Error(), "aburn init", "name a log: "+cmd.FullName()+" FILE")
	}
	set := settings.Load(p, a.Getenv) // outside of any project p is nil
	run := &backtestRun{model: set.Model(), limits: set.Limits()}
	for _, warning := range set.Warnings {
		a.Warn(warning)
	}
	if text := cmd.String("after"); text != "" {
		ok := false
		if run.after, ok = units.ParseAge(text); !ok {
			return nil, fault.Usage("--after: "+fault.Quote(text)+" is no length of time", "--after 30m")
		}
	}
	if err := run.open(dir, p, cmd.Args().Slice()); err != nil {
		return nil, err
	}
	return run, run.readLabels(dir, cmd.String("labels"))
}

func (r *backtestRun) open(dir string, p *project.Project, logs []string) error {
	if len(logs) == 0 {
		logs = []string{filepath.Join(p.Root, project.OssDir)}
	}
	for _, log := range logs {
		src, err := backtest.Open(workspace.InFolder(dir, log))
		if err != nil {
			return fault.Usage(err.Error())
		}
		src.Name = filepath.ToSlash(log)
		r.sources = append(r.sources, src)
	}
	return nil
}

func (r *backtestRun) readLabels(dir, name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Open(workspace.InFolder(dir, name))
	if err != nil {
		return fault.Usage("--labels: " + err.Error())
	}
	defer f.Close()
	if r.labels, err = backtest.ReadLabels(f); err != nil {
		return fault.Usage("--labels: "+name+": "+err.Error(), "docs/reference/supervising.md says how labels are written")
	}
	return nil
}

// total is how many bytes will be read.
func (r *backtestRun) total() (n int64) {
	for _, src := range r.sources {
		n += src.Bytes
	}
	return n
}

func (r *backtestRun) replay() (*backtest.Report, error) {
	rep := &backtest.Report{}
	for _, src := range r.sources {
		o := backtest.Options{Model: r.model, Limits: r.limits, After: r.after}
		if r.labels != nil {
			o.Labels = r.labels.Of(src.Name)
		}
		res, err := src.Replay(o, r.meter.Add)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", src.Name, err)
		}
		rep.Add(res)
	}
	return rep, nil
}

// checkEntries refuses files with lines but without entries: they are no logs.
func checkEntries(rep *backtest.Report) error {
	for _, res := range rep.Results {
		if res.Entries == 0 && res.Damage > 0 {
			return fault.Failed(res.Log + " has no entry, so it is no log")
		}
	}
	return nil
}

// backtestWarnings warns of what limits the meaning of the numbers.
func backtestWarnings(a *kit.App, rep *backtest.Report) {
	if rep.Damage > 0 {
		a.Warn(plain.Plural(rep.Damage, "line") + " could not be read")
	}
	for _, res := range rep.Results {
		for _, l := range res.Lost {
			a.Warn(fmt.Sprintf("%s: a label of %s names entry %d, which is not in the log: it counts as missed", res.Log, l.Type, l.Entry))
		}
	}
	if n := len(rep.Results) - rep.Labelled; n > 0 && rep.Labelled > 0 {
		a.Warn(plain.Plural(int64(n), "log")+" without labels", `{"log":"NAME","label":"healthy"} says that nothing is wrong in a log`)
	}
}
