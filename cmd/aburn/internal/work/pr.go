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
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

func PrCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "pr",
		Usage:     "open or update the pull request of a worker's branch",
		ArgsUsage: "NAME",
		Description: "It asks the forge, runs the gates, pushes the worker's commits, and opens the pull request. If one is open, it only\n" +
			"pushes. For GitHub it uses the client gh with your login, for GitLab the API with a token that your own workers.yaml\n" +
			"names. It never overwrites commits of somebody else on the remote branch. Uncommitted changes stay in the worktree. The\n" +
			"repository's hooks run only with --hooks. --check only shows the status of the pull request.\n\n" +
			"Exit codes: 0 it is open or up to date; 1 it is not possible now, or with --check the pull request waits for somebody; 2\n" +
			"wrong usage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Aliases: []string{"n"}, Usage: "only show its status; push nothing"},
			&cli.BoolFlag{Name: "draft", Usage: "open it as a draft"},
			&cli.StringFlag{Name: "base", Usage: "open it against `BRANCH` of the remote, instead of the one that the worker began from"},
			&cli.StringFlag{Name: "title", Aliases: []string{"t"}, Usage: "`TEXT` of its title, instead of the commit's or the task's"},
			&cli.StringFlag{Name: "body", Usage: "`TEXT` of its description, instead of a list of the commits"},
			&cli.StringSliceFlag{Name: "gate", Usage: "push only if `CMD` exits with 0 in the worktree; repeatable; replaces the gates of aburn.yaml"},
			&cli.BoolFlag{Name: "no-gates", Usage: "run no gates"},
			&cli.BoolFlag{Name: "hooks", Usage: "run the repository's own pre-push hook"},
			kit.JSONFlag(),
		},
		ArgValidator:  target.OneWorker,
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn pr fix-the-flaky-test", "aburn pr --draft fix", "aburn pr --check fix"),
		Action:        a.Action(runPr),
	}
}

func runPr(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	p := manager.PullOptions{
		Base: cmd.String("base"), Title: strings.TrimSpace(cmd.String("title")), Body: strings.TrimSpace(cmd.String("body")), Draft: cmd.Bool("draft"),
		Check: cmd.Bool("check"), Hooks: cmd.Bool("hooks"),
	}
	if !p.Check {
		if err := scope.PersonOnly(a, "push a branch or open a pull request"); err != nil {
			return err
		}
	}
	o, m, repo, err := openTree(ctx, a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	c, err := o.Config("")
	if err != nil {
		return err
	}
	f, remote, owner, err := projects.Forge(ctx, o, c, repo)
	if err != nil {
		return describe.MergeFailure(m, err)
	}
	p.Gates = projects.GatesFor(c, m)
	p.Gates.Tell = func(line string) { a.Note("gate: " + plain.Line(line)) }
	if own := cmd.StringSlice("gate"); len(own) > 0 {
		p.Gates.Run = own
	}
	if cmd.Bool("no-gates") {
		p.Gates = manager.Gates{}
	}
	r, err := manager.OpenPull(ctx, o.Manager, repo, m, f, remote, owner, p)
	if err != nil {
		if r.Pushed && !r.Opened && r.State == "" {
			a.Warn("its branch was pushed; no pull request was opened", "aburn pr "+m.Name)
		}
		return describe.ForgeFailure(m, err)
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(r)
	} else {
		prText(a, m, r, p.Check)
	}
	if err == nil && p.Check && waitsForSomebody(r) {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

// waitsForSomebody reports whether an open pull request cannot go on by itself.
func waitsForSomebody(r manager.PullRequest) bool {
	return r.State == worker.PullClosed || r.Checks == worker.CheckFailing || r.Review == worker.ReviewChanges || r.Clash != nil && *r.Clash
}

func prText(a *kit.App, m *manager.Member, r manager.PullRequest, check bool) {
	text := r.Worker + "  "
	switch name := fmt.Sprintf("#%d", r.Number); {
	case check && r.State == "":
		text += "has no pull request"
	case check:
		text += describe.PullText(name, r.State, r.Draft, r.Checks, r.Review, r.Clash != nil && *r.Clash, r.Threads)
	case r.Opened:
		text += fmt.Sprintf("%s opened against %s: %s", name, r.Base, plain.Plural(int64(r.Commits), "commit"))
	case r.Pushed:
		text += name + " has its new commits"
	default:
		text += name + " is up to date"
	}
	if r.URL != "" {
		text += " · " + r.URL
	}
	fmt.Fprintln(a.Stdout, plain.Line(text))
	if check && r.LeftOut > 0 {
		a.Warn(plain.Plural(int64(r.LeftOut), "comment")+" of people who may not write to this repository: its agent does not get them",
			"forge: {strangers: true} in your own workers.yaml lets them in")
	}
	if r.Works {
		a.Warn("its agent's turn is not over: what it commits later is not in this", "aburn pr "+m.Name)
	}
	describe.WarnBehind(a, r.Branch, r.Behind)
	if len(r.Left) > 0 {
		hint := "aburn send " + m.Name + " \"commit what is left\""
		if m.Over() {
			hint = "git -C " + plain.Line(m.Request.Tree) + " status"
		}
		a.Warn(plain.Plural(int64(len(r.Left)), "file")+" of its tree in no commit, and so not pushed: "+plain.Line(strings.Join(r.Left[:min(5, len(r.Left))], ", ")),
			hint)
	}
}
