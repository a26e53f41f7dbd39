package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/git"
	"aburn/internal/plain"
	"aburn/worker/config"
	"aburn/worker/crew"
	"aburn/worker/tree"
)

func MergeCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "merge",
		Usage:     "bring a worker's commits into your branch",
		ArgsUsage: "NAME",
		Description: "It is tried first, without touching anything. If it conflicts, the files are listed and nothing changes. A checkout with\n" +
			"changes is refused. Files that no commit has are never written over. Nothing is pushed.\n\n" +
			"Without a flag the branch moves on to the worker's commit if that is enough, and else gets a merge commit. Commits that aburn\n" +
			"makes are not signed, and run no hooks unless you say --hooks.\n\n" +
			"What the worker has not committed stays in its tree; --include-changes names it and commits it first.\n\n" +
			"Exit code: 0 if it was merged or there was nothing to merge, 1 if it would conflict or cannot be done now, 2 for a mistake in the call.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Aliases: []string{"n"}, Usage: "only say whether it would merge; nothing is touched"},
			&cli.BoolFlag{Name: "merge", Usage: "always make a merge commit"},
			&cli.BoolFlag{Name: "squash", Usage: "make one commit of all of them"},
			&cli.BoolFlag{Name: "rebase", Usage: "set each commit onto your branch, without a merge commit; the worker's branch stays"},
			&cli.StringFlag{Name: "onto", Usage: "merge into `BRANCH`, which may be checked out nowhere, instead of the one that is checked out here"},
			&cli.BoolFlag{Name: "include-changes", Usage: "commit first, on the worker's branch, what the worker did not"},
			&cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "`TEXT` of the merge commit, or of the one commit of --squash"},
			&cli.StringSliceFlag{Name: "gate", Usage: "merge only if `CMD` ends with 0 in the worker's tree; any number of times, instead of gates of aburn.yaml"},
			&cli.BoolFlag{Name: "no-gates", Usage: "run no gates"},
			&cli.BoolFlag{Name: "hooks", Usage: "run the repository's own git hooks, as git merge would"},
			kit.JSONFlag(),
		},
		ArgValidator:  OneWorker,
		ShellComplete: CompleteWorkers(a),
		Metadata:      kit.Examples("aburn merge fix-the-flaky-test", "aburn merge --check fix", "aburn merge --squash --include-changes fix"),
		Action:        a.Action(runMerge),
	}
}

func mergeOptions(cmd *cli.Command) (o crew.MergeOptions, err error) {
	o = crew.MergeOptions{
		Onto: cmd.String("onto"), Check: cmd.Bool("check"), Include: cmd.Bool("include-changes"), Hooks: cmd.Bool("hooks"),
		Message: strings.TrimSpace(cmd.String("message")),
	}
	for _, how := range []crew.How{crew.HowMerge, crew.HowSquash, crew.HowRebase} {
		switch {
		case !cmd.Bool(string(how)):
		case o.How != "":
			return o, fault.Usage(fmt.Sprintf("--%s and --%s are two different things", o.How, how), "leave one out")
		default:
			o.How = how
		}
	}
	switch {
	case o.Hooks && (o.How == crew.HowSquash || o.How == crew.HowRebase):
		return o, fault.Usage(fmt.Sprintf("--hooks does not go with --%s: git runs other hooks there", o.How),
			"leave out --hooks, or use git "+strings.Replace(string(o.How), "squash", "merge --squash", 1))
	case o.Hooks && o.Onto != "":
		return o, fault.Usage("--hooks needs a checkout, and --onto has none", "leave one out")
	case o.Message != "" && o.How == crew.HowRebase:
		return o, fault.Usage("--rebase keeps the messages of the worker's commits", "leave out --message")
	}
	return o, nil
}

// mergeConfig adds what the configuration says. A person's own --gate needs none.
func mergeConfig(o *Office, a *kit.App, cmd *cli.Command, of *crew.Member, m *crew.MergeOptions) error {
	if err := MergeDefaults(o, a, of, m); err != nil {
		return err
	}
	if own := cmd.StringSlice("gate"); len(own) > 0 {
		m.Gates.Run = own
	}
	if cmd.Bool("no-gates") {
		m.Gates = crew.Gates{}
	}
	return nil
}

