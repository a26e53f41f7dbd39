// Package supervise is the commands that judge a project's work and keep its queue of advice. They read the log and never an
// archived session, so it imports neither archive nor insight.
package supervise

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/supervisor/status"
)

func SupervisorCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "supervisor",
		Usage:     "show problems now; watch, or replay old logs",
		UsageText: "aburn supervisor [command] [options]",
		Description: "Checks all sessions once: what each is doing, what is wrong or missing, which entries prove it, and\n" +
			"with which confidence. Above supervisor.queue_above an issue is queued for the agent, which gets it at its\n" +
			"next prompt. --at and --explain queue nothing. No model is asked. Exit 1 if an\n" +
			"issue is critical. ISSUE is a type, or the beginning of a signature that the list shows.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Local: true, Usage: "only the session with this `ID`; its first or last 4 characters suffice"},
			&cli.StringFlag{Name: "at", Local: true, Usage: "judge as of `TIME`: 15m, 24h, 2026-11-21T10:03; which processes lived then is unknown"},
			&cli.StringFlag{Name: "explain", Local: true, Usage: "show the entries that prove `ISSUE`"},
			&cli.BoolFlag{Name: "json", Local: true, Usage: "print JSON"},
		},
		Metadata: kit.Examples(
			"aburn supervisor",
			"aburn supervisor --explain phase_stuck",
			"aburn supervisor --at 2026-11-21T10:03 --session 5b0c2f91",
			"aburn supervisor --json | jq '.issues[] | select(.level==\"queue\")'",
			"aburn supervisor watch  # tells you what goes wrong, as it happens",
		),
		Commands:      []*cli.Command{supervisorWatchCommand(a), supervisorReportCommand(a), backtestCommand(a)},
		ShellComplete: a.Completer(kit.NoWords),
		Before:        ownFlags,
		Action:        a.Action(runSupervisor),
	}
}

// ownFlags refuses flags of one look in front of a subcommand, which would not see them.
func ownFlags(ctx context.Context, cmd *cli.Command) (context.Context, error) {
	sub := cmd.Command(cmd.Args().First())
	if sub == nil {
		return ctx, nil
	}
	for _, f := range cmd.Flags {
		if f.IsSet() {
			return ctx, fault.Usage(kit.Dashed(f.Names()[0])+" before "+fault.Quote(sub.Name)+" has no effect", sub.FullName()+" --help")
		}
	}
	return ctx, nil
}

func runSupervisor(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return a.HelpAction(ctx, cmd)
	}
	c := scope.CallerOf(a, cmd)
	at := c.Now
	if text := cmd.String("at"); text != "" {
		t, err := units.ParseTime(text, c.Now)
		if err != nil {
			return fault.Usage("--at: " + err.Error())
		}
		at = t
	}
	w, err := workspace.Open(c)
	if err != nil {
		return err
	}
	defer w.Close()
	v, err := status.LookAt(ctx, c, w, status.LookMode{At: at, Past: cmd.IsSet("at"), Peek: cmd.IsSet("explain")})
	if err != nil {
		return err
	}
	if err := v.ChooseSession(cmd.String("session")); err != nil {
		return err
	}
	v.Queue = v.FactsOfQueue(w)
	if text := cmd.String("explain"); cmd.IsSet("explain") {
		return explain(a, cmd, w, v, text)
	}
	return printLook(a, cmd, w, v)
}

// printLook prints a look and turns it into an exit code.
func printLook(a *kit.App, cmd *cli.Command, w *workspace.Workspace, v *status.View) error {
	var err error
	if cmd.Bool("json") {
		err = a.PrintJSON(v.Report(w))
	} else {
		err = v.Show(a.Screen(cmd), w.Wt)
		noteEmpty(a, v)
	}
	if err == nil && status.Critical(v.ChosenIssues()) > 0 {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

func noteEmpty(a *kit.App, v *status.View) {
	if v.Empty() && !v.At {
		a.Note(workspace.NothingRecorded + ": " + workspace.AskDoctor)
	}
}
