package work

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/overview"
	"aburn/worker/projects"
)

func KillCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "kill",
		Usage:     "end a worker's agent; its worktree and branch stay",
		ArgsUsage: "NAME…",
		Description: "The agent and all its processes get 4 seconds to end, then aburn kills them. It touches no other process. The worktree,\n" +
			"the branch and the conversation stay: `aburn diff`, `aburn cleanup`.\n\n" +
			"Exits with 1 if an agent was not ended.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "all running workers of the project"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --all: do not ask"},
			&cli.BoolFlag{Name: "forget", Usage: "only record that it ended, if its machine is gone; ends nothing"},
			kit.JSONFlag(),
		},
		ArgValidator:  checkKill,
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn kill fix-the-flaky-test", "aburn kill --all --project shop", "aburn kill --json --all --yes"),
		Action:        a.Action(runKill),
	}
}

func checkKill(_ context.Context, cmd *cli.Command) error {
	switch {
	case cmd.NArg() == 0 && !cmd.Bool("all"):
		return fault.Usage("name a worker", "aburn ps", "aburn kill --all")
	case cmd.NArg() > 0 && cmd.Bool("all"):
		return fault.Usage("--all takes no names", "leave one out")
	case cmd.Bool("forget") && cmd.Bool("all"):
		return fault.Usage("--forget needs names, because a forgotten worker may still run", "aburn ps")
	case cmd.Bool("yes") && !cmd.Bool("all"):
		return fault.Usage("--yes needs --all: workers that you name are ended without a question", "leave it out")
	}
	return nil
}

func runKill(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "end workers"); err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	members, strays, err := toKill(ctx, o, cmd.Args().Slice(), cmd.Bool("forget"))
	if err != nil {
		return err
	}
	if cmd.Bool("all") {
		if err := confirmAll(a, cmd, members, strays); err != nil {
			return err
		}
	}
	now, errs := make([]*manager.Member, len(members)), make([]error, len(members))
	var all sync.WaitGroup
	for i, m := range members { // each may take 4 seconds
		all.Go(func() {
			if cmd.Bool("forget") {
				now[i], errs[i] = m, manager.Forget(o.Manager, m)
				return
			}
			now[i], errs[i] = control.Kill(ctx, o.Manager, m)
		})
	}
	lost, lostErrs := make([]int, len(strays)), make([]error, len(strays))
	for i, s := range strays {
		all.Go(func() { lost[i], lostErrs[i] = manager.EndStray(ctx, o.Manager, s) })
	}
	all.Wait()
	acts := target.NewActs(a, cmd.Bool("json"))
	for i, s := range strays {
		target.SayEnded(acts, s, "", lost[i], lostErrs[i])
	}
	others, _ := o.LoadState(ctx)
	for i, m := range members {
		sayKilled(acts, m, now[i], errs[i], cmd.Bool("forget"), goOn(others, m.Name))
	}
	return acts.End()
}

// toKill are the workers and strays that words mean; without words all of which something runs.
func toKill(ctx context.Context, o *projects.Project, words []string, forget bool) (members []*manager.Member, strays []*manager.Stray, err error) {
	all, lost, err := overview.Roll(ctx, o)
	if err != nil {
		return nil, nil, fault.Failed(err.Error())
	}
	if len(words) == 0 {
		return manager.Running(all), lost, nil
	}
	for _, word := range words {
		s := overview.StrayCalled(lost, word)
		if s != nil && !forget {
			strays = append(strays, s)
		}
		if _, err := o.Find(word); s != nil && (err != nil || !slices.ContainsFunc(all, func(m *manager.Member) bool { return m.Name == s.Name })) {
			continue
		}
		m, err := o.Member(ctx, word)
		if err != nil {
			return nil, nil, err
		}
		members = append(members, m)
	}
	return members, strays, nil
}

// sayKilled tells how a worker's agent ended, or that this was only written down.
func sayKilled(acts *target.Acts, m, now *manager.Member, err error, forget bool, children []string) {
	switch {
	case errors.Is(err, manager.ErrOver):
		one := target.ActedOn(m, target.WasOver)
		one.Left = m.Ended
		acts.Did(one, m.Name+"  "+describe.OverText(m))
	case err != nil && forget:
		acts.Failed(target.ActedOn(m, ""), "not forgotten: "+err.Error()+", and aburn kill ends it")
	case err != nil:
		acts.Failed(target.ActedOn(m, ""), err.Error())
	case forget:
		acts.Did(target.Acted{Worker: m.Name, Did: target.DidForget}, m.Name+"  forgotten: if it runs somewhere, it keeps running there")
	default:
		one := target.ActedOn(now, target.DidKill)
		one.Left, one.GoOn = describe.Left(now), children
		text := now.Name + "  " + describe.StateText(now) + describe.LeftText(now)
		if len(children) > 0 {
			text += "; workers that it spawned keep running: " + strings.Join(children, ", ")
		}
		acts.Did(one, text)
	}
}

// confirmAll asks before all workers of a project end.
func confirmAll(a *kit.App, cmd *cli.Command, members []*manager.Member, strays []*manager.Stray) error {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	for _, s := range strays {
		names = append(names, s.Name)
	}
	text := plain.Plural(int64(len(names)), "worker") + " would end: " + plain.OneLine(strings.Join(names, ", "), 200)
	switch {
	case len(names) == 0:
		a.Note("no worker's agent runs")
		return nil
	case cmd.Bool("yes"):
		return nil
	case !a.CanAsk(cmd):
		return fault.Usage(text, "--yes ends them")
	case !a.Confirm(text + ". End them?"):
		return fault.Failed("nothing was ended")
	}
	return nil
}
