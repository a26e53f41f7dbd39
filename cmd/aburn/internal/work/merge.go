package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/control"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

func MergeCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "merge",
		Usage:     "merge a worker's commits into your branch",
		ArgsUsage: "NAME",
		Description: "aburn tries the merge first without changing anything. If it conflicts, aburn lists the files and stops. It refuses a\n" +
			"checkout with changes, never overwrites uncommitted files, and pushes nothing.\n\n" +
			"Without a flag it fast-forwards your branch if it can, and otherwise makes a merge commit. aburn doesn't sign its\n" +
			"commits, and runs git hooks only with --hooks. Changes that the worker has not committed stay in its worktree;\n" +
			"--include-changes names them and commits them first. --cleanup removes nothing while the agent works or files are\n" +
			"uncommitted. A branch that you gave to `spawn --branch` stays. After a squash or a rebase,\n" +
			"refs/aburn/snap/NAME/merged-COMMIT keeps the worker's own commits.\n\n" +
			"Exit codes: 0 merged, or nothing to merge; 1 it would conflict, or is not possible now; 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Aliases: []string{"n"}, Usage: "only show whether it would merge"},
			&cli.BoolFlag{Name: "merge", Usage: "always make a merge commit"},
			&cli.BoolFlag{Name: "squash", Usage: "make one commit of all its commits"},
			&cli.BoolFlag{Name: "rebase", Usage: "rebase each commit onto your branch, without a merge commit; the worker's branch stays"},
			&cli.StringFlag{Name: "onto", Usage: "merge into `BRANCH`, which must not be checked out, instead of the branch here"},
			&cli.BoolFlag{Name: "include-changes", Usage: "first commit the worker's uncommitted changes on its branch"},
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "`TEXT` of the merge commit, or of the one commit of --squash"},
			&cli.StringSliceFlag{Name: "gate", Usage: "merge only if `CMD` exits with 0 in the worktree; repeatable; replaces the gates of aburn.yaml"},
			&cli.BoolFlag{Name: "no-gates", Usage: "run no gates"},
			&cli.BoolFlag{Name: "hooks", Usage: "run the repository's own git hooks, as git merge would"},
			&cli.BoolFlag{Name: "cleanup", Usage: "once merged, end the agent and remove the worktree and the branch"},
			kit.JSONFlag(),
		},
		ArgValidator:  target.OneWorker,
		ShellComplete: target.CompleteWorkers(a),
		Metadata: kit.Examples("aburn merge fix-the-flaky-test", "aburn merge --cleanup fix",
			"aburn merge --check fix", "aburn merge --squash --include-changes fix"),
		Action: a.Action(runMerge),
	}
}

func mergeOptions(cmd *cli.Command) (o manager.MergeOptions, err error) {
	o = manager.MergeOptions{
		Onto: cmd.String("onto"), Check: cmd.Bool("check"), Include: cmd.Bool("include-changes"), Hooks: cmd.Bool("hooks"),
		Message: strings.TrimSpace(cmd.String("message")),
	}
	for _, how := range []manager.How{manager.HowMerge, manager.HowSquash, manager.HowRebase} {
		switch {
		case !cmd.Bool(string(how)):
		case o.How != "":
			return o, fault.Usage(fmt.Sprintf("use only one of --%s and --%s", o.How, how), "leave one out")
		default:
			o.How = how
		}
	}
	switch {
	case o.Check && cmd.Bool("cleanup"):
		return o, fault.Usage("--check changes nothing, and --cleanup removes the worktree", "leave one out")
	case o.Hooks && (o.How == manager.HowSquash || o.How == manager.HowRebase):
		return o, fault.Usage(fmt.Sprintf("--hooks does not go with --%s: git runs other hooks there", o.How),
			"leave out --hooks, or use git "+strings.Replace(string(o.How), "squash", "merge --squash", 1))
	case o.Hooks && o.Onto != "":
		return o, fault.Usage("--hooks needs a checkout, and --onto has none", "leave one out")
	case o.Message != "" && o.How == manager.HowRebase:
		return o, fault.Usage("--rebase keeps the messages of the worker's commits", "leave out --message")
	}
	return o, nil
}

// mergeConfig adds what the configuration says. A person's own --gate needs none.
func mergeConfig(o *projects.Project, a *kit.App, cmd *cli.Command, of *manager.Member, m *manager.MergeOptions) error {
	if err := projects.MergeDefaults(o, a, of, m); err != nil {
		return err
	}
	if own := cmd.StringSlice("gate"); len(own) > 0 {
		m.Gates.Run = own
	}
	if cmd.Bool("no-gates") {
		m.Gates = manager.Gates{}
	}
	return nil
}

