// Package work has the commands about existing workers: agents that aburn started, each in its own worktree. worker/manager
// holds the order of steps. Package spawn starts and resumes workers, package service runs the daemon.
package work

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/logfmt"
	"aburn/supervisor/status"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/overview"
	"aburn/worker/projects"
)

func PsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "ps",
		Usage:     "list workers and what each does",
		ArgsUsage: "[NAME]",
		Description: "A worker's state comes from its agent's records and from its holder, the process that runs it. aburn reports an end only\n" +
			"if a process saw it. \"not seen\" means that aburn could not check. With a NAME it explains the state.\n\n" +
			"Without the daemon, ps saves the worktree of a worker whose turn is over, to know what changed. Without --all it leaves\n" +
			"out workers that ended and whose worktree was removed.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "also workers of which only the ledger is left"},
			&cli.BoolFlag{Name: "cost", Usage: "also show each worker's usage, after reading new sessions"},
			&cli.BoolFlag{Name: "disk", Usage: "also show the disk space of its worktree"},
			&cli.BoolFlag{Name: "check", Usage: "exit 1 if a worker needs you"},
			kit.JSONFlag(),
		},
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn ps", "aburn ps fix-the-flaky-test", "aburn ps --json | jq -r '.[].worker'"),
		Action:        a.Action(runPs),
	}
}

