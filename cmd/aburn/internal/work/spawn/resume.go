package spawn

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker/daemon"
	"aburn/worker/describe"
	"aburn/worker/launch"
	"aburn/worker/projects"
)

// ResumeCommand is `aburn resume`.
func ResumeCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "restart stopped workers",
		ArgsUsage: "[NAME…]",
		Description: "The agent starts again where it ran before. It continues its conversation and gets its waiting messages. If the worktree was\n" +
			"removed, aburn makes it again from the last snapshot or from the branch. aburn saves no values of variables: those that\n" +
			"`spawn --env` named get the values of your environment now, with a warning if one is missing.\n\n" +
			"Without names, aburn resumes the workers that the last `aburn daemon stop` ended, in all projects. With --all, it resumes this\n" +
			"project's workers that ended unasked, such as after a crash of the machine.\n\n" +
			"Exit codes: 0 OK, 1 a worker could not be resumed, 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "resume all workers of this project that ended unasked"},
			&cli.StringSliceFlag{Name: "env", Usage: "also pass the variable `NAME` of your environment to the agent; repeatable"},
			&cli.BoolFlag{Name: "trust", Usage: "trust this repository: an agent without a terminal does not ask"},
			kit.JSONFlag(),
		},
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn resume", "aburn resume fix-the-flaky-test", "aburn resume --all"),
		Action:        a.Action(runResume),
	}
}

func runResume(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.String("project") != "" && cmd.NArg() == 0 && !cmd.Bool("all") {
		return fault.Usage("the last stop ended workers of all projects", "aburn resume --all --project NAME  # those that ended unasked", "name the workers")
	}
	if err := scope.PersonOnly(a, "resume workers"); err != nil {
		return err
	}
	names := cmd.Args().Slice()
	if cmd.Bool("all") && len(names) > 0 {
		return fault.Usage("use either --all or names", "leave one out")
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
		return ResumeStopped(ctx, a, p, env, target.NewActs(a, cmd.Bool("json")))
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	members, err := target.Chosen(ctx, o, names)
	if err != nil {
		return err
	}
	acts, n := target.NewActs(a, cmd.Bool("json")), 0
	for _, m := range members {
		if cmd.Bool("all") && !launch.EndedUnasked(m) {
			continue
		}
		n++
		reviveAndSay(ctx, o, a, m, launch.Again{Trusted: cmd.Bool("trust"), Env: env}, acts)
	}
	if n == 0 {
		acts.Say("no worker ended unasked")
	}
	return acts.End()
}

// ResumeStopped resumes the workers of the last stop. Each is taken off the record before it starts, so none starts twice.
func ResumeStopped(ctx context.Context, a *kit.App, p *daemon.State, env []string, acts *target.Acts) error {
	s := p.Stopped()
	if len(s.Workers) == 0 {
		return fault.Failed("the last stop left no worker to resume", "aburn resume NAME", "aburn ps")
	}
	for len(s.Workers) > 0 {
		w := s.Workers[0]
		s.Workers = s.Workers[1:]
		if err := p.Write(daemon.LastStop, s); err != nil {
			return fault.Failed(err.Error())
		}
		resumeOne(ctx, a, w, env, acts)
	}
	return acts.End()
}

func resumeOne(ctx context.Context, a *kit.App, w daemon.StoppedWorker, env []string, acts *target.Acts) {
	o, err := projects.Open(a.Getenv, w.Project)
	if err != nil {
		acts.Failed(target.Acted{Worker: w.Worker, Project: w.Project}, err.Error())
		return
	}
	defer o.Close()
	m, err := o.Member(ctx, w.Worker)
	switch {
	case err != nil:
		acts.Failed(target.Acted{Worker: w.Worker, Project: w.Project}, err.Error())
	case m.Ledger.Gen() != w.Gen || !m.Over():
		one := target.ActedOn(m, target.WentOn)
		one.Project = w.Project
		acts.Did(one, m.Name+"  was resumed already: "+describe.StateText(m))
	default:
		reviveAndSay(ctx, o, a, m, launch.Again{Trusted: true, Env: env}, acts) // it ran, so it was trusted
	}
}
