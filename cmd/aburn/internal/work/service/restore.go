package service

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/aburn/internal/work/spawn"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker/daemon"
	"aburn/worker/describe"
	"aburn/worker/launch"
	"aburn/worker/projects"
)

func RestoreCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "restore",
		Usage:     "restart stopped workers",
		ArgsUsage: "[NAME…]",
		Description: "An agent starts again with its conversation, where it ran before, and gets the messages that wait for it. A tree that was\n" +
			"removed is made again from its last snapshot, or from its branch. Variables that `spawn --env` named get the values that\n" +
			"your environment has now: aburn keeps none, and warns of those that are missing.\n\n" +
			"Without names these are the workers of the last `aburn stop`, of all projects. With --all they are this project's workers\n" +
			"that ended without having been asked to, such as after a crash of the machine.\n\n" +
			"Exit code: 1 if one of them does not go on.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "all workers of this project that ended unasked"},
			&cli.StringSliceFlag{Name: "env", Usage: "also pass the variable `NAME` of your environment to the agent; any number of times"},
			&cli.BoolFlag{Name: "trust", Usage: "you trust this repository; without a terminal the agent does not ask"},
			kit.JSONFlag(),
		},
		ShellComplete: work.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn restore", "aburn restore fix-the-flaky-test", "aburn restore --all"),
		Action:        a.Action(runRestore),
	}
}

func runRestore(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.String("project") != "" && cmd.NArg() == 0 && !cmd.Bool("all") {
		return fault.Usage("the last stop was of all projects", "aburn restore --all --project NAME: its workers that ended unasked", "name workers")
	}
	if err := scope.PersonOnly(a, "restore workers"); err != nil {
		return err
	}
	names := cmd.Args().Slice()
	if cmd.Bool("all") && len(names) > 0 {
		return fault.Usage("--all and names exclude each other", "leave one out")
	}
	env := cmd.StringSlice("env")
	if err := launch.CheckEnv(env); err != nil {
		return err
	}
	if len(names) == 0 && !cmd.Bool("all") {
		p, err := daemon.OpenState(a.Getenv)
		if err != nil {
			return err
		}
		defer p.Close()
		return restoreStopped(ctx, a, p, env, work.NewActs(a, cmd.Bool("json")))
	}
	o, err := work.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	members, err := work.Chosen(ctx, o, names)
	if err != nil {
		return err
	}
	acts, n := work.NewActs(a, cmd.Bool("json")), 0
	for _, m := range members {
		if cmd.Bool("all") && !launch.EndedUnasked(m) {
			continue
		}
		n++
		spawn.ReviveAndSay(ctx, o, a, m, launch.Again{Trusted: cmd.Bool("trust"), Env: env}, acts)
	}
	if n == 0 {
		acts.Say("no worker ended unasked")
	}
	return acts.End()
}

// restoreStopped has the workers of the last stop go on. Each is taken off the record before it starts, so none starts twice.
func restoreStopped(ctx context.Context, a *kit.App, p *daemon.State, env []string, acts *work.Acts) error {
	s := p.Stopped()
	if len(s.Workers) == 0 {
		return fault.Failed("the last stop left no worker to restore", "aburn restore NAME", "aburn ps")
	}
	for len(s.Workers) > 0 {
		w := s.Workers[0]
		s.Workers = s.Workers[1:]
		if err := p.Write(daemon.LastStop, s); err != nil {
			return fault.Failed(err.Error())
		}
		restoreOne(ctx, a, w, env, acts)
	}
	return acts.End()
}

func restoreOne(ctx context.Context, a *kit.App, w daemon.StoppedWorker, env []string, acts *work.Acts) {
	o, err := projects.Open(a.Getenv, w.Project)
	if err != nil {
		acts.Failed(work.Acted{Worker: w.Worker, Project: w.Project}, err.Error())
		return
	}
	defer o.Close()
	m, err := o.Member(ctx, w.Worker)
	switch {
	case err != nil:
		acts.Failed(work.Acted{Worker: w.Worker, Project: w.Project}, err.Error())
	case m.Ledger.Gen() != w.Gen || !m.Over():
		one := work.ActedOn(m, work.WentOn)
		one.Project = w.Project
		acts.Did(one, m.Name+"  went on already: "+describe.StateText(m))
	default:
		spawn.ReviveAndSay(ctx, o, a, m, launch.Again{Trusted: true, Env: env}, acts) // it ran, so it was trusted
	}
}
