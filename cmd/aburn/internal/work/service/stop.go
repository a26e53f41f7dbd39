package service

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/workspace"
	"aburn/worker/daemon"
	"aburn/worker/describe"
	"aburn/worker/manager"
)

func stopCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "stop",
		Usage:     "stop the daemon and all workers",
		ArgsUsage: "[PROJECT]",
		Description: "Agents get 4 seconds to end, then aburn kills them. Worktrees, branches and conversations stay, and `aburn resume` continues\n" +
			"them. With a PROJECT (its path or its folder's name) only its workers end, and the daemon keeps running.\n\n" +
			"Exit codes: 0 OK, 1 a process did not end within 10 seconds, 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "keep-workers", Usage: "stop only the daemon; workers continue"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "skip the question"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn daemon stop", "aburn daemon stop --keep-workers", "aburn daemon stop --yes cart"),
		Action:   a.Action(runStop),
	}
}

func runStop(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "stop workers"); err != nil {
		return err
	}
	only := cmd.Args().First()
	switch {
	case cmd.NArg() > 1:
		return fault.Usage("name one project, or none", "aburn daemon stop --help")
	case only != "" && cmd.Bool("keep-workers"):
		return fault.Usage("--keep-workers stops only the daemon, which is of no project", "leave out "+fault.Quote(only))
	}
	if strings.ContainsRune(only, filepath.Separator) || only == "." {
		dir, err := workspace.ExistingFolder(only)
		if err != nil {
			return err
		}
		if only, err = filepath.EvalSymlinks(dir); err != nil {
			return fault.Usage(err.Error())
		}
	}
	if err := knownProject(a, only); err != nil {
		return err
	}
	p, err := daemon.OpenState(a.Getenv)
	if err != nil {
		return err
	}
	defer p.Close()
	acts := target.NewActs(a, cmd.Bool("json"))
	var list []daemon.Worker
	if !cmd.Bool("keep-workers") {
		if list, err = daemon.Living(ctx, a.Getenv, only); err != nil {
			a.Warn("some workers could not be checked: " + plain.Line(err.Error()))
		}
		if err := confirmStop(a, cmd, list); err != nil {
			return err
		}
	}
	if only == "" {
		if err := stopDaemon(p, acts); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return acts.End()
	}
	return stopAll(ctx, a, p, list, acts)
}

// knownProject refuses a name that no project with workers has.
func knownProject(a *kit.App, only string) error {
	var names []string
	for _, root := range daemon.Roots(a.Getenv) {
		if only == root || only == filepath.Base(root) {
			return nil
		}
		names = append(names, filepath.Base(root))
	}
	if only == "" {
		return nil
	}
	return fault.Usage("no project with workers is called "+fault.Quote(only), fault.DidYouMean(only, names)...)
}

func confirmStop(a *kit.App, cmd *cli.Command, list []daemon.Worker) error {
	if len(list) == 0 || cmd.Bool("yes") {
		return nil
	}
	var names []string
	for _, h := range list {
		names = append(names, h.String())
	}
	text := plain.Plural(int64(len(list)), "worker") + " would end: " + plain.OneLine(strings.Join(names, ", "), 200)
	if !a.CanAsk(cmd) {
		return fault.Usage(text, "pass --yes to end them, or --keep-workers to stop only the daemon")
	}
	if !a.Confirm(text + ". End them?") {
		return fault.Failed("nothing was ended")
	}
	return nil
}

func stopDaemon(p *daemon.State, acts *target.Acts) error {
	r, ok := p.Running()
	if !ok {
		acts.Say("no daemon was running")
		return nil
	}
	if err := p.End(daemon.StopTime / 3); err != nil {
		return fault.Failed(fmt.Sprintf("the daemon (process %d) does not end: %v", r.PID, err))
	}
	acts.Say(fmt.Sprintf("the daemon ended (process %d)", r.PID))
	return nil
}

// stopAll ends workers and reports each.
func stopAll(ctx context.Context, a *kit.App, p *daemon.State, list []daemon.Worker, acts *target.Acts) error {
	results, err := p.Stop(ctx, list)
	if err != nil {
		return err
	}
	for _, r := range results {
		h := r.Worker
		if h.Member == nil {
			target.SayEnded(acts, h.Stray, h.Project.Root, r.Left, r.Err)
			continue
		}
		if r.Err != nil && !errors.Is(r.Err, manager.ErrOver) {
			acts.Failed(target.Acted{Worker: h.Member.Name, Project: h.Project.Root}, r.Err.Error(), "aburn -C "+h.Project.Root+" ps "+h.Member.Name)
			continue
		}
		one := target.ActedOn(r.Now, target.DidKill)
		one.Project = h.Project.Root
		if r.Err != nil {
			one.Did, one.Left = target.WasOver, r.Now.Ended
			acts.Did(one, h.String()+"  "+describe.OverText(r.Now))
			continue
		}
		acts.Did(one, h.String()+"  "+describe.StateText(r.Now))
	}
	if err := acts.End(); err != nil {
		return err
	}
	a.Hint("aburn resume  # continue them")
	return nil
}
