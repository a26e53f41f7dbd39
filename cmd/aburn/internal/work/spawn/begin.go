package spawn

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// attached runs the agent in this terminal and tells how it ended.
func attached(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *manager.Spawned, one launch.Order) error {
	p := one.Plan
	if !cmd.Bool("json") {
		fmt.Fprintln(a.Stdout, headline(ctx, o, repo, s, p))
	}
	holder, err := manager.Start(ctx, o.Manager, repo, s, p)
	if err != nil {
		return fault.Failed(err.Error(), "nothing was left behind")
	}
	// An interrupt of the terminal is for the agent. The channel is read by nobody.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGQUIT)
	defer signal.Stop(signals)
	told := launch.TellTracker(ctx, o, one, s)
	holder.Wait()
	if told != nil { // not before: the agent had the terminal
		a.Warn(plain.Line(told.Error()))
	}
	m, err := o.Member(ctx, s.Name)
	if err != nil {
		return err
	}
	if _, _, err := manager.TakeSnapshot(ctx, o.Manager, repo, m); err != nil {
		a.Warn("the state of its worktree was not saved: "+err.Error(), "aburn snapshots --take "+s.Name)
	}
	manager.CompareNow(ctx, o.Manager)
	return ended(ctx, o, a, cmd, repo, s, p)
}

func ended(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *manager.Spawned, p manager.Plan) error {
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
	if all := manager.Snapshots(m.Ledger); len(all) > 0 && all[len(all)-1].Changes != nil {
		text += " · " + plain.Plural(int64(*all[len(all)-1].Changes), "file") + " not committed"
	}
	if n := len(manager.Snapshots(m.Ledger)); n > 0 {
		text += fmt.Sprintf(" · snapshot %d", n)
	}
	fmt.Fprintln(a.Stdout, plain.Line(text))
	term.PrintNextSteps(a.Screen(cmd), "aburn diff "+s.Name, "aburn cleanup "+s.Name)
	return nil
}

// background tells how the worker begins.
func background(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *manager.Spawned, p manager.Plan) error {
	began := time.Now()
	line := make(chan string, 1)
	go func() { line <- headline(ctx, o, repo, s, p) }()
	until := began.Add(launch.HasTaskWithin)
	if !p.Hooked && !p.Lines {
		until = began.Add(launch.EndsWithin)
	}
	m, err := launch.WaitForTask(ctx, o, s.Name, until)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		r := report(o, s, p)
		r.State = m.Worker.State.String()
		return a.PrintJSON(r)
	}
	if err := begins(o, a, s, p, m, <-line, time.Since(began)); err != nil || !launch.HasTask(m) {
		return err
	}
	term.PrintNextSteps(a.Screen(cmd), "aburn attach "+s.Name, "aburn ps")
	return nil
}

// begins prints the line about a worker that runs; the error says that its agent ended at once.
func begins(o *projects.Project, a *kit.App, s *manager.Spawned, p manager.Plan, m *manager.Member, line string, took time.Duration) error {
	switch {
	case m.Over():
		line += " · " + describe.EndText(m)
	case m.Talk != nil && m.Talk.Refused != "":
		line += " · refuses: " + m.Talk.Refused
	case !launch.HasTask(m):
		line += " · runs, and has not confirmed the task yet"
	default:
		line += " · has the task (" + plain.Duration(took) + ")"
	}
	fmt.Fprintln(a.Stdout, plain.Line(line))
	if c := m.Ledger.Last(worker.Certificate); m.Over() && (m.Worker.Heard.IsZero() || c == nil || c.Exit == nil || *c.Exit != 0) {
		return fault.Failed("the agent ended at once", "aburn ps "+s.Name, "aburn spawn --attach shows its output")
	}
	if !m.Over() && !launch.HasTask(m) && (p.Hooked || p.Lines) {
		a.Hint("aburn attach " + s.Name + ": it may ask something at its start, such as whether you trust the folder")
	}
	return nil
}
