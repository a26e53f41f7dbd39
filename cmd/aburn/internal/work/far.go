package work

import (
	"cmp"
	"context"
	"encoding/json"
	"os/exec"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/worker"
	"aburn/worker/control"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/slot"
)

// FarCommand is what another machine's aburn calls here. People use ps.
func FarCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "far", Hidden: true, Usage: "tell the machine that spawned workers here about them", ArgsUsage: "NAME…",
		Description: "It prints one JSON value for each: the ledger's entries and what the agent's records say.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "gates", Usage: "run the gates that stdin names, in the tree of the one worker, and say what they found"},
			&cli.BoolFlag{Name: "screen", Usage: "print what the terminal of the one worker shows"},
		},
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			o, err := target.OpenProject(a, cmd)
			if err != nil {
				return err
			}
			defer o.Close()
			if cmd.Bool("gates") {
				return tryHere(ctx, o, a, cmd.Args().First())
			}
			if cmd.Bool("screen") {
				return screenHere(ctx, o, a, cmd.Args().First())
			}
			news := []manager.News{}
			for _, name := range cmd.Args().Slice() {
				news = append(news, manager.NewsOf(ctx, o.Manager, name))
			}
			return a.PrintJSON(news)
		}),
	}
}

// tryHere runs gates for the machine that merges.
func tryHere(ctx context.Context, o *projects.Project, a *kit.App, name string) error {
	var order manager.RemoteGates
	if err := json.NewDecoder(a.Stdin).Decode(&order); err != nil {
		return fault.Usage("stdin names no gates: " + err.Error())
	}
	m, err := o.Member(ctx, name)
	if err != nil {
		return err
	}
	repo, err := manager.RepositoryOf(ctx, o.Manager, m)
	if err != nil {
		return err
	}
	program, _ := exec.LookPath(agentcli.Of(m.Request.Agent).Program)
	v, err := manager.TryGatesHere(ctx, o.Manager, repo, m, order, program)
	if err != nil {
		return fault.Failed(err.Error())
	}
	return a.PrintJSON(v)
}

func screenHere(ctx context.Context, o *projects.Project, a *kit.App, name string) error {
	m, err := o.Member(ctx, name)
	if err != nil {
		return err
	}
	launch := m.Ledger.Last(worker.Launched)
	if launch == nil || m.Over() {
		return fault.Failed(name + " does not run")
	}
	now, err := hold.Look(ctx, o.Store.Book(m.Name).Dir, launch.Gen)
	if err != nil {
		return fault.Failed(err.Error())
	}
	return a.PrintJSON(control.RemoteScreen{Lines: now.Lines, Cols: cmp.Or(now.Size.Cols, slot.Width), Rows: cmp.Or(now.Size.Rows, slot.Height)})
}
