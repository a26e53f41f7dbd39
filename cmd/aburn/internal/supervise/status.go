package supervise

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/supervisor/status"
)

// Standings says where the workers of a project stand, those who need the user first.
type Standings func(ctx context.Context, env func(string) string, root string) ([]status.Standing, error)

// Workers is how `aburn status` asks about workers.
type Workers struct {
	Standings Standings
	Keeper    func(env func(string) string) int // the process of `aburn daemon start`; 0 is none
}

// Machine is the rest of this machine: it answers `aburn status` where there is no log, and says in a line what runs in other projects.
type Machine struct {
	Unrecorded func(context.Context, *kit.App, *cli.Command) error
	Elsewhere  func(ctx context.Context, a *kit.App, cmd *cli.Command, root string) string
}

// StatusCommand is `aburn status`.
func StatusCommand(a *kit.App, workers Workers, machine Machine) *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "show what waits for you, what runs and what is wrong",
		Description: "Shows what waits for you: permissions, questions, turns that failed, tasks of others in the queue.\n" +
			"Then the project with its workers, chain and queue, the sessions of the last 24 hours, and the issues. A\n" +
			"session's line shows what it does and since when, its command and phase, the time worked in the phase\n" +
			"and its timeout. Its newest entry is below. \"last event\" means that log and process show no more. Without\n" +
			"a project here it shows the sessions that agents saved themselves, like aburn top --once.\n" +
			"It writes and queues nothing.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "project", Usage: "the project in `DIR`, or of this name, instead of the one here", TakesFile: true}, kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn status", "aburn status --json | jq '.sessions[] | select(.state==\"working\")'"),
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			return runStatus(ctx, a, cmd, workers, machine)
		}),
	}
}

func runStatus(ctx context.Context, a *kit.App, cmd *cli.Command, workers Workers, machine Machine) error {
	c := scope.CallerOf(a, cmd)
	if name := cmd.String("project"); name != "" {
		var err error
		if c.Dir, err = lookup.ProjectNamed(ctx, c, name); err != nil {
			return err
		}
	}
	if _, err := project.Find(c.Dir, c.Env); errors.Is(err, project.ErrNone) {
		return machine.Unrecorded(ctx, a, cmd)
	}
	s, err := status.StatusOf(ctx, c, status.StatusQuery{})
	if err != nil {
		return err
	}
	if s.Workers, err = workers.Standings(ctx, a.Getenv, s.Project); err != nil { // the rest is true without them
		a.Warn("the workers cannot be seen: "+plain.Line(err.Error()), "aburn ps")
	}
	if len(s.Workers) > 0 {
		s.Keeper = workers.Keeper(a.Getenv)
	}
	if cmd.Bool("json") {
		return a.PrintJSON(status.StatusPrinted{StatusReport: s.Report(), Workers: s.Workers, Keeper: s.Keeper})
	}
	noteEmpty(a, s.View)
	out := a.Screen(cmd)
	if err := s.Print(out); err != nil {
		return err
	}
	if text := machine.Elsewhere(ctx, a, cmd, s.Project); text != "" {
		fmt.Fprintln(out, out.Paint(term.Dim, text))
	}
	return nil
}
