package spawn

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/pty"
)

func AttachCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "attach",
		Usage:     "open a worker's terminal or conversation here",
		ArgsUsage: "NAME",
		Description: "The worker keeps running when you leave (Ctrl-b d). A worker that you spawned with --attach runs in that terminal, and\n" +
			"can't be shown elsewhere.\n\n" +
			"For a worker without a terminal, it shows the conversation and follows it. Each line that you type is a message to the\n" +
			"agent. /allow and /deny [TEXT] answer its question, /interrupt ends its turn, Ctrl-d leaves. With --read-only and\n" +
			"without a terminal here, it shows the conversation and ends.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "read-only", Aliases: []string{"r"}, Usage: "only watch: keys do nothing"},
			&cli.BoolFlag{Name: "terminal",
				Usage: "first move the agent to a terminal (in tmux, if installed) at the end of its turn; works for an ended agent too"},
			&cli.BoolFlag{Name: "headless", Usage: "first move the agent to run without a terminal"},
			&cli.BoolFlag{Name: "trust", Usage: "you trust this repository; without a terminal the agent does not ask"},
		},
		ArgValidator:  target.OneWorker,
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn attach fix-the-flaky-test", "aburn attach --read-only fix", "aburn attach --terminal fix"),
		Action:        a.Action(runAttach),
	}
}

func runAttach(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "use a worker's terminal"); err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	m, err := o.Member(ctx, cmd.Args().First())
	if err != nil {
		return err
	}
	if m.IsRemote() && (!m.Over() || cmd.Bool("terminal") || cmd.Bool("headless")) {
		return attachFar(o, cmd, m)
	}
	if cmd.Bool("terminal") || cmd.Bool("headless") {
		if m, err = handOver(ctx, o, a, cmd, m); err != nil {
			return err
		}
	}
	began := m.Ledger.Last(worker.Launched)
	if ch, h, ok := o.Channel(m); ok && began != nil {
		return converse(ctx, o, a, cmd, m, ch, h)
	}
	seat := seat(o, m)
	switch {
	case m.Over():
		return fault.Failed(m.Name+" has ended: "+describe.StateText(m), "aburn diff "+m.Name)
	case began == nil:
		return fault.Failed(m.Name+" does not run yet", "aburn ps "+m.Name)
	case seat == nil && m.Request.Via != launch.ViaTerminal:
		return fault.Failed("its terminal is one of "+m.Request.Via+", which is not installed", "aburn ps "+m.Name)
	case seat == nil:
		return fault.Failed(m.Name+" sits in the terminal in which it was spawned", "aburn ps "+m.Name)
	case !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())):
		return fault.Usage("a terminal can be shown only on a terminal", "aburn ps "+m.Name)
	}
	if err := seat.Attach(began.Address, cmd.Bool("read-only")); err != nil {
		return fault.Failed(m.Request.Via+" cannot show it: "+strings.TrimSpace(err.Error()), "aburn ps "+m.Name)
	}
	return nil
}

// seat is where a person sits down at a worker's terminal; nil if it has none that can be shown elsewhere.
func seat(o *projects.Project, m *manager.Member) interface {
	Attach(address string, readOnly bool) error
} {
	switch {
	case m.Request.Via == pty.Name:
		return pty.Runtime{}
	case o.Tmux != nil && m.Request.Via == o.Tmux.Name():
		return o.Tmux
	}
	return nil
}

// attachFar shows the terminal of a worker on another machine here.
func attachFar(o *projects.Project, cmd *cli.Command, m *manager.Member) error {
	args := []string{"attach"}
	switch {
	case cmd.Bool("terminal") || cmd.Bool("headless"):
		return fault.Usage(m.Name+" stays at its terminal there", "aburn attach "+m.Name)
	case cmd.Bool("read-only"):
		args = append(args, "--read-only")
	}
	host, _ := manager.RemoteHost(m.Request.Via)
	if err := manager.HostNamed(o.Manager, host).Sit(m.Request.Address, append(args, m.Name)...); err != nil {
		fmt.Fprintln(os.Stderr)
		return fault.Failed("the line to "+manager.HostNamed(o.Manager, host).String()+" ended: "+err.Error()+"; the worker keeps running", "aburn ps "+m.Name)
	}
	return nil
}
