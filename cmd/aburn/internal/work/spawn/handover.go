package spawn

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/worker/crew"
	"aburn/worker/headless"
	"aburn/worker/projects"
)

// handOver has a worker go on in the runtime that the flags name, unless it runs there.
func handOver(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, m *crew.Member) (*crew.Member, error) {
	lines := cmd.Bool("headless")
	switch {
	case lines && cmd.Bool("terminal"):
		return m, fault.Usage("--terminal and --headless are two different places", "leave one out")
	case cmd.Bool("read-only"):
		return m, fault.Usage("--read-only changes nothing, and a move does", "leave one out")
	case o.Runs(m) && (m.Request.Via == headless.Name) == lines && m.Request.Via != viaTerminal:
		return m, nil
	case o.Runs(m) && m.Request.Via == viaTerminal:
		return m, fault.Failed(m.Name+" runs in the terminal in which it was spawned", "end it there, then say this again")
	}
	via := ""
	if lines {
		via = headless.Name
	}
	p, err := planAgain(o, m, via)
	if err != nil {
		return m, err
	}
	repo, err := crew.RepositoryOf(ctx, o.Crew, m)
	if err != nil {
		return m, err
	}
	if err := checkTrust(o.Env, p, repo.Main, cmd.Bool("trust")); err != nil {
		return m, err
	}
	if o.Holder, err = projects.Program("aburn-hold"); err != nil {
		return m, err
	}
	o.RulesAgain(ctx, a, repo, m, &p)
	now, err := o.Handover(ctx, repo, m, p)
	if err != nil {
		return m, handOverFailure(m, err)
	}
	sayLacks(a, m)
	return now, nil
}

// viaTerminal is the runtime of a worker at whose terminal a person sits.
const viaTerminal = "terminal"

func handOverFailure(m *crew.Member, err error) error {
	hints := []string{"aburn ps " + m.Name}
	switch {
	case errors.Is(err, crew.ErrNoTree):
		hints = []string{"aburn snapshots " + m.Name + " --restore N"}
	case errors.Is(err, crew.ErrRuns):
		hints = []string{"aburn kill " + m.Name}
	}
	return fault.Failed(m.Name+" cannot go on: "+err.Error(), hints...)
}

// planAgain is how the agent of a worker starts once more. Without a runtime it is a terminal, tmux if there is one.
func planAgain(o *projects.Project, m *crew.Member, via string) (p crew.Plan, err error) {
	if p.Agent, p.Program, err = chooseAgent(m.Request.Agent); err != nil {
		return p, err
	}
	c, err := o.Config("")
	if err != nil {
		return p, err
	}
	p.Title, p.Rules = agentcli.Of(p.Agent.Name()).Title, strings.TrimSpace(c.Word("rules"))
	adapter := adapterOf(p.Agent.Name())
	p.Hook = func(folder string) string { return hookAtStart(adapter, folder, o.Env) }
	p.Hooked = adapter.Hooks.AtStart || hooksRun(adapter, o.Dir, o.Env)
	switch {
	case via == headless.Name && p.Agent.Protocol() == nil:
		return p, fault.Usage(p.Title + " cannot work without a terminal")
	case via == headless.Name:
		p.Runtime, p.Lines = headless.Runtime{Env: o.Environ}, true
	default:
		atTerminal(o, &p, via)
	}
	return p, nil
}