// MergeDefaults are how a worker is merged where nobody says it.
func MergeDefaults(o *Office, a fault.Reporter, of *crew.Member, m *crew.MergeOptions) error {
	c, err := o.Config("")
	if err != nil {
		return err
	}
	if m.How == "" && !m.Hooks {
		m.How = wantedHow(c.Word("merge"), *m)
	}
	m.Gates = GatesFor(c, of)
	m.Gates.Tell = func(line string) { a.Note("gate: " + plain.Line(line)) }
	return nil
}

// GatesFor are the gates of a worker: its own, or those of the configuration.
func GatesFor(c *config.Config, m *crew.Member) crew.Gates {
	g := GatesOf(c)
	if len(m.Request.Gates) > 0 {
		g.Run = m.Request.Gates
	}
	g.Program, _ = exec.LookPath(agentcli.Of(m.Request.Agent).Program)
	return g
}

// GatesOf are the gates that a configuration names.
func GatesOf(c *config.Config) crew.Gates {
	g := crew.Gates{Run: c.Words("gates"), Retries: gateRetries, Unsandboxed: c.Flag("gates.unsandboxed")}
	if c.Where("gates.retries") != "" {
		g.Retries = c.Number("gates.retries")
	}
	return g
}

// gateRetries is how often gates may fail before only --no-gates helps, beside the first time.
const gateRetries = 2

