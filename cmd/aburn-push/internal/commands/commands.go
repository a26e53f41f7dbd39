// Package commands is the command of aburn-push. It is called as `aburn push …`, so help and errors name it so.
package commands

import (
	"context"

	_ "embed"
	"fmt"

	_ "time/tzdata"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
)

// TZ works on systems without zones of their own

// dashboard is docs/guide/team.md's dashboard for Grafana.
//
//go:embed dashboard.json
var dashboard string

// Run executes the command line and returns the exit code.
func Run(ctx context.Context, a *kit.App, args []string) int {
	return a.Run(ctx, func() *cli.Command { return Root(a) }, args)
}

// Root is the command.
func Root(a *kit.App) *cli.Command {
	a.UseOwnHelp()
	return a.WithDefaults(&cli.Command{
		Name:      "aburn push",
		Usage:     "send this machine's numbers to a team's PostgreSQL",
		UsageText: "aburn push [postgres://ROLE@HOST/DATABASE] [options]",
		Description: "Sends what the archive counts, by day: tokens, answers, sessions and failures of the projects that you\n" +
			"name. No prompt, command, error text, path or session id leaves the machine; --dry-run prints every row.\n" +
			"The first push to a database asks. A push changes all or nothing, and repeating it changes nothing.\n\n" +
			"What you delete from the archive goes from the database with the next push. With --since, days before\n" +
			"stay as they are. Passwords belong into ~/.pgpass, PGPASSFILE or PGPASSWORD; a URL that holds one is\n" +
			"refused. Another machine is only reached by TLS with a proven certificate.\n\n" +
			"~/.config/aburn/push.json can hold the URL, the projects and your name: see docs/guide/team.md.",
		Metadata: kit.Examples(
			"aburn push --dry-run --project ~/work/shop=shop",
			"aburn push postgres://anna@db.example/team --project ~/work/shop=shop",
			"aburn push --since 7d --json  # URL and projects from push.json",
			"aburn push postgres://postgres@db.example/team --init --add-machine anna --add-lead grafana",
			"aburn push --dashboard > aburn.json  # for Grafana",
		),
		Version:                         kit.Version().String(),
		Writer:                          a.Stdout,
		ErrWriter:                       a.Stderr,
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: func(c *cli.Command) { c.Hidden = true },
		ShellComplete:                   a.Completer(kit.NoWords),
		ArgValidator:                    checkArguments,
		Action:                          a.Action(run),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "work in `DIR` instead of the current folder", Value: ".", TakesFile: true},
			&cli.BoolFlag{Name: "no-color", Usage: "no colours; NO_COLOR=1 does the same"},
			&cli.StringSliceFlag{Name: "project", Usage: "send the project in a folder, by this name: `DIR=NAME`; repeatable"},
			&cli.StringFlag{Name: "as", Usage: "send `NAME` as the person at this machine"},
			&cli.StringFlag{Name: "since", Usage: "only days since `WHEN`: 7d, 2026-11-21"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print every row that would be sent, and connect to nothing"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask before the first push"},
			&cli.BoolFlag{Name: "no-ingest", Usage: "send what the archive has, without reading new sessions first"},
			&cli.BoolFlag{Name: "forget", Usage: "delete all rows of this machine from the database"},
			&cli.BoolFlag{Name: "init", Usage: "make or renew tables, rights and prices; for who owns the database"},
			&cli.StringSliceFlag{Name: "add-machine", Usage: "with --init: let `ROLE` push; repeatable"},
			&cli.StringSliceFlag{Name: "add-lead", Usage: "with --init: let `ROLE` read all rows; repeatable"},
			&cli.BoolFlag{Name: "dashboard", Usage: "print a dashboard for Grafana"},
			kit.JSONFlag(),
		},
	})
}

// run does what the flags ask for: one thing.
func run(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.Bool("dashboard") {
		_, err := fmt.Fprint(a.Stdout, dashboard)
		return err
	}
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	o, err := readOptions(a, cmd)
	if err != nil {
		return err
	}
	switch {
	case cmd.Bool("init"):
		return o.init(ctx)
	case cmd.Bool("forget"):
		return o.forget(ctx)
	case cmd.Bool("dry-run"):
		return o.dryRun(ctx)
	}
	return o.push(ctx)
}

func checkArguments(_ context.Context, cmd *cli.Command) error {
	chosen := 0
	for _, flag := range []string{"dashboard", "init", "forget", "dry-run"} {
		if cmd.Bool(flag) {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return fault.Usage("only one of --dry-run, --init, --forget and --dashboard")
	case cmd.NArg() > 1:
		return fault.Usage("only one database at a time", "aburn push postgres://ROLE@HOST/DATABASE")
	case !cmd.Bool("init") && (cmd.IsSet("add-machine") || cmd.IsSet("add-lead")):
		return fault.Usage("--add-machine and --add-lead go with --init")
	}
	return nil
}
