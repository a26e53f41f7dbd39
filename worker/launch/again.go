package launch

import (
	"errors"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/worker/headless"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/pty"
)

// ViaTerminal is the runtime of a worker at whose terminal a person sits.
const ViaTerminal = "terminal"

func HandOverFailure(m *manager.Member, err error) error {
	hints := []string{"aburn ps " + m.Name}
	switch {
	case errors.Is(err, manager.ErrNoTree):
		hints = []string{"aburn snapshots " + m.Name + " --restore N"}
	case errors.Is(err, manager.ErrRuns):
		hints = []string{"aburn kill " + m.Name}
	}
	return fault.Failed("cannot resume "+m.Name+": "+err.Error(), hints...)
}

// PlanAgain is how the agent of a worker starts once more. Without a runtime it is a terminal, tmux if there is one.
func PlanAgain(o *projects.Project, m *manager.Member, via string) (p manager.Plan, err error) {
	if p.Agent, p.Program, err = ChooseAgent(m.Request.Agent); err != nil {
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
		AtTerminal(o, &p, via)
	}
	return p, nil
}

// AtTerminal has the agent sit at a terminal: one of tmux's, or one of its holder's.
func AtTerminal(o *projects.Project, p *manager.Plan, via string) {
	if via == pty.Name || o.Tmux == nil {
		p.Runtime, p.Held = pty.Runtime{Env: o.Environ}, true
		return
	}
	p.Runtime = o.Tmux
}