// wantedHow is the way of the configuration.
func wantedHow(word string, o crew.MergeOptions) crew.How {
	if how := crew.How(word); how != crew.HowForward && !(how == crew.HowRebase && o.Message != "") {
		return how
	}
	return ""
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
	r, err := o.Merge(ctx, repo, m, options)
	if err != nil {
		return MergeFailure(m, err)
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(r)
	} else {
		err = MergeText(a.Stdout, a, m, r)
	}
	if err == nil && len(r.Conflicts) > 0 {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

// openHere opens the worker that the first argument means, and the repository of the folder in which the person stands.
func openHere(ctx context.Context, a *kit.App, cmd *cli.Command) (*Office, *crew.Member, *tree.Repo, error) {
	o, m, theirs, err := openTree(ctx, a, cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.Dir == theirs.Root {
		return o, m, theirs, nil
	}
	here, err := Repository(ctx, o.Crew, o.Dir)
	if err == nil && !here.Same(theirs) {
		err = fault.Usage(m.Name+" works in another repository: "+theirs.Root, "aburn -C "+theirs.Root+" merge "+m.Name)
	}
	if err != nil {
		o.Close()
		return nil, nil, nil, err
	}
	return o, m, here, nil
}

// MergeFailure is the error of a merge or a sync that was not done.
func MergeFailure(m *crew.Member, err error) error {
	var refused *crew.Refused
	var problem *tree.Problem
	var failed *git.Error
	switch {
	case errors.As(err, &refused):
		return fault.Failed(m.Name+": "+refused.Text, refused.Hints...)
	case errors.As(err, &problem):
		return fault.Usage(m.Name+": "+problem.Text, problem.Advice)
	case errors.As(err, &failed):
		return fault.Failed(m.Name+": "+failed.Error(), "git status")
	}
	return fault.Failed(m.Name + ": " + err.Error())
}

// conflictLines lists files that conflict.
func conflictLines(out io.Writer, list []tree.Conflict) {
	for _, c := range list {
		text := "  " + c.Path
		if c.Kind != "" {
			text += "  (" + c.Kind + ")"
		}
		fmt.Fprintln(out, plain.Line(text))
	}
}

// MergeText prints what a merge did.
func MergeText(out io.Writer, a fault.Reporter, m *crew.Member, r crew.Merge) error {
	commits, files := plain.Plural(int64(r.Commits), "commit"), plain.Plural(int64(r.Files), "file")
	text := r.Worker + "  "
	switch {
	case len(r.Conflicts) > 0:
		text += fmt.Sprintf("conflicts with %s in %s; nothing was touched", r.Into, plain.Plural(int64(len(r.Conflicts)), "file"))
		if r.Stopped != "" {
			text += ". The commit that does not fit: " + r.Stopped[:min(8, len(r.Stopped))]
		}
	case r.How == crew.HowAlready && len(r.Left) == 0 && r.Head == m.Base():
		text += "changed nothing"
	case r.How == crew.HowAlready && len(r.Left) == 0:
		text += r.Into + " has all of it"
	case r.How == crew.HowAlready:
		text += r.Into + " has all that it committed"
	case r.Check:
		text += fmt.Sprintf("would merge into %s without a conflict: %s, %s (%s)", r.Into, commits, files, r.How)
	default:
		text += fmt.Sprintf("merged into %s: %s, %s (%s) · %s..%s", r.Into, commits, files, r.How, r.From[:8], r.To[:8])
	}
	fmt.Fprintln(out, plain.Line(text))
	conflictLines(out, r.Conflicts)
	did := "committed first"
	if r.Check || len(r.Conflicts) > 0 {
		did = "would be committed first"
	}
	for _, f := range r.Included {
		fmt.Fprintln(out, plain.Line("  "+did+": "+f))
	}
	if r.Works {
		a.Warn("its agent's turn is not over: what it commits later is not in this", "aburn ps "+m.Name)
	}
	warnBehind(a, r.Branch, r.Behind)
	if len(r.Left) > 0 {
		a.Warn(plain.Plural(int64(len(r.Left)), "file")+" of its tree in no commit, and so not merged: "+plain.Line(strings.Join(r.Left[:min(5, len(r.Left))], ", ")),
			"aburn merge --include-changes "+m.Name)
	}
	switch {
	case len(r.Conflicts) > 0 && m.Quiet():
		a.Hint("aburn sync " + m.Name + " shows which of its commits does not fit; or git merge " + m.Request.Branch + ", and solve it here")
	case len(r.Modules) > 0 && !r.Check:
		a.Hint("git submodule update: " + plain.Line(strings.Join(r.Modules[:min(3, len(r.Modules))], ", ")) + " moved")
	}
	return nil
}

// warnBehind warns of former branches of a worker with commits that its present one does not have.
func warnBehind(a fault.Reporter, branch string, behind []string) {
	for _, b := range behind {
		a.Warn(plain.Line("it worked on "+b+" before, which has commits that "+branch+" does not have"), "git log --oneline "+branch+".."+b, "git merge "+b)
	}
}

func SyncCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "sync",
		Usage:     "set a worker's commits onto its base as that is now",
		ArgsUsage: "NAME",
		Description: "It is a rebase in the worker's own tree, while the agent is idle or has ended. It is tried first: if a commit conflicts,\n" +
			"that is said and nothing changes. Everything in the tree must be committed.\n\n" +
			"Exit code: 0 if it was done or there was nothing to do, 1 if it would conflict or cannot be done now, 2 for a mistake in the call.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "onto", Usage: "set them onto `BRANCH` instead of the one that it began from"},
			&cli.BoolFlag{Name: "check", Aliases: []string{"n"}, Usage: "only say whether it would go; nothing is touched"},
			kit.JSONFlag(),
		},
		ArgValidator:  OneWorker,
		ShellComplete: CompleteWorkers(a),
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
	if m.Far() {
		return fault.Failed(m.Name+" works in another repository, where its base is only a commit", "aburn merge "+m.Name, "aburn send "+m.Name+" TEXT")
	}
	s, err := o.Sync(ctx, repo, m, cmd.String("onto"), cmd.Bool("check"))
	if err != nil {
		return MergeFailure(m, err)
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

func syncText(a *kit.App, m *crew.Member, s crew.Sync) error {
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
	conflictLines(a.Stdout, s.Conflicts)
	if len(s.Conflicts) > 0 {
		a.Hint("git -C " + plain.Line(m.Request.Tree) + " rebase " + s.Onto + ", or let the worker do it")
	}
	return nil
}
