package work

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/worker"
	"aburn/worker/crew"
)

func PsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "ps",
		Usage:     "which workers there are, and what each does",
		ArgsUsage: "[NAME]",
		Description: "A worker's state follows from what its agent recorded and from what its holder saw. aburn says that an agent ended only\n" +
			"if somebody saw it end. \"not seen\" means that nobody could look. With a NAME it says why the state is what it is.\n\n" +
			"Without --all it leaves out workers that ended and whose tree was removed.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "also workers of which only the ledger is left"},
			&cli.BoolFlag{Name: "check", Usage: "exit 1 if a worker needs you"},
			kit.JSONFlag(),
		},
		ShellComplete: completeWorkers(a),
		Metadata:      kit.Examples("aburn ps", "aburn ps fix-flaky-test", "aburn ps --json | jq -r '.[].worker'"),
		Action:        a.Action(runPs),
	}
}

// WorkerReport is one worker in `aburn ps --json`.
type WorkerReport struct {
	Worker    string        `json:"worker"`
	State     string        `json:"state"`
	Reason    string        `json:"reason,omitempty"`
	Status    string        `json:"status"`
	Zone      string        `json:"zone"`
	Since     *time.Time    `json:"since,omitempty"`
	Heard     *time.Time    `json:"heard,omitempty"`
	Task      string        `json:"task,omitempty"`
	Agent     string        `json:"agent,omitempty"`
	Via       string        `json:"via,omitempty"`
	Tree      string        `json:"tree,omitempty"`
	Branch    string        `json:"branch,omitempty"`
	Base      string        `json:"base,omitempty"`
	BaseRef   string        `json:"base_ref,omitempty"`
	Session   string        `json:"session,omitempty"`
	PID       int           `json:"pid,omitempty"`
	Exit      *int          `json:"exit,omitempty"`
	Signal    int           `json:"signal,omitempty"`
	Changes   *int          `json:"changes,omitempty"`
	Snapshots int           `json:"snapshots"`
	Removed   bool          `json:"removed,omitempty"`
	Damaged   int           `json:"damaged,omitempty"`
	Flags     []string      `json:"flags,omitempty"`
	Asks      []Asked       `json:"asks,omitempty"`
	Evidence  []string      `json:"evidence,omitempty"`
	Says      string        `json:"says,omitempty"`
	Messages  int           `json:"messages,omitempty"`
	Overlaps  []ClashReport `json:"overlaps,omitempty"`
	Error     string        `json:"error,omitempty"`
}

// Asked is an open question of an agent without a terminal, which `aburn answer` answers.
type Asked struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

