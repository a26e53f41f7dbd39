package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/crew"
	"aburn/worker/headless"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// stopTime bounds a stop, whatever hangs.
const stopTime = 10 * time.Second

func StopCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "stop",
		Usage:     "end what `aburn start` began, and all workers",
		ArgsUsage: "[PROJECT]",
		Description: "The agents get 4 seconds to end, then they are killed. Trees, branches and conversations stay: `aburn restore` has them go\n" +
			"on. With a PROJECT (its path, or its folder's name) only its workers end, and the others are looked after as before.\n\n" +
			"Exit code: 1 if something did not end within 10 seconds.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "keep-workers", Usage: "only end what looks after them; workers go on"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
		},
		Metadata: kit.Examples("aburn stop", "aburn stop --keep-workers", "aburn stop --yes cart"),
		Action:   a.Action(runStop),
	}
}

func runStop(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := personOnly(a, "stop workers"); err != nil {
		return err
	}
	only := cmd.Args().First()
	switch {
	case cmd.NArg() > 1:
		return kit.UsageError("name one project, or none", "aburn stop --help")
	case only != "" && cmd.Bool("keep-workers"):
		return kit.UsageError("--keep-workers ends nothing of a project", "leave out "+kit.Quote(only))
	}
	if strings.ContainsRune(only, filepath.Separator) || only == "." {
		dir, err := kit.ExistingFolder(only)
		if err != nil {
			return err
		}
		if only, err = filepath.EvalSymlinks(dir); err != nil {
			return kit.UsageError(err.Error())
		}
	}
	if err := knownProject(a, only); err != nil {
		return err
	}
	p, err := openPost(a)
	if err != nil {
		return err
	}
	defer p.close()
	d := newDaemon(a, p)
	var list []hand
	if !cmd.Bool("keep-workers") {
		if list, err = d.living(ctx, only); err != nil {
			a.Warn("not all workers can be seen: " + plain.Line(err.Error()))
		}
		if err := confirmStop(a, cmd, list); err != nil {
			return err
		}
	}
	if only == "" {
		if err := stopDaemon(a, p); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return d.stopAll(ctx, list)
}

// knownProject refuses a name that no project with workers has.
func knownProject(a *kit.App, only string) error {
	var names []string
	for _, root := range ledger.Projects(a.Getenv) {
		if only == root || only == filepath.Base(root) {
			return nil
		}
		names = append(names, filepath.Base(root))
	}
	if only == "" {
		return nil
	}
	return kit.UsageError("no project with workers is called "+kit.Quote(only), kit.DidYouMean(only, names)...)
}

func confirmStop(a *kit.App, cmd *cli.Command, list []hand) error {
	if len(list) == 0 || cmd.Bool("yes") {
		return nil
	}
	var names []string
	for _, h := range list {
		names = append(names, h.String())
	}
	text := plain.Plural(int64(len(list)), "worker") + " would end: " + plain.OneLine(strings.Join(names, ", "), 200)
	if !a.CanAsk(cmd) {
		return kit.UsageError(text, "--yes ends them", "--keep-workers leaves them")
	}
	if !a.Confirm(text + ". End them?") {
		return kit.BadNews("nothing was ended")
	}
	return nil
}

func stopDaemon(a *kit.App, p *post) error {
	r, ok := p.running()
	if !ok {
		fmt.Fprintln(a.Stdout, "nothing looked after workers")
		return nil
	}
	if err := p.end(stopTime / 3); err != nil {
		return kit.BadNews(fmt.Sprintf("process %d does not end: %v", r.PID, err))
	}
	fmt.Fprintf(a.Stdout, "process %d ended, which looked after workers\n", r.PID)
	return nil
}

// stopAll ends workers at once, after it wrote down which.
func (d *daemon) stopAll(ctx context.Context, list []hand) error {
	s := Stopped{At: time.Now().UTC().Truncate(time.Second)}
	for _, w := range d.post.stopped().Workers { // of another project, whose stop is not taken back by this one
		if !contains(list, w) {
			s.Workers = append(s.Workers, w)
		}
	}
	for _, h := range list {
		s.Workers = append(s.Workers, StoppedWorker{h.office.Root, h.m.Name, h.m.Ledger.Gen(), h.office.Session(h.m), h.m.Worker.State.String()})
	}
	if err := d.post.write(lastStop, s); err != nil {
		return kit.BadNews(err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, len(list))
	now := make([]*crew.Member, len(list))
	for i, h := range list {
		all.Go(func() { now[i], errs[i] = h.office.Kill(ctx, h.m) })
	}
	all.Wait()
	failed := false
	for i, h := range list {
		switch {
		case errs[i] == nil || errors.Is(errs[i], crew.ErrOver):
			fmt.Fprintln(d.out, plain.Line(h.String()+"  "+stateText(now[i])))
		default:
			failed = true
			d.a.Warn(plain.Line(h.String()+": "+errs[i].Error()), "aburn -C "+h.office.Root+" ps "+h.m.Name)
		}
	}
	if failed {
		return kit.ExitWith(kit.ExitBadNews)
	}
	d.a.Hint("aburn restore has them go on")
	return nil
}

func contains(list []hand, w StoppedWorker) bool {
	for _, h := range list {
		if h.office.Root == w.Project && h.m.Name == w.Worker {
			return true
		}
	}
	return false
}

func RestoreCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "restore",
		Usage:     "have workers go on that were ended",
		ArgsUsage: "[NAME…]",
		Description: "An agent starts again with its conversation, where it ran before, and gets the messages that wait for it. A tree that was\n" +
			"removed is made again from its last snapshot, or from its branch.\n\n" +
			"Without names these are the workers of the last `aburn stop`, of all projects. With --all they are this project's workers\n" +
			"that ended without having been asked to, such as after a crash of the machine.\n\n" +
			"Exit code: 1 if one of them does not go on.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "all workers of this project that ended unasked"},
			&cli.BoolFlag{Name: "trust", Usage: "you trust this repository; without a terminal the agent does not ask"},
		},
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn restore", "aburn restore fix-flaky-test", "aburn restore --all"),
		Action:        a.Action(runRestore),
	}
}

