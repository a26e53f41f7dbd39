package spawn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// What --wait may wait for.
const (
	waitTask = "accepted" // its agent recorded the task
	waitIdle = "idle"     // its turn is over, or it says that it is done
	waitPr   = "pr"       // its branch has a pull request
)

func checkWait(word string) error {
	if word == waitTask || word == waitIdle || word == waitPr {
		return nil
	}
	return fmt.Errorf("%s, %s or %s, not %q", waitTask, waitIdle, waitPr, word)
}

const (
	waitStep = time.Second
	waitAsk  = 15 * time.Second // between two questions to the forge
)

// wait returns when a worker is as far as --wait says. It is bad news if the worker needs somebody or ends before, or if the time is up.
func wait(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, name string) error {
	what, until := cmd.String("wait"), time.Now().Add(cmd.Duration("timeout"))
	if what == "" {
		return nil
	}
	var asked time.Time
	for ; ; time.Sleep(waitStep) {
		list, err := o.Load(ctx, name)
		if err == nil {
			err = list[0].Err
		}
		if err != nil {
			return projects.LedgerFailure(name, err)
		}
		m := list[0]
		if what == waitPr && time.Since(asked) >= waitAsk {
			asked = time.Now()
			if m, err = launch.AskForge(ctx, o, repo, m); err != nil {
				return err
			}
		}
		if done, err := waited(a, cmd, m, what); done || err != nil {
			return err
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case cmd.Duration("timeout") > 0 && time.Now().After(until):
			return fault.Failed(name+" is not so far after "+plain.Duration(cmd.Duration("timeout"))+": "+describe.StateText(m), "aburn ps "+name)
		}
	}
}

// waited says whether the worker is so far.
func waited(a *kit.App, cmd *cli.Command, m *manager.Member, what string) (done bool, err error) {
	p := describe.PullOf(m)
	say := func(text string) {
		if cmd.Bool("json") { // stdout is one object already
			a.Note(plain.Line(text))
		} else {
			fmt.Fprintln(a.Stdout, plain.Line(text))
		}
	}
	switch {
	case what == waitTask && launch.HasTask(m):
		return true, nil // spawn has said so, or ps does
	case what == waitPr && p != nil:
		say(strings.TrimSpace(fmt.Sprintf("%s  #%d %s · %s", m.Name, p.Number, p.State, p.URL)))
		return true, nil
	case m.Worker.Status() == worker.StatusNeedsInput || m.Worker.Status() == worker.StatusStuck:
		return false, fault.Failed(m.Name+": "+describe.StateText(m), "aburn attach "+m.Name)
	case what == waitIdle && (m.Worker.State == worker.Idle && m.Worker.Reason != worker.AgentAcknowledged || m.Worker.State == worker.Done):
		say(m.Name + "  " + describe.StateText(m))
		return true, nil
	case m.Over():
		return false, fault.Failed(m.Name+" has ended: "+describe.StateText(m), "aburn diff "+m.Name)
	}
	return false, nil
}
