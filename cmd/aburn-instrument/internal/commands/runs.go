package commands

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/internal/fault"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/project"
)

func statusCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "list runs, the newest first, and how far each is", ArgsUsage: "[RUN]",
		Description:  "Reads the journals of runs in .oss/instrument. It starts nothing.\n\nExit code: 0, or 2 if there is no such run.",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: atMostOne,
		Metadata:     kit.Examples("aburn instrument status"),
		Action:       a.Action(runRuns),
	}
}

func resumeCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "resume", Usage: "go on with a run that was stopped or killed", ArgsUsage: "[RUN]",
		Description: "Goes on where the run's journal ends: the newest run that has not ended, or the one that you name. An\n" +
			"answer that was paid for is not asked for again, and what was accepted is not asked about again. A file\n" +
			"that changed meanwhile is left alone. A run that began with --dry-run or --only-plan still writes nothing,\n" +
			"and what --no-pr, --no-tests, --no-install and --branch said holds on.\n\nExit code: as that of a run.",
		Flags: append([]cli.Flag{projectConfigFlag(), &cli.BoolFlag{Name: "yes", Aliases: []string{"y"},
			Usage: "accept the ceiling, where the run had not come so far"}, kit.JSONFlag()}, sharedRunFlags()...),
		ArgValidator: atMostOne,
		Metadata:     kit.Examples("aburn instrument resume"),
		Action:       a.Action(runResume),
	}
}

func sharedRunFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "provider", Usage: "ask `WHO`; default: whom the run asked"},
		&cli.StringFlag{Name: "model", Usage: "ask the `MODEL`; default: the one that the run asked"},
		&cli.BoolFlag{Name: "no-tests", Usage: "do not run the tests"},
		&cli.BoolFlag{Name: "no-install", Usage: "install no libraries"},
		&cli.BoolFlag{Name: "no-pr", Usage: "push nothing, and open no pull request"},
		&cli.StringFlag{Name: "only-plan", Usage: "of a run that writes nothing: write the plan to `FILE`", TakesFile: true},
	}, watchFlags(false)...)
}

func abortCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "abort", Usage: "end a run, and go back to the branch before it", ArgsUsage: "[RUN]",
		Description: "Takes back a file that the run had not committed, and goes back to the branch that it began on. Nothing is\ndeleted: the run's branch and " +
			"its journal stay.\n\nExit code: 0, or 2 if there is no such run.",
		ArgValidator: atMostOne,
		Metadata:     kit.Examples("aburn instrument abort"),
		Action:       a.Action(runAbort),
	}
}

// runState is one run as status tells it.
type runState struct {
	Run      string    `json:"run"`
	Running  bool      `json:"running"`
	End      string    `json:"end"` // done, stopped, declined, aborted; "" while it can go on
	Phase    string    `json:"phase"`
	Files    int       `json:"files"`
	Done     int       `json:"done"`
	Failed   int       `json:"failed"`
	Calls    int       `json:"calls"`
	Tokens   int       `json:"tokens"`
	Ceiling  int       `json:"maxTokens"`
	Branch   string    `json:"branch"`
	Base     string    `json:"base"`
	PR       string    `json:"pr"`
	Last     time.Time `json:"last"` // when its journal was last written
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	Mode     string    `json:"mode"`
	Dry      bool      `json:"dry"` // it writes nothing
	noPR     bool
}

// runsOf reads the runs of a project, the newest first.
func runsOf(oss *os.Root) (list []runState, err error) {
	names, err := fs.ReadDir(oss.FS(), runsFolder)
	if err != nil {
		return nil, nil // none ever began
	}
	slices.Reverse(names)
	for _, e := range names {
		folder, err := oss.OpenRoot(runsFolder + "/" + e.Name())
		if err != nil {
			continue
		}
		s, err := coordinator.ReadState(folder)
		running := false
		if lock, busy := lockfile.Acquire(folder, "lock", 0); busy != nil {
			running = true
		} else {
			_ = lock.Release()
		}
		folder.Close()
		if err != nil || !s.Began && !running {
			continue
		}
		list = append(list, stateOf(e.Name(), s, running))
	}
	return list, nil
}

func stateOf(id string, s *coordinator.State, running bool) runState {
	usage, _, calls := s.Usage()
	r := runState{Run: id, Running: running, End: s.End, Phase: string(s.Phase), Files: len(s.Order), Done: len(s.Files), Calls: calls, Tokens: usage.Total(),
		Branch: s.Branch, Base: s.Base, PR: s.PR, Last: s.Last, Provider: s.Provider, Model: s.Model, Mode: s.Mode, Dry: s.Dry, noPR: s.NoPR}
	if s.Accepted != nil {
		r.Ceiling = s.Accepted.MaxTokens
	}
	for _, f := range s.Files {
		if f.Status == instrument.Failed {
			r.Failed++
		}
	}
	return r
}

