package spawn

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/crew"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// began is one of several workers.
type began struct {
	order
	s  *crew.Spawned
	at time.Time
}

// several starts workers one after the other, then waits for each to have its task. One that fails undoes itself alone.
func several(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, list []order) error {
	all := make([]began, len(list))
	for i, one := range list {
		all[i] = began{order: one, at: time.Now()}
		if all[i].err == nil {
			all[i].s, all[i].err = begin(ctx, o, a, repo, one)
		}
	}
	failed := 0
	reports := []Report{}
	for i := range all {
		r, err := tellBegan(ctx, o, a, cmd, repo, &all[i])
		if reports = append(reports, r); err != nil {
			failed++
			if f := fault.Of(err); !cmd.Bool("json") {
				a.Warn(f.Msg, f.Hints...)
			}
		}
	}
	if cmd.Bool("json") {
		if err := a.PrintJSON(reports); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fault.Failed(fmt.Sprintf("%d of %d workers did not begin", failed, len(all)), "aburn ps")
	}
	return nil
}

// begin is one spawn, as far as its agent runs.
func begin(ctx context.Context, o *projects.Project, a fault.Reporter, repo *tree.Repo, one order) (*crew.Spawned, error) {
	s, err := o.Prepare(ctx, repo, one.plan)
	if err != nil {
		return nil, spawnFailure(one.plan, err)
	}
	for _, w := range s.Warnings {
		a.Warn(s.Name + ": " + plain.Line(w))
	}
	if _, err := o.Start(ctx, repo, s, one.plan); err != nil {
		return nil, fault.Failed(s.Name+": "+err.Error(), "nothing was left behind")
	}
	if err := tellTracker(ctx, o, one, s); err != nil {
		a.Warn(plain.Line(err.Error()))
	}
	return s, nil
}

// tellBegan waits for one of them and says how it began.
func tellBegan(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, b *began) (r Report, err error) {
	if b.err != nil {
		text := fault.Of(b.err).Msg
		if id := b.plan.Issue.ID; id != "" {
			text = "issue " + id + ": " + text
		}
		return Report{Issue: b.plan.Issue.ID, Error: text}, fault.Failed(text, fault.Of(b.err).Hints...)
	}
	r = report(o, b.s, b.plan)
	m, err := untilHeard(ctx, o, b.s.Name, time.Now().Add(hasTaskWithin))
	if err != nil {
		return r, err
	}
	r.State = m.Worker.State.String()
	if cmd.Bool("json") {
		return r, nil
	}
	return r, begins(o, a, b.s, b.plan, m, headline(ctx, o, repo, b.s, b.plan), time.Since(b.at))
}
