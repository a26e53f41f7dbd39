package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/workspace"
	"aburn/worker/control"
	"aburn/worker/crew"
	"aburn/worker/describe"
)

// stopTime bounds a stop, whatever hangs.
const stopTime = 10 * time.Second

func StopCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "stop",
		Usage:     "stop the daemon and all workers",
		ArgsUsage: "[PROJECT]",
		Description: "The agents get 4 seconds to end, then they are killed. Trees, branches and conversations stay: `aburn restore` has them go\n" +
			"on. With a PROJECT (its path, or its folder's name) only its workers end, and the others are looked after as before.\n\n" +
			"Exit code: 1 if something did not end within 10 seconds.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "keep-workers", Usage: "only end what looks after them; workers go on"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn stop", "aburn stop --keep-workers", "aburn stop --yes cart"),
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
		return fault.Usage("name one project, or none", "aburn stop --help")
	case only != "" && cmd.Bool("keep-workers"):
		return fault.Usage("--keep-workers ends nothing of a project", "leave out "+fault.Quote(only))
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
	p, err := openPost(a.Getenv)
	if err != nil {
		return err
	}
	defer p.close()
	acts := work.NewActs(a, cmd.Bool("json"))
	var list []hand
	if !cmd.Bool("keep-workers") {
		if list, err = living(ctx, a.Getenv, only); err != nil {
			a.Warn("not all workers can be seen: " + plain.Line(err.Error()))
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
	for _, root := range roots(a.Getenv) {
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
		return fault.Usage(text, "--yes ends them", "--keep-workers leaves them")
	}
	if !a.Confirm(text + ". End them?") {
		return fault.Failed("nothing was ended")
	}
	return nil
}

func stopDaemon(p *post, acts *work.Acts) error {
	r, ok := p.running()
	if !ok {
		acts.Say("nothing looked after workers")
		return nil
	}
	if err := p.end(stopTime / 3); err != nil {
		return fault.Failed(fmt.Sprintf("process %d does not end: %v", r.PID, err))
	}
	acts.Say(fmt.Sprintf("process %d ended, which looked after workers", r.PID))
	return nil
}

// stopAll ends workers, and tells of each.
func stopAll(ctx context.Context, a *kit.App, p *post, list []hand, acts *work.Acts) error {
	results, err := p.stop(ctx, list)
	if err != nil {
		return err
	}
	for _, r := range results {
		h := r.hand
		if h.m == nil {
			work.SayEnded(acts, h.stray, h.Opened.Root, r.left, r.err)
			continue
		}
		if r.err != nil && !errors.Is(r.err, crew.ErrOver) {
			acts.Failed(work.Acted{Worker: h.m.Name, Project: h.Opened.Root}, r.err.Error(), "aburn -C "+h.Opened.Root+" ps "+h.m.Name)
			continue
		}
		one := work.ActedOn(r.now, work.DidKill)
		one.Project = h.Opened.Root
		if r.err != nil {
			one.Did, one.Left = work.WasOver, r.now.Ended
			acts.Did(one, h.String()+"  "+describe.OverText(r.now))
			continue
		}
		acts.Did(one, h.String()+"  "+describe.StateText(r.now))
	}
	if err := acts.End(); err != nil {
		return err
	}
	a.Hint("aburn restore has them go on")
	return nil
}

// ending is what became of one worker that a stop ended.
type ending struct {
	hand hand
	now  *crew.Member // as it is now; nil for a stray
	left int          // processes of a stray that were ended
	err  error
}

// stop ends workers at once, after it wrote down which.
func (p *post) stop(ctx context.Context, list []hand) (results []ending, err error) {
	s := Stopped{At: time.Now().UTC().Truncate(time.Second)}
	for _, w := range p.stopped().Workers { // of another project, whose stop is not taken back by this one
		if !contains(list, w) {
			s.Workers = append(s.Workers, w)
		}
	}
	for _, h := range list {
		if h.m == nil || h.m.Over() { // it cannot go on, or had ended before
			continue
		}
		s.Workers = append(s.Workers, StoppedWorker{h.Opened.Root, h.m.Name, h.m.Ledger.Gen(), h.Opened.Session(h.m), h.m.Worker.State.String()})
	}
	if err := p.write(lastStop, s); err != nil {
		return nil, fault.Failed(err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	var all sync.WaitGroup
	results = make([]ending, len(list))
	for i, h := range list {
		all.Go(func() {
			r := &results[i]
			if r.hand = h; h.m == nil {
				r.left, r.err = h.Opened.EndStray(ctx, h.stray)
				return
			}
			r.now, r.err = control.Kill(ctx, h.Opened.Crew, h.m)
		})
	}
	all.Wait()
	return results, nil
}

func contains(list []hand, w StoppedWorker) bool {
	for _, h := range list {
		if h.Opened.Root == w.Project && h.m != nil && h.m.Name == w.Worker {
			return true
		}
	}
	return false
}
