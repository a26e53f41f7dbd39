package spawn

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/internal/term"
	"aburn/worker/control"
	"aburn/worker/crew"
	"aburn/worker/projects"
	"aburn/worker/pty"
	"aburn/worker/ssh"
	"aburn/worker/tree"
)

// spawnFar has another repository's aburn spawn the worker, at a terminal of its holder's there.
func spawnFar(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, one order) error {
	p := one.plan
	host := crew.Host(o.Crew, p.Runtime.(crew.Machine).Host)
	name, email := repo.Identity(ctx)
	dir, err := host.Prepare(ctx, o.Store.FarKey(), name, email)
	if err != nil {
		hints := []string{"nothing was left behind"}
		if host.Name != "" {
			hints = append([]string{"aburn and git have to be on PATH there: ssh " + host.Name + " command -v aburn"}, hints...)
		}
		return fault.Failed(plain.Line(err.Error()), hints...)
	}
	s, done, err := o.ClaimFar(ctx, repo, p, dir)
	if err != nil {
		return spawnFailure(p, err)
	}
	ref := "refs/aburn/base/" + s.Name
	if err := repo.Bring(ctx, control.Elsewhere(host, dir), s.Base, ref); err != nil {
		done(true)
		return fault.Failed("the base cannot be brought to "+host.String()+": "+plain.Line(err.Error()), "nothing was left behind")
	}
	said, err := sendOrder(ctx, o, host, dir, repo, p, s)
	failed := err == nil && said.Code != 0
	done(failed)
	switch {
	case failed:
		return fault.Failed(host.String()+": "+crew.FarText(said), crew.FarSaid(said, "hint")...)
	case err != nil:
		return fault.Failed(plain.Line(err.Error())+"; nobody knows whether the agent runs", "aburn ps "+s.Name+" asks again")
	}
	var began crew.FarBegan
	if err := json.Unmarshal(said.Stdout, &began); err != nil {
		return fault.Failed(host.String()+" says nothing of the worker: "+err.Error(), "aburn ps "+s.Name)
	}
	s.Steps = began.Steps
	for _, w := range slices.Concat(s.Warnings, crew.FarSaid(said, "warning"), began.Warnings) {
		a.Warn(plain.Line(w))
	}
	if err := tellTracker(ctx, o, one, s); err != nil {
		a.Warn(plain.Line(err.Error()))
	}
	if err := farReport(ctx, o, a, cmd, repo, s, p); err != nil {
		return err
	}
	return wait(ctx, o, a, cmd, repo, s.Name)
}

// defaultSetup is how long setup may take there if nothing is said of it; it is ended there.
const defaultSetup = 10 * time.Minute

// sendOrder asks for the worker. The order and the files that it gets are one stream: there is no moment at which files lie there
// without a worker.
func sendOrder(ctx context.Context, o *projects.Project, host ssh.Host, dir string, repo *tree.Repo, p crew.Plan, s *crew.Spawned) (run.Result, error) {
	paths, others, err := p.Furniture.Files(ctx, repo, o.Store.Book(s.Name).Dir)
	if err != nil {
		return run.Result{Code: 1, Stderr: []byte(err.Error())}, nil // nothing was asked for
	}
	s.NotCopied(others, nil)
	order := crew.OrderFar(p, s, valuesOf(p.Pass))
	if order.Files = len(paths) > 0; host.Name == "" {
		order.From, order.Link = repo.Main, p.Furniture.Link
	}
	if len(order.Setup) > 0 {
		host.Works = cmp.Or(order.Timeout, defaultSetup)
	}
	in, out := io.Pipe()
	left := make(chan []string, 1)
	go func() {
		var none []string
		err := json.NewEncoder(out).Encode(order)
		if err == nil && order.Files {
			none, err = repo.Send(ctx, out, paths)
		}
		left <- none
		out.CloseWithError(err)
	}()
	said, err := host.Do(ctx, in, ssh.Aburn(dir, "far-spawn"))
	in.Close()
	s.NotCopied(nil, <-left)
	return said, err
}

// FarCommand is what another repository's aburn calls here to have a worker. People use spawn.
func FarCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "far-spawn", Hidden: true, Usage: "spawn a worker for the machine that asks", Description: "stdin has the order, and the files that the worker gets.",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "restore", Usage: "have the worker `NAME` go on; stdin has the values of its variables"}},
		Action: a.Action(runFarSpawn),
	}
}

func runFarSpawn(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if a.Getenv(hold.MarkVariable) != "" {
		return fault.Failed("a worker may not spawn workers", "ask the person to run this command")
	}
	if cmd.IsSet("restore") {
		return reviveHere(ctx, a, cmd)
	}
	in := bufio.NewReader(a.Stdin)
	line, err := in.ReadBytes('\n')
	var order crew.FarOrder
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
	o, err := work.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	if p.Agent, p.Program, err = chooseAgent(order.Agent); err != nil {
		return err
	}
	p.Title = agentcli.Of(p.Agent.Name()).Title
	atTerminal(o, &p, pty.Name)
	planHooks(o, a, &p)
	if o.Holder, err = projects.Program("aburn-hold"); err != nil {
		return err
	}
	repo, err := crew.Repository(ctx, o.Crew, o.Dir)
	if err != nil {
		return err
	}
	s, err := o.Prepare(ctx, repo, p)
	if err != nil {
		return spawnFailure(p, err)
	}
	if _, err := o.Start(ctx, repo, s, p); err != nil {
		return fault.Failed(err.Error(), "nothing was left behind")
	}
	within := hasTaskWithin
	if !p.Hooked {
		within = endsWithin
	}
	if _, err := untilHeard(ctx, o, s.Name, time.Now().Add(within)); err != nil {
		return err
	}
	return a.PrintJSON(crew.FarBegan{Steps: s.Steps, Warnings: s.Warnings})
}

func farReport(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *crew.Spawned, p crew.Plan) error {
	m, err := o.Member(ctx, s.Name)
	if err != nil {
		return err
	}
	r := report(o, s, p)
	r.State, r.Tree = m.Worker.State.String(), m.FarTree
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	line := headline(ctx, o, repo, s, p)
	if heardTask(m) {
		line += " · has the task"
	} else {
		line += " · runs, and has not said yet that it has the task"
	}
	fmt.Fprintln(a.Stdout, line)
	term.PrintNextSteps(a.Screen(cmd), "aburn attach "+s.Name, "aburn ps")
	return nil
}