func runMerge(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	options, err := mergeOptions(cmd)
	if err != nil {
		return err
	}
	if !options.Check {
		if err := scope.PersonOnly(a, "merge a worker's branch"); err != nil {
			return err
		}
	}
	o, m, repo, err := openHere(ctx, a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := mergeConfig(o, a, cmd, m, &options); err != nil {
		return err
	}
	r, err := manager.MergeBranch(ctx, o.Manager, repo, m, options)
	if err != nil {
		return describe.MergeFailure(m, err)
	}
	if cmd.Bool("cleanup") && len(r.Conflicts) == 0 {
		done, err := control.CleanupMerged(ctx, o.Manager, repo, m, r)
		if err != nil {
			done.Why = err.Error()
		}
		r.Cleanup = &done
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(r)
	} else if err = describe.MergeText(a.Stdout, a, m, r); err == nil && r.Cleanup != nil {
		err = describe.CleanupText(a.Stdout, a, []manager.Cleanup{*r.Cleanup}, manager.CleanupOptions{})
	}
	if err == nil && (len(r.Conflicts) > 0 || r.Cleanup != nil && !r.Cleanup.Removed) {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

// openHere opens the worker that the first argument means, and the repository of the folder in which the person stands.
func openHere(ctx context.Context, a *kit.App, cmd *cli.Command) (*projects.Project, *manager.Member, *tree.Repo, error) {
	o, m, theirs, err := openTree(ctx, a, cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.Dir == theirs.Root {
		return o, m, theirs, nil
	}
	here, err := manager.Repository(ctx, o.Manager, o.Dir)
	if err == nil && !here.Same(theirs) {
		err = fault.Usage(m.Name+" works in another repository: "+theirs.Root, "aburn -C "+theirs.Root+" merge "+m.Name)
	}
	if err != nil {
		o.Close()
		return nil, nil, nil, err
	}
	return o, m, here, nil
}

func SyncCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "sync",
		Usage:     "rebase a worker's branch onto its base",
		ArgsUsage: "NAME",
		Description: "It rebases in the worktree, while the agent is idle or has ended. aburn tries it first: if a commit conflicts, it shows\n" +
			"that and changes nothing. Everything in the worktree must be committed.\n\n" +
			"Exit codes: 0 OK, or nothing to do; 1 it would conflict, or is not possible now; 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "onto", Usage: "rebase onto `BRANCH` instead of the one that it began from"},
			&cli.BoolFlag{Name: "check", Aliases: []string{"n"}, Usage: "only show whether it would work"},
			kit.JSONFlag(),
		},
		ArgValidator:  target.OneWorker,
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn sync fix-the-flaky-test", "aburn sync --check fix", "aburn sync --onto origin/main fix"),
		Action:        a.Action(runSync),
	}
}

func runSync(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if !cmd.Bool("check") {
		if err := scope.PersonOnly(a, "rebase a worker's branch"); err != nil {
			return err
		}
	}
	o, m, repo, err := openTree(ctx, a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	if m.IsRemote() {
		return fault.Failed(m.Name+" works in another repository, where its base is only a commit", "aburn merge "+m.Name, "aburn send "+m.Name+" TEXT")
	}
	s, err := manager.RebaseBranch(ctx, o.Manager, repo, m, cmd.String("onto"), cmd.Bool("check"))
	if err != nil {
		return describe.MergeFailure(m, err)
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(s)
	} else {
		err = syncText(a, m, s)
	}
	if err == nil && len(s.Conflicts) > 0 {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

func syncText(a *kit.App, m *manager.Member, s manager.Sync) error {
	commits := plain.Plural(int64(s.Commits), "commit")
	text := s.Worker + "  "
	switch {
	case len(s.Conflicts) > 0:
		text += fmt.Sprintf("its commit %s conflicts with %s; nothing was touched: %s", s.Stopped[:min(8, len(s.Stopped))], s.Onto, s.Subject)
	case s.To == s.From && s.Ahead == 0:
		text += "stands on " + s.Onto + " already"
	case s.Check:
		text += fmt.Sprintf("%s would go onto %s %s, which has %d more", commits, s.Onto, s.Base[:8], s.Ahead)
	default:
		text += fmt.Sprintf("%s on %s %s, with %d more from there · was %s", commits, s.Onto, s.Base[:8], s.Ahead, s.From[:8])
	}
	fmt.Fprintln(a.Stdout, plain.Line(text))
	describe.ConflictLines(a.Stdout, s.Conflicts)
	if len(s.Conflicts) > 0 {
		a.Hint("git -C " + plain.Line(m.Request.Tree) + " rebase " + s.Onto + ", or let the worker do it")
	}
	return nil
}
