package spawn

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/slot"
)

// sourceOf is the worker that --from names.
func sourceOf(ctx context.Context, o *projects.Project, cmd *cli.Command, word string) (*manager.Member, error) {
	if cmd.IsSet("base") {
		return nil, fault.Usage("--from and --base exclude each other: each says where the worker begins", "leave one out")
	}
	m, err := o.Member(ctx, word)
	if _, far := manager.RemoteHost(cmd.String("runtime")); err == nil && (m.IsRemote() || far) {
		return nil, fault.Usage("a conversation stays on its machine: --from takes a worker of this machine",
			"aburn spawn --base "+m.Request.Branch+": with its commits only")
	}
	return m, err
}

// likeSource plans a fork: the source's agent, and what that may do unless the call says otherwise.
func likeSource(o *projects.Project, cmd *cli.Command, p *manager.Plan, m *manager.Member) (agent string, err error) {
	p.From, err = manager.ForkOf(o.Manager, m)
	var r *manager.Refused
	if errors.As(err, &r) {
		return "", fault.Failed(m.Name+" cannot be gone on with: "+plain.Line(r.Text), r.Hints...)
	}
	if err != nil {
		return "", err
	}
	if cmd.IsSet("agent") && cmd.String("agent") != m.Request.Agent {
		return "", fault.Usage(m.Name+"'s conversation is with "+m.Request.Agent+": no other agent can continue it", "leave out --agent")
	}
	if !cmd.IsSet("permissions") {
		p.Permissions = slot.Permissions(m.Request.Permissions)
	}
	if !cmd.IsSet("model") {
		p.Model = m.Request.Model
	}
	for _, name := range m.Passed() {
		if _, set := os.LookupEnv(name); set && !slices.Contains(p.Pass, name) {
			p.Pass = append(p.Pass, name)
		}
	}
	return m.Request.Agent, nil
}
