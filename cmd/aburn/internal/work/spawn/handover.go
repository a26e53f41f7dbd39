package spawn

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker/headless"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// handOver has a worker go on in the runtime that the flags name, unless it runs there.
func handOver(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, m *manager.Member) (*manager.Member, error) {
	lines := cmd.Bool("headless")
	switch {
	case lines && cmd.Bool("terminal"):
		return m, fault.Usage("use only one of --terminal and --headless", "leave one out")
	case cmd.Bool("read-only"):
		return m, fault.Usage("--read-only changes nothing, and a move does", "leave one out")
	case manager.Runs(o.Manager, m) && (m.Request.Via == headless.Name) == lines && m.Request.Via != launch.ViaTerminal:
		return m, nil
	case manager.Runs(o.Manager, m) && m.Request.Via == launch.ViaTerminal:
		return m, fault.Failed(m.Name+" runs in the terminal in which it was spawned", "end it there, then run this again")
	}
	via := ""
	if lines {
		via = headless.Name
	}
	p, err := launch.PlanAgain(o, m, via)
	if err != nil {
		return m, err
	}
	repo, err := manager.RepositoryOf(ctx, o.Manager, m)
	if err != nil {
		return m, err
	}
	if err := launch.CheckTrust(o.Env, p, repo.Main, cmd.Bool("trust")); err != nil {
		return m, err
	}
	if o.Holder, err = projects.Program("aburn-hold"); err != nil {
		return m, err
	}
	o.RulesAgain(ctx, a, repo, m, &p)
	now, err := manager.Handover(ctx, o.Manager, repo, m, p)
	if err != nil {
		return m, launch.HandOverFailure(m, err)
	}
	launch.WarnMissing(a, m)
	return now, nil
}
