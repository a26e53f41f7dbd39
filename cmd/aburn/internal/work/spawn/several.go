package spawn

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// began is one of several workers.
type began struct {
	launch.Order
	s  *manager.Spawned
	at time.Time
}

// several starts workers one after the other, then waits for each to have its task. One that fails undoes itself alone.
func several(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, list []launch.Order) error {
	all := make([]began, len(list))
	for i, one := range list {
		all[i] = began{Order: one, at: time.Now()}
		if all[i].Err == nil {
			all[i].s, all[i].Err = launch.Begin(ctx, o, a, repo, one)
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

// tellBegan waits for one of them and says how it began.
func tellBegan(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, b *began) (r Report, err error) {
	if b.Err != nil {
		text := fault.Of(b.Err).Msg
		if id := b.Plan.Issue.ID; id != "" {
			text = "issue " + id + ": " + text
		}
		return Report{Issue: b.Plan.Issue.ID, Error: text}, fault.Failed(text, fault.Of(b.Err).Hints...)
	}
	r = report(o, b.s, b.Plan)
	m, err := launch.WaitForTask(ctx, o, b.s.Name, time.Now().Add(launch.HasTaskWithin))
	if err != nil {
		return r, err
	}
	r.State = m.Worker.State.String()
	if cmd.Bool("json") {
		return r, nil
	}
	return r, begins(o, a, b.s, b.Plan, m, headline(ctx, o, repo, b.s, b.Plan), time.Since(b.at))
}