func runPs(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.NArg() > 1 {
		return fault.Usage("name one worker, or none", "aburn ps --help")
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	now := time.Now()
	a.PauseGC()
	if word := cmd.Args().First(); word != "" {
		m, err := memberOrStray(ctx, o, a, cmd, word)
		if m == nil || err != nil {
			return err
		}
		one := []*manager.Member{m}
		measure(ctx, o, one)
		m = one[0]
		names := map[string]bool{}
		if peers, err := manager.Peers(o.Manager, m); err == nil && len(peers) > 0 {
			if found, err := o.Load(ctx, peers...); err == nil {
				names = describe.Living(found)
			}
		}
		costs, err := costsOf(ctx, o, a, cmd, []*manager.Member{m})
		if err != nil {
			return err
		}
		r := overview.ReportOf(o, m, names, now)
		r.Workers = manager.ChildrenOf(o.Manager, m.Name)
		r.Cost, r.Disk = costs[m.Name], diskOf(ctx, cmd, []*manager.Member{m})[m.Name]
		r.Verdicts = overview.Verdicts(ctx, scope.CallerOf(a, cmd), []*manager.Member{m})[m.Session]
		return checked(cmd, []*manager.Member{m}, nil, psOne(a, cmd, m, r, now))
	}
	warnStranded(o, a)
	all, strays, err := overview.Roll(ctx, o)
	if err != nil {
		return fault.Failed(err.Error())
	}
	shown := all
	if !cmd.Bool("all") {
		shown = manager.Living(all)
	}
	measure(ctx, o, shown)
	names := describe.Living(all)
	found := overview.Verdicts(ctx, scope.CallerOf(a, cmd), shown)
	var costs map[string]*overview.WorkerCost
	if cmd.Bool("cost") {
		if costs, err = costsOf(ctx, o, a, cmd, shown); err != nil {
			return err
		}
	}
	disk := diskOf(ctx, cmd, shown)
	if cmd.Bool("json") {
		reports := []overview.WorkerReport{}
		for _, m := range shown {
			r := overview.ReportOf(o, m, names, now)
			r.Workers = namesOf(manager.Children(all, m.Name))
			r.Disk = disk[m.Name]
			r.Cost, r.Verdicts = costs[m.Name], found[m.Session]
			reports = append(reports, r)
		}
		for _, s := range strays {
			reports = append(reports, overview.StrayReport(s))
		}
		return checked(cmd, shown, strays, a.PrintJSON(reports))
	}
	err = psTable(a, cmd, shown, strays, names, costs, disk, found, len(all), now)
	tellClashes(o, a, shown, names)
	return checked(cmd, shown, strays, err)
}

// measureTime bounds what `aburn ps` spends on worktrees that nobody saved since their agents' turns ended.
const measureTime = 2 * time.Second

// measure saves the worktrees of workers whose turn ended since the last snapshot, as the daemon does where it runs: only then is it
// known how many files changed. Members are loaded anew in their places. A worktree that is in use or elsewhere stays unmeasured.
func measure(ctx context.Context, o *projects.Project, members []*manager.Member) {
	ctx, end := context.WithTimeout(ctx, measureTime)
	defer end()
	for i, m := range members {
		if m.Err != nil || !m.Worker.Unmeasured() || m.IsRemote() || m.Gone() || m.Request.Tree == m.Request.Repo {
			continue
		}
		repo, err := manager.RepositoryOf(ctx, o.Manager, m)
		if err == nil {
			err = manager.TryTakeSnapshot(ctx, o.Manager, repo, m)
		}
		if err != nil {
			continue
		}
		if now, err := o.Load(ctx, m.Name); err == nil && len(now) == 1 {
			now[0].Left, now[0].Ended = m.Left, m.Ended
			members[i] = now[0]
		}
	}
}

// memberOrStray is the worker that a word means. If only processes are left of it that no ledger knows, they are shown, and there is
// no member.
func memberOrStray(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, word string) (*manager.Member, error) {
	if ledger.ValidName(word) != nil {
		return o.Member(ctx, word) // and why there is none
	}
	members, strays, err := overview.Roll(ctx, o, meant(o, word)...)
	if err != nil {
		return nil, fault.Failed(err.Error())
	}
	if s := overview.StrayCalled(strays, word); s != nil && len(members) == 0 {
		return nil, checked(cmd, nil, strays, psStray(a, cmd, s))
	}
	if len(members) != 1 || members[0].Err != nil {
		return o.Member(ctx, word)
	}
	return members[0], nil
}

// meant are the names of the worker that a word means, or the word itself: a name that no ledger has looks for strays only.
func meant(o *projects.Project, word string) []string {
	if name, err := o.Find(word); err == nil {
		return []string{name}
	}
	return []string{word}
}

func psStray(a *kit.App, cmd *cli.Command, s *manager.Stray) error {
	if cmd.Bool("json") {
		return a.PrintJSON(overview.StrayReport(s))
	}
	out := a.Screen(cmd)
	term.Title(out, true, s.Name)
	term.HangingParagraph(out, 11, "state", plain.Line(describe.StrayText(s)))
	term.HangingParagraph(out, 11, "running", plain.Line(manager.LeftWords(s.Processes)+" (aburn kill "+s.Name+")"))
	term.HangingParagraph(out, 11, "tree", plain.Line(s.Tree))
	return nil
}

// costsOf are what workers used up. --cost reads new sessions first; without it the archive answers as it is.
func costsOf(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, members []*manager.Member) (map[string]*overview.WorkerCost, error) {
	if cmd.Bool("cost") {
		chosen.CatchUpOrWarn(ctx, a, cmd, lookup.Choice{Project: o.Root})
	}
	costs, err := overview.Costs(ctx, o, scope.CallerOf(a, cmd), members)
	if err != nil && !cmd.Bool("cost") { // where each worker stands is known all the same
		return nil, nil
	}
	return costs, err
}

// checked is exit 1 with --check if somebody needs the person.
func checked(cmd *cli.Command, members []*manager.Member, strays []*manager.Stray, err error) error {
	if err != nil || !cmd.Bool("check") {
		return err
	}
	if len(strays) > 0 {
		return fault.Exit(fault.ExitFailed)
	}
	for _, m := range members {
		if m.Err != nil || m.Worker.Zone() == worker.ZoneNeedsYou && !m.Gone() {
			return fault.Exit(fault.ExitFailed)
		}
	}
	return nil
}

func psTable(a *kit.App, cmd *cli.Command, members []*manager.Member, strays []*manager.Stray,
	names map[string]bool, costs map[string]*overview.WorkerCost, disk map[string]*int64, found map[logfmt.SessionID][]status.Verdict,
	all int, now time.Time) error {
	out := a.Screen(cmd)
	if len(members)+len(strays) == 0 {
		text := "no worker"
		if all > 0 {
			text = fmt.Sprintf("no workers, except %d that ended and have no worktree: aburn ps --all", all)
		}
		_, err := fmt.Fprintln(out, text)
		return err
	}
	table := term.Table{Columns: psColumns()}
	if disk != nil {
		table.Columns = slices.Insert(table.Columns, diskColumn, term.Column{Title: "DISK"})
	}
	for _, m := range members {
		since, changed, pr := "-", "-", "-"
		if p := describe.PullOf(m); p != nil {
			pr = fmt.Sprintf("#%d", p.Number)
		}
		if m.Err == nil && !m.Worker.Since.IsZero() {
			since = plain.Age(now.Sub(m.Worker.Since))
		}
		if m.Err == nil && m.Worker.Changes != nil {
			changed = plain.Plural(int64(*m.Worker.Changes), "file")
		}
		if m.Err == nil && m.Gone() {
			changed = "tree gone"
		}
		state := describe.StateText(m)
		if clash := describe.ClashText(describe.ClashesOf(m, names)); clash != "" {
			state += " · " + clash
		}
		if text := overview.VerdictText(found[m.Session]); text != "" {
			state += " · " + text
		}
		if text := describe.LeftRunning(m); text != "" {
			state += " · " + text
		}
		task := m.Request.Task
		if m.Request.Parent != "" {
			task = "(for " + m.Request.Parent + ") " + task
		}
		cells := []string{m.Name, state, since, m.Request.Agent, m.Request.Branch, pr, changed, costCell(cmd, m, costs[m.Name]), task}
		if disk != nil {
			size := "-"
			if n := disk[m.Name]; n != nil {
				size = plain.Size(*n)
			}
			cells = slices.Insert(cells, diskColumn, size)
		}
		table.Add(cells...)
	}
	for _, s := range strays {
		table.Add(s.Name, describe.StrayText(s), "-", "-", "-", "-")
	}
	if err := table.Print(out, 0); err != nil {
		return err
	}
	tellLeft(a, members, strays)
	return nil
}

// tellLeft hints at what ends processes that nobody holds.
func tellLeft(a *kit.App, members []*manager.Member, strays []*manager.Stray) {
	for _, s := range strays {
		a.Hint("aburn kill " + s.Name + " ends " + manager.LeftWords(s.Processes) + ", in " + plain.Line(s.Tree))
	}
	for _, m := range members {
		if len(m.Left) > 0 {
			a.Hint("aburn kill " + m.Name + " ends " + manager.LeftWords(m.Left) + ", which it left running")
		}
	}
}

// psColumns are the table's columns. A narrow terminal does without the branch, which mostly repeats the name, and then
// without what else does not say where a worker stands.
func psColumns() []term.Column {
	return []term.Column{
		{Title: "NAME"}, {Title: "STATE"}, {Title: "SINCE"}, {Title: "AGENT", Spare: 3}, {Title: "BRANCH", Spare: 4}, {Title: "PR"},
		{Title: "CHANGED", Spare: 1}, {Title: "COST"}, {Title: "TASK", Flex: true, Min: 12, Spare: 2},
	}
}

// formerly names the branches on which a worker worked before; "" for none.
func formerly(branches []string) string {
	if len(branches) == 0 {
		return ""
	}
	return "before on " + strings.Join(branches, ", ")
}

func namesOf(members []*manager.Member) (names []string) {
	for _, m := range members {
		names = append(names, m.Name)
	}
	return names
}

// goOn says which workers of one that ended go on, "" for none.
func goOn(all []*manager.Member, name string) (names []string) {
	for _, m := range manager.Children(all, name) {
		if !m.Over() {
			names = append(names, m.Name)
		}
	}
	return names
}

// diskColumn is where the table has what a tree takes, if that was asked for.
const diskColumn = 7

// diskOf is how many bytes the files of each tree have, links not followed; nil if nobody asked. Trees on other machines are not
// among them.
func diskOf(ctx context.Context, cmd *cli.Command, members []*manager.Member) map[string]*int64 {
	if !cmd.Bool("disk") {
		return nil
	}
	sizes := map[string]*int64{}
	for _, m := range members {
		if m.Err != nil || m.IsRemote() || m.Gone() || m.Request.Tree == m.Request.Repo {
			continue
		}
		n := int64(0)
		filepath.WalkDir(m.Request.Tree, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				if info, err := e.Info(); err == nil {
					n += info.Size()
				}
			}
			return ctx.Err() // what cannot be read counts nothing
		})
		sizes[m.Name] = &n
	}
	return sizes
}

// costCell is empty unless it was asked for.
func costCell(cmd *cli.Command, m *manager.Member, w *overview.WorkerCost) string {
	if !cmd.Bool("cost") {
		return ""
	}
	if text := overview.LimitText(m, w); m.Err == nil && text != "" {
		return text
	}
	return w.Says()
}
