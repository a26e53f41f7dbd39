package spawn

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/history/handoff"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/slot"
)

// origin is what --from names. A worker's conversation goes on with the same agent. Another agent, and one that continues a session which
// is no worker's, gets a briefing about the session.
type origin struct {
	worker   *manager.Member // nil of a session that is no worker's
	briefing string
}

// goOn is the task of a worker that continues a session and has no other one.
const goOn = "Continue the work of the session in this briefing."

func originOf(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command) (from origin, err error) {
	word := cmd.String("from")
	if word == "" {
		return from, nil
	}
	m, err := o.Member(ctx, word)
	if err != nil {
		found := false
		if from.briefing, found = briefingOf(ctx, a, cmd, word); found {
			return from, nil
		}
		f := fault.Of(err)
		f.Hints = append(f.Hints, "aburn sessions: --from takes a session, too")
		return from, f
	}
	if cmd.IsSet("base") {
		return from, fault.Usage("use only one of --from and --base: each sets where the worker begins", "leave one out")
	}
	if _, far := manager.RemoteHost(cmd.String("runtime")); m.IsRemote() || far {
		return from, fault.Usage("a conversation stays on its machine: --from takes a worker of this machine",
			"aburn spawn --base "+m.Request.Branch+": with its commits only")
	}
	from.worker = m
	if otherAgent(cmd, m) {
		session, found := manager.SessionOf(o.Manager, m), false
		if session != "" {
			from.briefing, found = briefingOf(ctx, a, cmd, session)
		}
		if !found {
			return from, fault.Failed("aburn can't read the session of "+m.Name+", so there is no briefing for another agent",
				"aburn spawn --base "+m.Request.Branch+": with its commits only")
		}
	}
	return from, nil
}

func otherAgent(cmd *cli.Command, m *manager.Member) bool {
	return cmd.IsSet("agent") && cmd.String("agent") != m.Request.Agent
}

// briefingOf is the briefing about a session, for a worker with a worktree of its own.
func briefingOf(ctx context.Context, a *kit.App, cmd *cli.Command, word string) (text string, found bool) {
	chosen.CatchUpOrWarn(ctx, a, cmd, lookup.Choice{})
	b, name, err := handoff.Ask(ctx, chosen.CallerOf(a, cmd), os.Environ(), word)
	if err != nil {
		return "", false
	}
	return "[aburn] You work in a worktree of your own. Changes that the session didn't commit may be missing here.\n\n" + b.Text(name), true
}

// likeSource plans a worker that begins with the files of another one: with the same agent it also continues the conversation. It gets what
// the source may do, unless the call says otherwise.
func likeSource(o *projects.Project, cmd *cli.Command, p *manager.Plan, m *manager.Member) (agent string, err error) {
	agent, p.From = m.Request.Agent, nil
	if otherAgent(cmd, m) {
		agent = cmd.String("agent")
		p.From, err = manager.FilesOf(m)
	} else {
		p.From, err = manager.ForkOf(o.Manager, m)
	}
	var r *manager.Refused
	if errors.As(err, &r) {
		return "", fault.Failed("nobody can continue "+m.Name+": "+plain.Line(r.Text), r.Hints...)
	}
	if err != nil {
		return "", err
	}
	if !cmd.IsSet("permissions") {
		p.Permissions = slot.Permissions(m.Request.Permissions)
	}
	if !cmd.IsSet("model") && agent == m.Request.Agent {
		p.Model = m.Request.Model
	}
	for _, name := range m.Passed() {
		if _, set := os.LookupEnv(name); set && !slices.Contains(p.Pass, name) {
			p.Pass = append(p.Pass, name)
		}
	}
	return agent, nil
}
