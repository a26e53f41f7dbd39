package spawn

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/worker"
	"aburn/worker/crew"
	"aburn/worker/describe"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// attached runs the agent in this terminal and tells how it ended.
func attached(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *crew.Spawned, one order) error {
	p := one.plan
	if !cmd.Bool("json") {
		fmt.Fprintln(a.Stdout, headline(ctx, o, repo, s, p))
	}
	holder, err := o.Start(ctx, repo, s, p)
	if err != nil {
		return fault.Failed(err.Error(), "nothing was left behind")
	}
	// An interrupt of the terminal is for the agent. The channel is read by nobody.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGQUIT)
	defer signal.Stop(signals)
	told := tellTracker(ctx, o, one, s)
	holder.Wait()
	if told != nil { // not before: the agent had the terminal
		a.Warn(plain.Line(told.Error()))
	}
	m, err := o.Member(ctx, s.Name)
	if err != nil {
		return err
	}
	if _, _, err := o.Snapshot(ctx, repo, m); err != nil {
		a.Warn("the state of its tree was not kept: "+err.Error(), "aburn snapshots --take "+s.Name)
	}
	work.Compare(ctx, o)
	return ended(ctx, o, a, cmd, repo, s, p)
}

func ended(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *crew.Spawned, p crew.Plan) error {
	m, err := o.Member(ctx, s.Name)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		r := report(o, s, p)
		r.State = m.Worker.State.String()
		if c := m.Ledger.Last(worker.Certificate); c != nil {
			r.Exit = c.Exit
		}
		return a.PrintJSON(r)
	}
	commits, _ := repo.Ahead(ctx, s.Base, s.Branch)
	text := s.Name + "  " + describe.EndText(m) + " · " + plain.Plural(int64(commits), "commit")
	if all := crew.Snapshots(m.Ledger); len(all) > 0 && all[len(all)-1].Changes != nil {
		text += " · " + plain.Plural(int64(*all[len(all)-1].Changes), "file") + " not committed"
	}
	if n := len(crew.Snapshots(m.Ledger)); n > 0 {
		text += fmt.Sprintf(" · snapshot %d", n)
	}
	fmt.Fprintln(a.Stdout, plain.Line(text))
	term.PrintNextSteps(a.Screen(cmd), "aburn diff "+s.Name, "aburn cleanup "+s.Name)
	return nil
}

// hasTaskWithin is how long spawn waits for the agent's own word that it has the task.
const hasTaskWithin = 20 * time.Second

// endsWithin is how long spawn looks whether an agent of which nothing is heard ends at once.
const endsWithin = time.Second

// background tells how the worker begins.
func background(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *crew.Spawned, p crew.Plan) error {
	began := time.Now()
	line := make(chan string, 1)
	go func() { line <- headline(ctx, o, repo, s, p) }()
	until := began.Add(hasTaskWithin)
	if !p.Hooked && !p.Lines {
		until = began.Add(endsWithin)
	}
	m, err := untilHeard(ctx, o, s.Name, until)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		r := report(o, s, p)
		r.State = m.Worker.State.String()
		return a.PrintJSON(r)
	}
	if err := begins(o, a, s, p, m, <-line, time.Since(began)); err != nil || !heardTask(m) {
		return err
	}
	term.PrintNextSteps(a.Screen(cmd), "aburn attach "+s.Name, "aburn ps")
	return nil
}

// begins prints the line about a worker that runs; the error says that its agent ended at once.
func begins(o *projects.Project, a *kit.App, s *crew.Spawned, p crew.Plan, m *crew.Member, line string, took time.Duration) error {
	switch {
	case m.Over():
		line += " · " + describe.EndText(m)
	case m.Talk != nil && m.Talk.Refused != "":
		line += " · refuses: " + m.Talk.Refused
	case !heardTask(m):
		line += " · runs, and has not said yet that it has the task"
	default:
		line += " · has the task (" + plain.Duration(took) + ")"
	}
	fmt.Fprintln(a.Stdout, plain.Line(line))
	if c := m.Ledger.Last(worker.Certificate); m.Over() && (m.Worker.Heard.IsZero() || c == nil || c.Exit == nil || *c.Exit != 0) {
		return fault.Failed("the agent ended at once", "aburn ps "+s.Name, "aburn spawn --attach shows what it says")
	}
	if !m.Over() && !heardTask(m) && (p.Hooked || p.Lines) {
		a.Hint("aburn attach " + s.Name + ": it may ask something at its start, such as whether you trust the folder")
	}
	return nil
}

// untilHeard waits until the agent recorded its task, or ended, or time is up. Whether something was written is looked at often,
// whether it lives now and then.
func untilHeard(ctx context.Context, o *projects.Project, name string, until time.Time) (*crew.Member, error) {
	const step, seldom = 2 * time.Millisecond, 100
	var members []*crew.Member
	seen := ""
	for n := 1; ; n++ {
		if late := ctx.Err() != nil || time.Now().After(until); late || n%seldom == 0 {
			m, err := o.Member(ctx, name)
			if err != nil || late || heardTask(m) || m.Over() {
				return m, err
			}
		}
		if stamp := o.Stamp(members); stamp != seen || members == nil {
			seen = stamp // of before the glance, so that nothing that comes meanwhile is missed
			list, err := o.Glance(ctx, name)
			if err == nil {
				err = list[0].Err
			}
			if err != nil {
				return nil, projects.LedgerFailure(name, err)
			}
			if m := list[0]; heardTask(m) || m.Over() {
				return m, nil
			}
			members = list
		}
		time.Sleep(step)
	}
}

// heardTask reports whether the agent recorded a prompt. One that was only seen to die did not.
func heardTask(m *crew.Member) bool {
	return !m.Worker.Heard.IsZero() && m.Worker.State != worker.NotStarted && m.Worker.Reason != worker.AgentAcknowledged
}
