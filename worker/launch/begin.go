package launch

import (
	"context"
	"time"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// HasTaskWithin is how long spawn waits for the agent's own word that it has the task.
const HasTaskWithin = 20 * time.Second

// EndsWithin is how long spawn looks whether an agent of which nothing is heard ends at once.
const EndsWithin = time.Second

// WaitForTask waits until the agent recorded its task, or ended, or time is up. Whether something was written is looked at often,
// whether it lives now and then.
func WaitForTask(ctx context.Context, o *projects.Project, name string, until time.Time) (*manager.Member, error) {
	const step, seldom = 2 * time.Millisecond, 100
	var members []*manager.Member
	seen := ""
	for n := 1; ; n++ {
		if late := ctx.Err() != nil || time.Now().After(until); late || n%seldom == 0 {
			m, err := o.Member(ctx, name)
			if err != nil || late || HasTask(m) || m.Over() {
				return m, err
			}
		}
		if stamp := o.Stamp(members); stamp != seen || members == nil {
			seen = stamp // of before the glance, so that nothing that comes meanwhile is missed
			list, err := o.LoadCached(ctx, name)
			if err == nil {
				err = list[0].Err
			}
			if err != nil {
				return nil, projects.LedgerFailure(name, err)
			}
			if m := list[0]; HasTask(m) || m.Over() {
				return m, nil
			}
			members = list
		}
		time.Sleep(step)
	}
}

// HasTask reports whether the agent recorded a prompt. One that was only seen to die did not.
func HasTask(m *manager.Member) bool {
	return !m.Worker.Heard.IsZero() && m.Worker.State != worker.NotStarted && m.Worker.Reason != worker.AgentAcknowledged
}

// Begin is one spawn, as far as its agent runs.
func Begin(ctx context.Context, o *projects.Project, a fault.Reporter, repo *tree.Repo, one Order) (*manager.Spawned, error) {
	s, err := manager.Prepare(ctx, o.Manager, repo, one.Plan)
	if err != nil {
		return nil, SpawnFailure(one.Plan, err)
	}
	for _, w := range s.Warnings {
		a.Warn(s.Name + ": " + plain.Line(w))
	}
	if _, err := manager.Start(ctx, o.Manager, repo, s, one.Plan); err != nil {
		return nil, fault.Failed(s.Name+": "+err.Error(), "nothing was left behind")
	}
	if err := TellTracker(ctx, o, one, s); err != nil {
		a.Warn(plain.Line(err.Error()))
	}
	return s, nil
}

// AskForge brings what the forge says of the worker's pull request into its ledger, once its branch was pushed.
func AskForge(ctx context.Context, o *projects.Project, repo *tree.Repo, m *manager.Member) (*manager.Member, error) {
	if !repo.Pushed(ctx, m.Request.Branch) {
		return m, nil
	}
	c, err := o.Config("")
	if err != nil {
		return m, err
	}
	f, remote, owner, err := projects.Forge(ctx, o, c, repo)
	if err != nil {
		return m, describe.MergeFailure(m, err)
	}
	if _, err := manager.OpenPull(ctx, o.Manager, repo, m, f, remote, owner, manager.PullOptions{Check: true}); err != nil {
		return m, describe.ForgeFailure(m, err)
	}
	return o.Member(ctx, m.Name)
}
