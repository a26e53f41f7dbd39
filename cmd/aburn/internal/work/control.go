package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/crew"
)

func KillCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "kill",
		Usage:     "end a worker's agent; its tree and branch stay",
		ArgsUsage: "NAME…",
		Description: "The agent and all that it started get 4 seconds to end, then they are killed. Nobody else's process is touched. The\n" +
			"tree, the branch and the conversation stay: `aburn diff`, `aburn cleanup`.\n\n" +
			"Exit code: 1 if one was not ended.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "all workers of the project whose agents have not ended"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --all: do not ask"},
			&cli.BoolFlag{Name: "forget", Usage: "only write down that it ended: for one whose machine is gone. Nothing is ended"},
			kit.JSONFlag(),
		},
		ArgValidator:  checkKill,
		ShellComplete: CompleteWorkers(a),
		Metadata:      kit.Examples("aburn kill fix-the-flaky-test", "aburn kill --all --project shop", "aburn kill --json --all --yes"),
		Action:        a.Action(runKill),
	}
}

func checkKill(_ context.Context, cmd *cli.Command) error {
	switch {
	case cmd.NArg() == 0 && !cmd.Bool("all"):
		return kit.UsageError("name a worker", "aburn ps", "aburn kill --all")
	case cmd.NArg() > 0 && cmd.Bool("all"):
		return kit.UsageError("--all ends all workers, and you named some", "leave one out")
	case cmd.Bool("forget") && cmd.Bool("all"):
		return kit.UsageError("--forget needs names: what is forgotten may still run", "aburn ps")
	case cmd.Bool("yes") && !cmd.Bool("all"):
		return kit.UsageError("--yes is for --all: workers that you name are ended at once", "leave it out")
	}
	return nil
}

func runKill(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := PersonOnly(a, "end workers"); err != nil {
		return err
	}
	o, err := OpenOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	members, err := o.Chosen(ctx, cmd.Args().Slice())
	if err != nil {
		return err
	}
	if cmd.Bool("all") {
		members = slices.DeleteFunc(members, func(m *crew.Member) bool { return m.Over() || m.Ledger.Gen() == 0 })
		if err := confirmAll(a, cmd, members); err != nil {
			return err
		}
	}
	now, errs := make([]*crew.Member, len(members)), make([]error, len(members))
	var all sync.WaitGroup
	for i, m := range members { // each may take 4 seconds
		all.Go(func() {
			if cmd.Bool("forget") {
				now[i], errs[i] = m, o.Forget(m)
				return
			}
			now[i], errs[i] = o.Kill(ctx, m)
		})
	}
	all.Wait()
	acts := NewActs(a, cmd.Bool("json"))
	others, _ := o.Peek(ctx)
	for i, m := range members {
		sayKilled(acts, m, now[i], errs[i], cmd.Bool("forget"), goOn(others, m.Name))
	}
	return acts.End()
}

// sayKilled tells how a worker's agent ended, or that this was only written down.
func sayKilled(acts *Acts, m, now *crew.Member, err error, forget bool, children []string) {
	switch {
	case errors.Is(err, crew.ErrOver):
		acts.Did(ActedOn(m, WasOver), m.Name+"  had ended already: "+StateText(m))
	case err != nil && forget:
		acts.Failed(ActedOn(m, ""), "not forgotten: "+err.Error()+", and aburn kill ends it")
	case err != nil:
		acts.Failed(ActedOn(m, ""), err.Error())
	case forget:
		acts.Did(Acted{Worker: m.Name, Did: DidForget}, m.Name+"  forgotten: if it runs somewhere, it goes on there")
	default:
		one := ActedOn(now, DidKill)
		one.Left, one.GoOn = left(now), children
		text := now.Name + "  " + StateText(now) + LeftText(now)
		if len(children) > 0 {
			text += "; what it spawned goes on: " + strings.Join(children, ", ")
		}
		acts.Did(one, text)
	}
}

// confirmAll asks before all workers of a project end.
func confirmAll(a *kit.App, cmd *cli.Command, members []*crew.Member) error {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	text := plain.Plural(int64(len(members)), "worker") + " would end: " + plain.OneLine(strings.Join(names, ", "), 200)
	switch {
	case len(members) == 0:
		a.Note("no worker's agent runs")
		return nil
	case cmd.Bool("yes"):
		return nil
	case !a.CanAsk(cmd):
		return kit.UsageError(text, "--yes ends them")
	case !a.Confirm(text + ". End them?"):
		return kit.BadNews("nothing was ended")
	}
	return nil
}

// LeftText says how many processes were ended with the agent.
func LeftText(m *crew.Member) string {
	if n := left(m); n > 0 {
		return fmt.Sprintf(", with %d more of its processes", n)
	}
	return ""
}

func left(m *crew.Member) int {
	if c := m.Ledger.Last(worker.Certificate); c != nil && c.Left != nil {
		return *c.Left
	}
	return 0
}

// EndText says how an agent ended.
func EndText(m *crew.Member) string {
	c := m.Ledger.Last(worker.Certificate)
	switch {
	case c == nil:
		return strings.ReplaceAll(string(m.Worker.Status()), "_", " ")
	case c.Exit == nil:
		return fmt.Sprintf("ended by signal %d", c.Signal)
	}
	text := fmt.Sprintf("ended with %d", *c.Exit)
	if l := m.Ledger.Last(worker.Launched); l != nil && c.At.After(l.At) {
		text += " after " + plain.Duration(c.At.Sub(l.At))
	}
	return text
}