// ossOf is the project's .oss.
func ossOf(a *kit.App, dir string) (*project.Project, *os.Root, error) {
	p, err := project.Find(dir, a.Getenv)
	if err != nil || !p.Marked {
		return nil, nil, fault.Usage("this project is not trusted", "aburn init")
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil, nil, fault.Failed(plain.Line(err.Error()))
	}
	return p, oss, nil
}

// chosen is the run that is named, else the newest that can go on.
func chosen(list []runState, name string, open bool) (runState, error) {
	i := slices.IndexFunc(list, func(r runState) bool {
		return r.Run == name || name == "" && (!open || r.End == "" || r.End == "stopped")
	})
	switch {
	case i >= 0:
		return list[i], nil
	case name != "":
		return runState{}, fault.Usage("there is no run "+fault.Quote(name), "aburn instrument status")
	}
	return runState{}, fault.Usage("no run can go on", "aburn instrument PATH… begins one")
}

func runRuns(_ context.Context, a *kit.App, cmd *cli.Command) error {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	_, oss, err := ossOf(a, dir)
	if err != nil {
		return err
	}
	defer oss.Close()
	list, err := runsOf(oss)
	if err != nil {
		return err
	}
	if name := cmd.Args().First(); name != "" {
		one, err := chosen(list, name, false)
		if err != nil {
			return err
		}
		list = []runState{one}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(struct {
			Runs []runState `json:"runs"`
		}{append([]runState{}, list...)})
	}
	out := a.Screen(cmd)
	for _, r := range list {
		how := "can go on: aburn instrument resume " + r.Run
		switch {
		case r.Running:
			how = "running"
		case r.End != "" && r.End != "stopped":
			how = r.End
		}
		fmt.Fprintf(out, "%s %s: %d of %s, %d failed, %s, %s tokens, %s\n", r.Run, r.Phase, r.Done, countOf(r.Files, "file"), r.Failed, countOf(r.Calls, "call"),
			plain.Count(int64(r.Tokens)), how)
		if r.Dry {
			fmt.Fprintln(out, "  writes nothing: it began with --dry-run or --only-plan")
		}
		if r.Branch != "" {
			fmt.Fprintf(out, "  branch %s, from %s %s\n", plain.Line(r.Branch), plain.Line(r.Base), plain.Line(r.PR))
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(out, "no run has begun here")
	}
	return nil
}

// opened is a job for a run that has begun.
func opened(a *kit.App, cmd *cli.Command) (*job, error) {
	j, err := newJob(a, cmd)
	if err != nil {
		return nil, err
	}
	if _, j.oss, err = ossOf(a, j.dir); err != nil {
		return nil, err
	}
	list, err := runsOf(j.oss)
	if err != nil {
		return nil, err
	}
	r, err := chosen(list, cmd.Args().First(), true)
	if err != nil {
		return nil, err
	}
	if cmd.String("provider") == "" && r.Provider != "" {
		j.config.Provider = r.Provider
	}
	if cmd.String("model") == "" {
		j.config.AgentModel = r.Model
	}
	j.config.Mode, j.dry, j.noPR = r.Mode, r.Dry, j.noPR || r.noPR
	if file := cmd.String("only-plan"); file != "" && !r.Dry {
		return nil, fault.Usage("the run "+r.Run+" puts spans on a branch: it makes no plan to apply",
			"aburn instrument resume "+r.Run+"; or begin one with --only-plan")
	} else if file != "" {
		if err := isNew(j.dir, file); err != nil {
			return nil, err
		}
	}
	return j, j.begin(r.Run)
}

func runResume(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	j, err := opened(a, cmd)
	if err != nil {
		return err
	}
	defer j.close()
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	return j.run(ctx, &instrument.Selection{})
}

func runAbort(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	j, err := opened(a, cmd)
	if err != nil {
		return err
	}
	defer j.close()
	branch, err := coordinator.End(ctx, coordinator.Options{Dir: j.dir, Config: j.config, Environ: os.Environ(), Run: j.id, Folder: j.folder, Now: time.Now,
		Sleep: sleep})
	if err != nil {
		return j.failed(err)
	}
	j.log.write("FAILED", "", coordinator.Data{"reason": "aborted"})
	fmt.Fprintf(a.Stdout, "%s ended; the project is on %s, and nothing was deleted\n", j.id, plain.Line(branch))
	return nil
}
