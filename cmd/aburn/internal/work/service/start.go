// Package service is the commands start, stop and restore: they print what worker/daemon does.
package service

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/daemon"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/round"
)

// Page serves the page beside the rounds until ctx ends, from the first free port on, and says where it is.
type Page func(ctx context.Context, a *kit.App, port int, ready func(port int)) error

func StartCommand(a *kit.App, page Page) *cli.Command {
	return &cli.Command{
		Name:  "start",
		Usage: "supervise workers in the background",
		Description: "One process looks after the workers of all your projects. It brings messages that wait, keeps trees at the end of turns,\n" +
			"runs gates, tells agents what their pull requests wait for, and tells you what only you can decide, as notify.* in your\n" +
			"settings says. It serves the page that aburn dashboard opens, unless aburn web does. Everything but pull requests works without\n" +
			"it too, when you look. Workers do not depend on it: it may be killed at any time.\n\n" +
			"If the last `aburn stop` ended workers, it asks once whether they should go on.\n\n" +
			"Exit code: 0 it runs, 1 it does not or another one does, 2 for a mistake in the call.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "foreground", Usage: "stay here and say what is done; Ctrl-c ends it and the workers, a second Ctrl-c leaves the workers alone"},
			&cli.IntFlag{Name: "port", Usage: "the page's `PORT` on this computer, instead of port: in your own workers.yaml; the next free one if it is taken",
				Value: pagePort},
			&cli.BoolFlag{Name: "replace", Usage: "take over from the one that runs, as after an update"},
			&cli.BoolFlag{Name: "restore", Usage: "have the workers of the last stop go on, without asking"},
			&cli.BoolFlag{Name: "no-restore", Usage: "do not ask"},
			&cli.StringSliceFlag{Name: "env", Usage: "with --restore: also pass the variable `NAME` of your environment to the agents; any number of times"},
			&cli.BoolFlag{Name: "resume-reactions", Usage: "let workers get messages of their pull requests again, after there were too many; also while it runs"},
		},
		Metadata: kit.Examples("aburn start", "aburn start --foreground", "aburn start --replace"),
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			return runStart(ctx, a, cmd, page)
		}),
	}
}

// pagePort is where the page is if nobody else is there: as that of aburn web.
const pagePort = 4780

func runStart(ctx context.Context, a *kit.App, cmd *cli.Command, page Page) error {
	port := cmd.Int("port")
	switch {
	case port < 1 || port > 65535:
		return fault.Usage("--port: a number from 1 to 65535", "aburn start --port 4781")
	case cmd.NArg() > 0:
		return fault.Usage("start takes no names: it looks after all workers", "aburn start --help")
	case cmd.Bool("restore") && cmd.Bool("no-restore"):
		return fault.Usage("--restore and --no-restore are two different things", "leave one out")
	case cmd.IsSet("env") && !cmd.Bool("restore"):
		return fault.Usage("--env is for workers that go on: it needs --restore", "aburn start --restore --env NAME")
	case runtime.GOOS == "windows":
		return fault.Usage("workers do not run on Windows yet")
	}
	if err := launch.CheckEnv(cmd.StringSlice("env")); err != nil {
		return err
	}
	if err := scope.PersonOnly(a, "start what looks after workers"); err != nil {
		return err
	}
	p, err := daemon.OpenState(a.Getenv)
	if err != nil {
		return err
	}
	defer p.Close()
	if cmd.Bool("resume-reactions") {
		names, err := daemon.ResumeReactions(ctx, a.Getenv, p)
		if err != nil {
			return err
		}
		text := "no worker was paused"
		if len(names) > 0 {
			text = "get messages again: " + strings.Join(names, ", ")
		}
		fmt.Fprintln(a.Stdout, plain.Line(text))
		if _, running := p.Running(); running && !cmd.Bool("replace") {
			return nil
		}
	}
	if !cmd.IsSet("port") {
		port = daemon.PortOf(a.Getenv, a, p, port)
	}
	if r, ok := p.Running(); ok && !cmd.Bool("replace") {
		text := fmt.Sprintf("it runs already: process %d, since %s", r.PID, r.At.Local().Format("2006-01-02 15:04"))
		if mine := kit.Version().Version; r.Version != mine {
			text += ", as aburn " + cmp.Or(plain.Line(r.Version), "of another version") + ": this one is " + mine
		}
		return fault.Failed(text, "aburn start --replace", "aburn stop --keep-workers")
	}
	if cmd.Bool("replace") {
		if err := p.End(daemon.StopTime / 2); err != nil {
			return fault.Failed("the one that runs does not end: " + err.Error())
		}
	}
	if err := offerRestore(ctx, a, cmd, p); err != nil {
		return err
	}
	if cmd.Bool("foreground") {
		return foreground(ctx, a, p, port, page)
	}
	pid, log, err := p.Background(ctx, port)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "aburn looks after your workers (process %d); it says what it does in %s\n", pid, plain.Line(log))
	a.Hint("aburn dashboard opens the board of your workers")
	return nil
}

// facts are what the daemon asks of the archive and of the supervisor.
func facts(env func(string) string) daemon.Facts {
	return daemon.Facts{
		Spent: func(ctx context.Context, o *projects.Project, m *manager.Member) (worker.Spent, string, error) {
			return work.SpentNow(ctx, o, env, m)
		},
		Grown: func(ctx context.Context, o *projects.Project, m *manager.Member) (string, error) {
			return work.TranscriptsNow(ctx, o, env, m)
		},
		Judge: func(ctx context.Context, root string) ([]round.Standstill, error) {
			return work.Standstills(ctx, projects.CallerOf(env, root))
		},
		Version: kit.Version().Version,
	}
}

// foreground makes rounds in this process.
func foreground(ctx context.Context, a *kit.App, p *daemon.State, port int, page Page) error {
	d := daemon.New(a.Getenv, a.Stdout, p, facts(a.Getenv))
	return d.Foreground(ctx, func(ctx context.Context, ready func(int)) error { return page(ctx, a, port, ready) }, func(list []daemon.Worker) error {
		return stopAll(ctx, a, p, list, work.NewActs(a, false))
	})
}

// offerRestore asks once whether the workers of the last stop should go on.
func offerRestore(ctx context.Context, a *kit.App, cmd *cli.Command, p *daemon.State) error {
	s := p.Stopped()
	if len(s.Workers) == 0 || cmd.Bool("no-restore") || s.Asked && !cmd.Bool("restore") {
		return nil
	}
	var names []string
	for _, w := range s.Workers {
		names = append(names, w.Worker)
	}
	if !cmd.Bool("restore") {
		if !a.CanAsk(cmd) {
			a.Hint("aburn restore: " + plain.Plural(int64(len(names)), "worker") + " of the last stop: " + plain.OneLine(strings.Join(names, ", "), 120))
			return nil
		}
		s.Asked = true
		if err := p.Write(daemon.LastStop, s); err != nil {
			return fault.Failed(err.Error())
		}
		if !a.Confirm("Have " + plain.Plural(int64(len(names)), "worker") + " of the last stop go on? " + plain.OneLine(strings.Join(names, ", "), 120)) {
			return nil
		}
	}
	restoreStopped(ctx, a, p, cmd.StringSlice("env"), work.NewActs(a, false))
	return nil
}
