package spawn

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/worker/headless"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/pty"
	"aburn/worker/slot"
)

// parentOf is the worker in which this command runs, if it may begin one; nil for everybody else. An agent that has lost the mark of its
// worker is one by where it works.
func parentOf(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command) (*manager.Member, error) {
	mark := a.Getenv(hold.MarkVariable)
	if !scope.AgentCalls(a.Getenv) {
		return nil, nil
	}
	name, err := workerHere(o, mark)
	if name == "" || err != nil {
		return nil, err
	}
	parent, err := o.Member(ctx, name)
	if err != nil {
		return nil, fault.Failed("the worker "+fault.Quote(name)+", in which this runs, is not known here", "aburn ps")
	}
	if o.Store.Far() {
		return nil, fault.Failed("a worker in a clone or on another machine may not spawn workers", "aburn ask: a person can")
	}
	for _, flag := range []string{"attach", "runtime", "workspace", "from", "env", "pr"} {
		if cmd.IsSet(flag) {
			return nil, fault.Failed("a worker may not say --"+flag+" of a worker that it spawns", "leave it out")
		}
	}
	if !cmd.IsSet("agent") {
		if err := cmd.Set("agent", parent.Request.Agent); err != nil {
			return nil, err
		}
	}
	o.Environ = slices.DeleteFunc(slices.Clone(o.Environ), func(kv string) bool { return strings.HasPrefix(kv, hold.MarkVariable+"=") })
	return parent, nil
}

// workerHere is the name of the worker that a mark names, or in whose tree the command runs.
func workerHere(o *projects.Project, mark string) (string, error) {
	if mark != "" {
		key, name, _, ok := manager.ParseMark(mark)
		if !ok || key != o.Store.Key {
			return "", fault.Failed("a worker may spawn workers of its own project only", "aburn ask: a person can")
		}
		return name, nil
	}
	here, err := filepath.EvalSymlinks(o.Dir)
	if err != nil {
		return "", err
	}
	names, err := o.Store.Names()
	for _, name := range names {
		if rel, err := filepath.Rel(o.Store.Tree(name), here); err == nil && filepath.IsLocal(rel) {
			return name, nil
		}
	}
	return "", err
}

// atMost bounds a plan by what the parent may.
func atMost(o *projects.Project, cmd *cli.Command, parent *manager.Member, p *manager.Plan) error {
	has := slot.Permissions(parent.Request.Permissions)
	most := manager.AtMost(p.Permissions, has)
	if most != p.Permissions && cmd.IsSet("permissions") {
		return fault.Failed("a worker gives at most its own permissions, and yours are "+string(has), "--permissions "+string(has))
	}
	if p.Agent.Name() != parent.Request.Agent {
		return fault.Failed("a worker spawns workers of its own agent only: permissions mean something else to another one", "--agent "+parent.Request.Agent)
	}
	p.Parent, p.Permissions = parent, most
	switch p.Runtime.(type) {
	case pty.Runtime, headless.Runtime:
		return nil
	}
	if _, far := p.Runtime.(manager.Machine); far {
		return fault.Failed("a worker spawns workers on its own machine, in worktrees", "aburn ask: a person can")
	}
	launch.AtTerminal(o, p, pty.Name) // a server of tmux's that began here would end with this worker
	return nil
}
