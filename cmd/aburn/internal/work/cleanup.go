package work

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

func CleanupCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "cleanup",
		Usage:     "remove worktrees of ended workers if nothing is lost",
		ArgsUsage: "[NAME…]",
		Description: "Removes a worktree if everything in it is committed on a branch. For the others it shows why they stay. The branch stays\n" +
			"too, unless nothing was committed on it. Without names it checks all workers.\n\n" +
			"If a worktree was removed over 30 days ago, cleanup also drops the snapshots whose changes are all in commits of a branch,\n" +
			"a tag or a remote branch. The last snapshot stays.\n\n" +
			"Exits with 1 if a worker that you named was not cleaned up.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only show what would be removed"},
			&cli.BoolFlag{Name: "merged", Usage: "only workers whose work was merged, by you or on the forge"},
			&cli.BoolFlag{Name: "force-preserve", Usage: "also worktrees with changes, after saving them in a snapshot"},
			&cli.BoolFlag{Name: "discard-ignored", Usage: "also files that git ignores; no snapshot has them, so they are lost"},
			kit.JSONFlag(),
		},
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn cleanup --dry-run", "aburn cleanup fix-the-flaky-test", "aburn cleanup --force-preserve --discard-ignored fix"),
		Action:        a.Action(runCleanup),
	}
}

func runCleanup(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "remove workers' worktrees"); err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	warnStranded(o, a)
	members, err := target.Chosen(ctx, o, cmd.Args().Slice())
	if err != nil {
		return err
	}
	if cmd.Bool("merged") {
		members = slices.DeleteFunc(members, func(m *manager.Member) bool { return !m.WasMerged() })
		if len(members) == 0 && !cmd.Bool("json") {
			_, err := fmt.Fprintln(a.Stdout, "no worker's work was merged")
			return err
		}
	}
	options := manager.CleanupOptions{DryRun: cmd.Bool("dry-run"), Preserve: cmd.Bool("force-preserve"), DiscardIgnored: cmd.Bool("discard-ignored")}
	results, left := []manager.Cleanup{}, 0
	others, _ := o.LoadState(ctx)
	for _, m := range members {
		r := control.CleanupOne(ctx, o.Manager, m, options)
		r.GoOn = goOn(others, m.Name)
		if !r.Removed {
			left++
		}
		results = append(results, r)
	}
	if cmd.NArg() == 0 {
		results = append(results, expire(ctx, o, time.Now(), options)...)
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(results)
	} else {
		err = describe.CleanupText(a.Stdout, a, results, options)
	}
	if err == nil && left > 0 && cmd.NArg() > 0 {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

// expire drops snapshots that nobody needs, of all workers, and says of which.
func expire(ctx context.Context, o *projects.Project, now time.Time, options manager.CleanupOptions) (list []manager.Cleanup) {
	members, err := o.LoadState(ctx)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if !manager.MayExpire(m, now) {
			continue
		}
		r := manager.Cleanup{Name: m.Name}
		repo, err := manager.RepositoryOf(ctx, o.Manager, m)
		if err == nil {
			r.Expired, err = manager.ExpireSnapshots(ctx, o.Manager, repo, m, now, options.DryRun)
		}
		if err != nil {
			r.Why = "its snapshots stay: " + err.Error()
		}
		if err != nil || r.Expired > 0 {
			list = append(list, r)
		}
	}
	return list
}
