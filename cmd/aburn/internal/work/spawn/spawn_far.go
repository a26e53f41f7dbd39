package spawn

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/worker/control"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/pty"
	"aburn/worker/tree"
)

// spawnFar has another repository's aburn spawn the worker, at a terminal of its holder's there.
func spawnFar(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, one launch.Order) error {
	p := one.Plan
	host := manager.HostNamed(o.Manager, p.Runtime.(manager.Machine).Host)
	name, email := repo.Identity(ctx)
	dir, err := host.Prepare(ctx, o.Store.FarKey(), name, email)
	if err != nil {
		hints := []string{"nothing was left behind"}
		if host.Name != "" {
			hints = append([]string{"aburn and git have to be on PATH there: ssh " + host.Name + " command -v aburn"}, hints...)
		}
		return fault.Failed(plain.Line(err.Error()), hints...)
	}
	s, done, err := manager.ClaimRemote(ctx, o.Manager, repo, p, dir)
	if err != nil {
		return launch.SpawnFailure(p, err)
	}
	ref := "refs/aburn/base/" + s.Name
	if err := tree.PushCommit(ctx, repo, control.Elsewhere(host, dir), s.Base, ref); err != nil {
		done(true)
		return fault.Failed("the base cannot be brought to "+host.String()+": "+plain.Line(err.Error()), "nothing was left behind")
	}
	said, err := launch.SendOrder(ctx, o, host, dir, repo, p, s)
	failed := err == nil && said.Code != 0
	done(failed)
	switch {
	case failed:
		return fault.Failed(host.String()+": "+manager.RemoteError(said), manager.RemoteMessages(said, "hint")...)
	case err != nil:
		return fault.Failed(plain.Line(err.Error())+"; nobody knows whether the agent runs", "aburn ps "+s.Name+" asks again")
	}
	var began manager.RemoteStarted
	if err := json.Unmarshal(said.Stdout, &began); err != nil {
		return fault.Failed(host.String()+" says nothing of the worker: "+err.Error(), "aburn ps "+s.Name)
	}
	s.Steps = began.Steps
	for _, w := range slices.Concat(s.Warnings, manager.RemoteMessages(said, "warning"), began.Warnings) {
		a.Warn(plain.Line(w))
	}
	if err := launch.TellTracker(ctx, o, one, s); err != nil {
		a.Warn(plain.Line(err.Error()))
	}
	if err := farReport(ctx, o, a, cmd, repo, s, p); err != nil {
		return err
	}
	return wait(ctx, o, a, cmd, repo, s.Name)
}

// FarCommand is what another repository's aburn calls here to have a worker. People use spawn.
func FarCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "far-spawn", Hidden: true, Usage: "spawn a worker for the machine that asks", Description: "stdin has the order, and the files that the worker gets.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "resume", Usage: "resume the worker `NAME`; stdin has the values of its variables"}},
		Action: a.Action(runFarSpawn),
	}
}

func runFarSpawn(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if a.Getenv(hold.MarkVariable) != "" {
		return fault.Failed("a worker may not spawn workers", "ask the person to run this command")
	}
	if cmd.IsSet("resume") {
		return reviveHere(ctx, a, cmd)
	}
	in := bufio.NewReader(a.Stdin)
	line, err := in.ReadBytes('\n')
	var order manager.RemoteOrder
	if err == nil {
		err = json.Unmarshal(line, &order)
	}
	if err != nil {
		return fault.Usage("stdin has no order: " + err.Error())
	}
	if err := takeValues(order.Env); err != nil {
		return err
	}
	p, err := order.Plan(func(ctx context.Context, t *tree.Tree) ([]tree.Copied, error) { return t.Receive(ctx, in) })
	if err != nil {
		return fault.Failed(err.Error(), "install the same version on both")
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	if p.Agent, p.Program, err = launch.ChooseAgent(order.Agent); err != nil {
		return err
	}
	p.Title = agentcli.Of(p.Agent.Name()).Title
	launch.AtTerminal(o, &p, pty.Name)
	launch.PlanHooks(o, a, &p)
	if o.Holder, err = projects.Program("aburn-hold"); err != nil {
		return err
	}
	repo, err := manager.Repository(ctx, o.Manager, o.Dir)
	if err != nil {
		return err
	}
	s, err := manager.Prepare(ctx, o.Manager, repo, p)
	if err != nil {
		return launch.SpawnFailure(p, err)
	}
	if _, err := manager.Start(ctx, o.Manager, repo, s, p); err != nil {
		return fault.Failed(err.Error(), "nothing was left behind")
	}
	within := launch.HasTaskWithin
	if !p.Hooked {
		within = launch.EndsWithin
	}
	if _, err := launch.WaitForTask(ctx, o, s.Name, time.Now().Add(within)); err != nil {
		return err
	}
	return a.PrintJSON(manager.RemoteStarted{Steps: s.Steps, Warnings: s.Warnings})
}

func farReport(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *manager.Spawned, p manager.Plan) error {
	m, err := o.Member(ctx, s.Name)
	if err != nil {
		return err
	}
	r := report(o, s, p)
	r.State, r.Tree = m.Worker.State.String(), m.RemoteTree
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	line := headline(ctx, o, repo, s, p)
	if launch.HasTask(m) {
		line += " · has the task"
	} else {
		line += " · runs, and has not confirmed the task yet"
	}
	fmt.Fprintln(a.Stdout, line)
	term.PrintNextSteps(a.Screen(cmd), "aburn attach "+s.Name, "aburn ps")
	return nil
}