func runPs(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.NArg() > 1 {
		return kit.UsageError("name one worker, or none", "aburn ps --help")
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	now := time.Now()
	if word := cmd.Args().First(); word != "" {
		m, err := o.member(ctx, word)
		if err != nil {
			return err
		}
		names := map[string]bool{}
		if m.Ledger.Last(worker.Overlapped) != nil {
			if all, err := o.Look(ctx); err == nil {
				names = living(all)
			}
		}
		return checked(cmd, []*crew.Member{m}, psOne(a, cmd, m, names, now))
	}
	all, err := o.Look(ctx)
	if err != nil {
		return kit.BadNews(err.Error())
	}
	shown := all
	if !cmd.Bool("all") {
		shown = crew.Living(all)
	}
	names := living(all)
	if cmd.Bool("json") {
		reports := []WorkerReport{}
		for _, m := range shown {
			reports = append(reports, reportOf(m, names, now))
		}
		return checked(cmd, shown, a.PrintJSON(reports))
	}
	err = psTable(a, cmd, shown, names, len(all), now)
	o.tellClashes(a, shown, names)
	return checked(cmd, shown, err)
}

// checked is exit 1 with --check if somebody needs the person.
func checked(cmd *cli.Command, members []*crew.Member, err error) error {
	if err != nil || !cmd.Bool("check") {
		return err
	}
	for _, m := range members {
		if m.Err != nil || m.Worker.Zone() == worker.ZoneNeedsYou && !m.Gone() {
			return kit.ExitWith(kit.ExitBadNews)
		}
	}
	return nil
}

func reportOf(m *crew.Member, names map[string]bool, now time.Time) WorkerReport {
	if m.Err != nil {
		return WorkerReport{Worker: m.Name, State: "unknown", Status: "unknown", Zone: string(worker.ZoneNeedsYou), Error: m.Err.Error()}
	}
	w, d := m.Worker, m.Request
	r := WorkerReport{
		Worker: m.Name, State: w.State.String(), Reason: string(w.Reason), Status: string(w.Status()), Zone: string(w.Zone()),
		Since: kit.OptionalTime(w.Since), Heard: kit.OptionalTime(w.Heard), Task: d.Task, Agent: d.Agent, Via: d.Via, Tree: d.Tree, Branch: d.Branch,
		Base: d.Base, BaseRef: d.BaseRef, Changes: w.Changes, Snapshots: len(crew.Snapshots(m.Ledger)), Removed: m.Gone(), Damaged: m.Ledger.Damaged,
		Flags: flagWords(w.Flags(now)), Overlaps: clashesOf(m, names), Says: m.Said, Messages: len(w.Open()),
	}
	if l := m.Ledger.Last(worker.Launched); l != nil {
		r.Session = l.Session
	}
	if m.Talk != nil && !m.Over() {
		r.Session = cmp.Or(r.Session, m.Talk.Session)
		for _, q := range m.Talk.Asks {
			r.Asks = append(r.Asks, Asked{q.ID, q.What})
		}
	}
	if w.Agent != nil && !m.Over() {
		r.PID = w.Agent.PID
	}
	if c := m.Ledger.Last(worker.Certificate); c != nil && m.Over() {
		r.Exit, r.Signal = c.Exit, c.Signal
	}
	for _, e := range w.Evidence {
		r.Evidence = append(r.Evidence, evidence(m, e))
	}
	return r
}

// flagWords are remarks beside the state.
func flagWords(f worker.Flags) (words []string) {
	for _, flag := range []struct {
		set  bool
		word string
	}{
		{f.NoSignal, "its hooks say nothing: aburn doctor"}, {f.Unseen, "not seen"}, {f.Weak, "read off its screen"}, {f.NoChange, "done without a change"},
		{f.KilledYetLives, "was killed, yet lives"}, {f.RemovedUnproven, "its tree was removed without a proof that nothing was lost"},
	} {
		if flag.set {
			words = append(words, flag.word)
		}
	}
	return words
}

// evidence names the entry that a state follows from.
func evidence(m *crew.Member, ref worker.Ref) string {
	if ref.File == worker.Log {
		return fmt.Sprintf("entry %d of the log", ref.Seq)
	}
	if ref.File == worker.Store {
		return "its protocol said so"
	}
	for i := range m.Ledger.Entries {
		if e := &m.Ledger.Entries[i]; e.Seq == ref.Seq {
			text := fmt.Sprintf("%s, entry %d of the ledger", e.Kind, e.Seq)
			if e.Why != "" {
				text += ": " + e.Why
			}
			return text
		}
	}
	return fmt.Sprintf("entry %d of the ledger", ref.Seq)
}

// stateText is a state in the words of a person.
func stateText(m *crew.Member) string {
	if m.Err != nil {
		return "unknown: " + m.Err.Error()
	}
	w := m.Worker
	text := map[worker.Status]string{
		worker.StatusNeedsInput: "needs you", worker.StatusSpawning: "starting", worker.StatusToReview: "to review", worker.StatusDetecting: "not seen",
		worker.StatusErrored: "failed", worker.StatusTerminated: "ended", worker.StatusCleanup: "removed",
	}[w.Status()]
	if text == "" {
		text = strings.ReplaceAll(string(w.Status()), "_", " ")
	}
	more := map[worker.Reason]string{
		worker.AwaitingUser: "asks", worker.ErrorInProcess: "error", worker.BudgetReached: "budget", worker.VerifyFailed: "gates failed",
		worker.Verifying: "gates began", worker.RuntimeLost: "its runtime is gone", worker.OutOfReach: "out of reach", worker.Revived: "revived",
	}[w.Reason]
	switch e := m.Ledger.Last(worker.Gated); {
	case w.Status() == worker.StatusErrored:
		more = errorText(m)
	case w.Reason == worker.Verifying && (e == nil || e.Is != worker.GateStarted):
		return "says done: aburn merge, or aburn start, runs its gates"
	}
	if more != "" {
		text += ": " + more
	}
	return text
}

// errorText says what went wrong with a worker that failed.
func errorText(m *crew.Member) string {
	if f := m.Ledger.Last(worker.LaunchFailed); f != nil {
		return f.Why
	}
	if c := m.Ledger.Last(worker.Certificate); c != nil && c.Exit != nil {
		return fmt.Sprintf("exit %d", *c.Exit)
	} else if c != nil {
		return fmt.Sprintf("signal %d", c.Signal)
	}
	return ""
}

func psTable(a *kit.App, cmd *cli.Command, members []*crew.Member, names map[string]bool, all int, now time.Time) error {
	out := a.Screen(cmd)
	if len(members) == 0 {
		text := "no worker"
		if all > 0 {
			text = fmt.Sprintf("no worker but %d that ended and left no tree: aburn ps --all", all)
		}
		_, err := fmt.Fprintln(out, text)
		return err
	}
	table := term.Table{Columns: []term.Column{
		{Title: "NAME"}, {Title: "STATE"}, {Title: "SINCE"}, {Title: "AGENT"}, {Title: "BRANCH"}, {Title: "CHANGED"}, {Title: "TASK", Flex: true, Min: 12},
	}}
	for _, m := range members {
		since, changed := "-", "-"
		if m.Err == nil && !m.Worker.Since.IsZero() {
			since = plain.Age(now.Sub(m.Worker.Since))
		}
		if m.Err == nil && m.Worker.Changes != nil {
			changed = plain.Plural(int64(*m.Worker.Changes), "file")
		}
		if m.Err == nil && m.Gone() {
			changed = "tree gone"
		}
		state := stateText(m)
		if clash := clashText(clashesOf(m, names)); clash != "" {
			state += " · " + clash
		}
		table.Add(m.Name, state, since, m.Request.Agent, m.Request.Branch, changed, m.Request.Task)
	}
	return table.Print(out, 0)
}

func psOne(a *kit.App, cmd *cli.Command, m *crew.Member, names map[string]bool, now time.Time) error {
	r := reportOf(m, names, now)
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	out := a.Screen(cmd)
	kit.Title(out, true, m.Name)
	line := func(name, text string) {
		if text != "" {
			kit.HangingParagraph(out, 11, name, plain.Line(text))
		}
	}
	since := ""
	if r.Since != nil {
		since = " since " + plain.Age(now.Sub(*r.Since))
	}
	line("state", stateText(m)+since+" ("+strings.ReplaceAll(kit.Join(r.State, r.Reason), "_", " ")+")")
	line("why", strings.Join(r.Evidence, "; "))
	for _, q := range r.Asks {
		line("asks", plain.Cut(q.What, 200)+" (aburn answer "+m.Name+" allow|deny --id "+q.ID+")")
	}
	line("says", r.Says)
	if r.Messages > 0 {
		line("messages", plain.Plural(int64(r.Messages), "message")+" of which its record shows nothing yet")
	}
	line("remarks", strings.Join(r.Flags, "; "))
	if r.Damaged > 0 {
		line("damage", plain.Plural(int64(r.Damaged), "line")+" of its ledger could not be read")
	}
	for _, c := range r.Overlaps {
		line(c.Kind, "with "+c.Worker+": "+strings.Join(c.Files, ", "))
	}
	line("task", r.Task)
	line("agent", kit.Join(r.Agent, r.Via, r.Session))
	line("branch", kit.Join(r.Branch, "from "+strings.TrimSpace(r.BaseRef+" "+r.Base[:min(len(r.Base), 8)])))
	where := r.Tree
	if r.Removed {
		where += " (removed)"
	}
	line("tree", where)
	line("snapshots", plain.Count(int64(r.Snapshots)))
	return nil
}
