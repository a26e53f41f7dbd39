// Package service is the commands `aburn daemon` and `aburn resume`. They print what worker/daemon does.
package service

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/daemon"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/overview"
	"aburn/worker/projects"
	"aburn/worker/round"
)

// Page serves the web pages next to the rounds until ctx ends. It takes the first free port from port on and reports it to ready.
type Page func(ctx context.Context, a *kit.App, port int, ready func(port int)) error

// Resume resumes the workers of the last stop. Their agents get the variables env of this environment.
type Resume func(ctx context.Context, a *kit.App, p *daemon.State, env []string, acts *target.Acts) error

// DaemonCommand is `aburn daemon`: the process that supervises workers.
func DaemonCommand(a *kit.App, page Page, resume Resume) *cli.Command {
	return &cli.Command{
		Name:  "daemon",
		Usage: "supervise workers in the background: start, stop",
		Description: "The daemon is one process for the workers of all your projects. Workers do not depend on it: you may kill it at any time.\n" +
			"`aburn status` shows whether it runs.",
		Commands: []*cli.Command{startCommand(a, page, resume), stopCommand(a)},
		Metadata: kit.Examples("aburn daemon start", "aburn daemon stop"),
	}
}

func startCommand(a *kit.App, page Page, resume Resume) *cli.Command {
	return &cli.Command{
		Name:  "start",
		Usage: "supervise workers in the background",
		Description: "The daemon delivers messages, saves worktrees at the end of turns, runs gates, reports failed checks and reviews of pull\n" +
			"requests to agents, and notifies you as notify.* in your settings says. It serves the page that `aburn dashboard` opens, unless\n" +
			"`aburn web` does. Without the daemon all this but pull requests happens when you run a command about workers.\n\n" +
			"If the last `aburn daemon stop` ended workers, aburn asks once whether to resume them.\n\n" +
			"Exit codes: 0 it runs, 1 it could not start or another one runs, 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "foreground", Usage: "run in this terminal; Ctrl-C stops it and the workers, a second Ctrl-C leaves the workers running"},
			&cli.IntFlag{Name: "port", Usage: "serve the pages on `PORT`, or on the next free one; default: port: in your own workers.yaml",
				Value: pagePort},
			&cli.BoolFlag{Name: "replace", Usage: "replace the daemon that runs, as after an update"},
			&cli.BoolFlag{Name: "resume", Usage: "resume the workers of the last stop without asking"},
			&cli.BoolFlag{Name: "no-resume", Usage: "do not resume them and do not ask"},
			&cli.StringSliceFlag{Name: "env", Usage: "with --resume: also pass the variable `NAME` of your environment to the agents; repeatable"},
			&cli.BoolFlag{Name: "resume-reactions", Usage: "send workers messages about their pull requests again after a pause; works while the daemon runs"},
		},
		Metadata: kit.Examples("aburn daemon start", "aburn daemon start --foreground", "aburn daemon start --replace"),
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			return runStart(ctx, a, cmd, page, resume)
		}),
	}
}

// pagePort is where the page is if nobody else is there: as that of aburn web.
const pagePort = 4780

func runStart(ctx context.Context, a *kit.App, cmd *cli.Command, page Page, resume Resume) error {
	port := cmd.Int("port")
	switch {
	case port < 1 || port > 65535:
		return fault.Usage("--port: a number from 1 to 65535", "aburn daemon start --port 4781")
	case cmd.NArg() > 0:
		return fault.Usage("daemon start takes no names: it supervises all workers", "aburn daemon start --help")
	case cmd.Bool("resume") && cmd.Bool("no-resume"):
		return fault.Usage("use only one of --resume and --no-resume", "leave one out")
	case cmd.IsSet("env") && !cmd.Bool("resume"):
		return fault.Usage("--env needs --resume", "aburn daemon start --resume --env NAME")
	case runtime.GOOS == "windows":
		return fault.Usage("workers do not run on Windows yet")
	}
	if err := launch.CheckEnv(cmd.StringSlice("env")); err != nil {
		return err
	}
	if err := scope.PersonOnly(a, "start the daemon"); err != nil {
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
			text = "messages about pull requests go out again to: " + strings.Join(names, ", ")
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
		text := fmt.Sprintf("the daemon runs already: process %d, since %s", r.PID, r.At.Local().Format("2006-01-02 15:04"))
		if mine := kit.Version().Version; r.Version != mine {
			text += ", as aburn " + cmp.Or(plain.Line(r.Version), "of another version") + ": this one is " + mine
		}
		return fault.Failed(text, "aburn daemon start --replace", "aburn daemon stop --keep-workers")
	}
	if cmd.Bool("replace") {
		if err := p.End(daemon.StopTime / 2); err != nil {
			return fault.Failed("the daemon that runs does not end: " + err.Error())
		}
	}
	if err := offerResume(ctx, a, cmd, p, resume); err != nil {
		return err
	}
	if cmd.Bool("foreground") {
		return foreground(ctx, a, p, port, page)
	}
	pid, log, err := p.Background(ctx, port)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "the daemon supervises your workers (process %d); its log: %s\n", pid, plain.Line(log))
	a.Hint("aburn dashboard  # the board of your workers")
	return nil
}

// facts are what the daemon asks of the archive and of the supervisor.
func facts(env func(string) string) daemon.Facts {
	return daemon.Facts{
		Spent: func(ctx context.Context, o *projects.Project, m *manager.Member) (worker.Spent, string, error) {
			return overview.SpentNow(ctx, o, env, m)
		},
		Grown: func(ctx context.Context, o *projects.Project, m *manager.Member) (string, error) {
			return overview.TranscriptsNow(ctx, o, env, m)
		},
		Judge: func(ctx context.Context, root string) ([]round.Standstill, error) {
			return overview.Standstills(ctx, projects.CallerOf(env, root))
		},
		Version: kit.Version().Version,
	}
}

// foreground makes rounds in this process.
func foreground(ctx context.Context, a *kit.App, p *daemon.State, port int, page Page) error {
	d := daemon.New(a.Getenv, a.Stdout, p, facts(a.Getenv))
	return d.Foreground(ctx, func(ctx context.Context, ready func(int)) error { return page(ctx, a, port, ready) }, func(list []daemon.Worker) error {
		return stopAll(ctx, a, p, list, target.NewActs(a, false))
	})
}

// offerResume asks once whether to resume the workers of the last stop.
func offerResume(ctx context.Context, a *kit.App, cmd *cli.Command, p *daemon.State, resume Resume) error {
	s := p.Stopped()
	if len(s.Workers) == 0 || cmd.Bool("no-resume") || s.Asked && !cmd.Bool("resume") {
		return nil
	}
	var names []string
	for _, w := range s.Workers {
		names = append(names, w.Worker)
	}
	if !cmd.Bool("resume") {
		if !a.CanAsk(cmd) {
			a.Hint("aburn resume  # " + plain.Plural(int64(len(names)), "worker") + " of the last stop: " + plain.OneLine(strings.Join(names, ", "), 120))
			return nil
		}
		s.Asked = true
		if err := p.Write(daemon.LastStop, s); err != nil {
			return fault.Failed(err.Error())
		}
		if !a.Confirm("Resume " + plain.Plural(int64(len(names)), "worker") + " of the last stop? " + plain.OneLine(strings.Join(names, ", "), 120)) {
			return nil
		}
	}
	_ = resume(ctx, a, p, cmd.StringSlice("env"), target.NewActs(a, false)) // it reported each failure; the daemon starts all the same
	return nil
}