func runRestore(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := personOnly(a, "restore workers"); err != nil {
		return err
	}
	names := cmd.Args().Slice()
	if cmd.Bool("all") && len(names) > 0 {
		return kit.UsageError("--all and names exclude each other", "leave one out")
	}
	if len(names) == 0 && !cmd.Bool("all") {
		p, err := openPost(a)
		if err != nil {
			return err
		}
		defer p.close()
		return restoreStopped(ctx, a, p)
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	members, err := o.chosen(ctx, names)
	if err != nil {
		return err
	}
	failed, n := false, 0
	for _, m := range members {
		if cmd.Bool("all") && !endedUnasked(m) {
			continue
		}
		n++
		failed = o.reviveAndSay(ctx, a, m, cmd.Bool("trust")) != nil || failed
	}
	if n == 0 {
		fmt.Fprintln(a.Stdout, "no worker ended unasked")
	}
	if failed {
		return kit.ExitWith(kit.ExitBadNews)
	}
	return nil
}

// endedUnasked reports whether something other than a person, or the worker's own done, ended it.
func endedUnasked(m *crew.Member) bool {
	if m.Worker.State != worker.Terminated || m.Worker.KillFor != "" {
		return false
	}
	switch m.Worker.Reason {
	case worker.RuntimeLost, worker.ErrorInProcess, worker.AgentProcessExited, worker.ProbeFailure:
		return m.Ledger.Last(worker.Launched) != nil
	}
	return false
}

// restoreStopped has the workers of the last stop go on. Each is taken off the record before it starts, so none starts twice.
func restoreStopped(ctx context.Context, a *kit.App, p *post) error {
	s := p.stopped()
	if len(s.Workers) == 0 {
		return kit.BadNews("the last stop left no worker to restore", "aburn restore NAME", "aburn ps")
	}
	d := newDaemon(a, p)
	failed := false
	for len(s.Workers) > 0 {
		w := s.Workers[0]
		s.Workers = s.Workers[1:]
		if err := p.write(lastStop, s); err != nil {
			return kit.BadNews(err.Error())
		}
		failed = d.restoreOne(ctx, a, w) != nil || failed
	}
	if failed {
		return kit.ExitWith(kit.ExitBadNews)
	}
	return nil
}

func (d *daemon) restoreOne(ctx context.Context, a *kit.App, w StoppedWorker) error {
	o, err := d.open(w.Project)
	if err != nil {
		a.Warn(plain.Line(w.Worker + ": " + err.Error()))
		return err
	}
	defer o.close()
	m, err := o.member(ctx, w.Worker)
	switch {
	case err != nil:
		a.Warn(plain.Line(w.Worker + ": " + err.Error()))
		return err
	case m.Ledger.Gen() != w.Gen || !m.Over():
		fmt.Fprintln(a.Stdout, plain.Line(m.Name+"  went on already: "+stateText(m)))
		return nil
	}
	return o.reviveAndSay(ctx, a, m, true) // it ran, so it was trusted
}

func (o *office) reviveAndSay(ctx context.Context, a *kit.App, m *crew.Member, trusted bool) error {
	now, err := o.revive(ctx, a, m, trusted)
	if err != nil {
		f := kit.FailureOf(err)
		a.Warn(plain.Line(f.Msg), f.Hints...)
		return err
	}
	fmt.Fprintln(a.Stdout, plain.Line(now.Name+"  goes on · "+now.Request.Agent+" · "+now.Request.Via))
	return nil
}

// revive has an ended worker go on where it ran before, in its tree, which is made again if it is gone.
func (o *office) revive(ctx context.Context, a *kit.App, m *crew.Member, trusted bool) (*crew.Member, error) {
	if o.Runs(m) && !m.Over() {
		return m, kit.BadNews(m.Name+" has not ended: "+stateText(m), "aburn ps "+m.Name)
	}
	repo, err := o.repositoryOf(ctx, m)
	if err != nil {
		return m, err
	}
	p, err := o.planAgain(a, m, m.Request.Via == headless.Name || o.tmux == nil)
	if err != nil {
		return m, err
	}
	if !trusted {
		if err := checkTrust(a, p, repo.Main, false); err != nil {
			return m, err
		}
	}
	if o.Holder, err = program("aburn-hold"); err != nil {
		return m, err
	}
	if err := o.treeAgain(ctx, a, repo, m); err != nil {
		return m, err
	}
	now, err := o.Resume(ctx, repo, m, p)
	if errors.Is(err, crew.ErrNoSession) {
		return m, kit.BadNews(m.Name+" cannot go on: "+err.Error(), "aburn diff "+m.Name, "aburn spawn --base "+m.Request.Branch+" TASK")
	}
	if err != nil {
		return m, handOverFailure(m, err)
	}
	return now, nil
}

// treeAgain makes a tree that is gone: from the last snapshot, else from its branch.
func (o *office) treeAgain(ctx context.Context, a *kit.App, repo *tree.Repo, m *crew.Member) error {
	if repo.Tree(m.Request.Tree).Exists(ctx) {
		return nil
	}
	if n := len(crew.Snapshots(m.Ledger)); n > 0 {
		onBranch, err := o.Restore(ctx, repo, m, n, m.Request.Tree)
		if err != nil {
			return kit.BadNews(m.Name + ": its tree cannot be made again: " + err.Error())
		}
		if !onBranch {
			a.Warn(m.Name + ": its tree stands on no branch, as " + m.Request.Branch + " moved or is checked out elsewhere")
		}
		return nil
	}
	if err := o.Again(ctx, repo, m); err != nil {
		return kit.BadNews(m.Name+": its tree cannot be made again: "+err.Error(), "aburn ps "+m.Name)
	}
	return nil
}
