package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/worker"
	"aburn/worker/crew"
)

func KillCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "kill",
		Usage:     "end a worker's agent; its tree and branch stay",
		ArgsUsage: "NAME…",
		Description: "The agent and all that it started get 4 seconds to end, then they are killed. Nobody else's process is touched. The\n" +
			"tree, the branch and the conversation stay: `aburn diff`, `aburn cleanup`.",
		ArgValidator: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() == 0 {
				return kit.UsageError("name a worker", "aburn ps")
			}
			return nil
		},
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn kill fix-flaky-test"),
		Action:        a.Action(runKill),
	}
}

func runKill(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := personOnly(a, "end workers"); err != nil {
		return err
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	members, err := o.chosen(ctx, cmd.Args().Slice())
	if err != nil {
		return err
	}
	failed := false
	for _, m := range members {
		now, err := o.Kill(ctx, m)
		switch {
		case errors.Is(err, crew.ErrOver):
			fmt.Fprintf(a.Stdout, "%s  had ended already: %s\n", m.Name, stateText(m))
		case err != nil:
			a.Warn(m.Name + ": " + err.Error())
			failed = true
		default:
			fmt.Fprintf(a.Stdout, "%s  %s%s\n", m.Name, stateText(now), leftText(now))
		}
	}
	if failed {
		return kit.ExitWith(kit.ExitBadNews)
	}
	return nil
}

// leftText says how many processes were ended with the agent.
func leftText(m *crew.Member) string {
	c := m.Ledger.Last(worker.Certificate)
	if c == nil || c.Left == nil || *c.Left == 0 {
		return ""
	}
	return fmt.Sprintf(", with %d more of its processes", *c.Left)
}

func AttachCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "attach",
		Usage:     "show a worker's terminal here, or its conversation",
		ArgsUsage: "NAME",
		Description: "The worker goes on when you leave (in tmux: Ctrl-b d). A worker that was spawned with --attach sits in the terminal in\n" +
			"which you spawned it, and can be shown nowhere else.\n\n" +
			"Of a worker without a terminal it shows what was said so far, and goes on. Each line that you type is a message to the agent.\n" +
			"/allow and /deny [TEXT] answer what it asks, /interrupt ends its turn, Ctrl-d leaves. With --read-only, and no terminal\n" +
			"here, it shows what was said so far and ends.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "read-only", Aliases: []string{"r"}, Usage: "only look: keys do nothing"},
			&cli.BoolFlag{Name: "terminal", Usage: "have the agent go on in a terminal first (tmux), at the end of its turn; also one that has ended"},
			&cli.BoolFlag{Name: "headless", Usage: "have it go on without a terminal first"},
			&cli.BoolFlag{Name: "trust", Usage: "you trust this repository; without a terminal the agent does not ask"},
		},
		ArgValidator:  oneWorker,
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn attach fix-flaky-test", "aburn attach --read-only fix", "aburn attach --terminal fix"),
		Action:        a.Action(runAttach),
	}
}

func runAttach(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := personOnly(a, "sit down at a worker's terminal"); err != nil {
		return err
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	m, err := o.member(ctx, cmd.Args().First())
	if err != nil {
		return err
	}
	if cmd.Bool("terminal") || cmd.Bool("headless") {
		if m, err = o.handOver(ctx, a, cmd, m); err != nil {
			return err
		}
	}
	launch := m.Ledger.Last(worker.Launched)
	if ch, h, ok := o.Channel(m); ok && launch != nil {
		return o.converse(ctx, a, cmd, m, ch, h)
	}
	switch {
	case m.Over():
		return kit.BadNews(m.Name+" has ended: "+stateText(m), "aburn diff "+m.Name)
	case launch == nil:
		return kit.BadNews(m.Name+" does not run yet", "aburn ps "+m.Name)
	case o.tmux == nil || m.Request.Via != o.tmux.Name():
		return kit.BadNews(m.Name+" sits in the terminal in which it was spawned", "aburn ps "+m.Name)
	}
	if err := o.tmux.Attach(launch.Address, cmd.Bool("read-only")); err != nil {
		return kit.BadNews("tmux cannot show it: "+strings.TrimSpace(err.Error()), "aburn ps "+m.Name)
	}
	return nil
}
