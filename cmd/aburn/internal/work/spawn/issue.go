package spawn

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker/config"
	"aburn/worker/headless"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tracker"
	"aburn/worker/tree"
)

// maxOrders is how many workers one call may ask for.
const maxOrders = 32

// orders are the workers that a call asks for: some on each issue, or some on the task.
func orders(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, p manager.Plan) (list []launch.Order, err error) {
	issues, count := cmd.StringSlice("issue"), cmd.Int("count")
	if n := max(1, len(issues)) * count; count < 1 || n > maxOrders {
		return nil, fault.Usage(fmt.Sprintf("that is %d workers: one call makes 1 to %d", n, maxOrders))
	} else if n > 1 {
		if err := forOne(cmd, len(issues)); err != nil {
			return nil, err
		}
		if p.Name != "" {
			p.Stem, p.Number, p.Name = p.Name, false, ""
		}
	}
	list = []launch.Order{{Plan: p}}
	if len(issues) > 0 {
		if list, err = onIssues(ctx, o, a, cmd, repo, p, issues); err != nil {
			return nil, err
		}
	}
	var all []launch.Order
	for _, one := range list {
		all = append(all, slices.Repeat([]launch.Order{one}, count)...)
	}
	return all, nil
}

// withoutTerminal is where workers on issues run unless somebody says otherwise: nobody sits there, and messages are told by protocol.
func withoutTerminal(o *projects.Project, cmd *cli.Command, c *config.Config, p *manager.Plan) {
	if len(cmd.StringSlice("issue")) > 0 && !cmd.IsSet("runtime") && !cmd.Bool("attach") && c.Word("runtime") == "" && p.Agent.Protocol() != nil {
		p.Runtime, p.Lines = headless.Runtime{Env: o.Environ}, true
	}
}

// forOne refuses flags that only one worker can have.
func forOne(cmd *cli.Command, issues int) error {
	for _, flag := range []string{"attach", "branch", "pr"} {
		if cmd.IsSet(flag) {
			return fault.Usage("--" + flag + " is for one worker, and this call asks for several")
		}
	}
	for _, flag := range []string{"name", "print-prompt"} {
		if issues > 1 && cmd.IsSet(flag) {
			return fault.Usage("--" + flag + " is for one issue, and this call names several")
		}
	}
	return nil
}

// onIssues is an order for each issue. The error is a mistake in the call; what an issue itself lacks stands in its order.
func onIssues(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, p manager.Plan, words []string) (
	list []launch.Order, err error) {
	c, err := o.Config("")
	if err != nil {
		return nil, err
	}
	options := launch.TrackerOptions(ctx, o, repo, c)
	tr, err := tracker.Open(options)
	if err != nil {
		return nil, launch.TrackerFailure(err, fault.Usage)
	}
	for _, word := range words {
		id, err := options.Clean(word)
		if err != nil {
			return nil, launch.TrackerFailure(err, fault.Usage)
		}
		one := launch.Order{Plan: p}
		one.Plan.Issue.ID = id
		if c.Flag("tracker.comment") {
			one.Tell = tr
		}
		issue, err := tr.Issue(ctx, id)
		if err == nil {
			one.Plan.Issue.URL = issue.URL
			one.Plan.Head, one.Plan.Stem = issue.Head(), tracker.Name(id)
			if one.Plan.Number = false; cmd.IsSet("name") {
				one.Plan.Stem = p.Stem
			}
			one.Plan.Task, err = launch.CheckTask(issue.Task(p.Task, launch.Mark()))
		}
		if one.Err = launch.TrackerFailure(err, fault.Failed); one.Err == nil && issue.Closed {
			a.Warn("issue " + id + " is closed")
		}
		list = append(list, one)
	}
	return list, nil
}
