package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"aburn/cmd/internal/kit"
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/crew"
	"aburn/worker/headless"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

func SpawnCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "spawn",
		Usage:     "start an agent on a task, in a worktree of its own",
		ArgsUsage: "TASK…",
		Description: "The worker gets a branch and a worktree that begin at your commit, and the task as its first prompt. Its tree lies outside\n" +
			"of the project. Nothing is pushed or merged. When the agent ends, the state of its tree is kept.\n\n" +
			"With --attach the agent runs in this terminal. Without it, it runs in tmux, or without a terminal: `aburn attach` shows it,\n" +
			"and `aburn answer` answers it.\n\n" +
			"A spawn that fails leaves nothing behind. Exit code: 0 if the agent ran, 1 if it could not, 2 for a mistake in the call.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "attach", Usage: "run the agent in this terminal, until it ends"},
			&cli.StringFlag{Name: "runtime", Usage: "run the agent in `WHERE`: tmux, or headless, without a terminal; by default headless where there is no tmux", Validator: checkRuntime},
			&cli.BoolFlag{Name: "trust", Usage: "you trust this repository; without a terminal the agent does not ask"},
			&cli.StringFlag{Name: "agent", Usage: "let `AGENT` work: " + strings.Join(agentNames(), ", ") + "; by default the first that is installed"},
			&cli.StringFlag{Name: "name", Usage: "call the worker `NAME` (a-z, 0-9, -) instead of words of the task"},
			&cli.StringFlag{Name: "base", Usage: "begin at `COMMIT`, a branch or tag too, instead of your commit"},
			&cli.StringFlag{Name: "branch", Usage: "work on the new branch `NAME` instead of aburn/<name>"},
			&cli.StringFlag{Name: "permissions", Value: string(slot.Ask), Usage: "let `WHAT` run unasked: one of " + permissionWords() + "; by default " + string(slot.Ask) + ", nothing", Validator: checkPermissions},
			&cli.StringFlag{Name: "model", Usage: "have the agent use `MODEL`"},
			&cli.StringFlag{Name: "file", Usage: "read the task from `FILE`; the task - reads it from stdin", TakesFile: true},
			&cli.StringSliceFlag{Name: "env", Usage: "also pass the variable `NAME` of your environment to the agent; any number of times"},
			&cli.StringSliceFlag{Name: "gate", Usage: "it is done only when `CMD` ends with 0 in its tree; any number of times, instead of gates of aburn.yaml"},
			&cli.BoolFlag{Name: "no-setup", Usage: "do not run what aburn.yaml says below setup"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only say what would be made and started"},
			&cli.BoolFlag{Name: "print-prompt", Usage: "only print what the agent would be told: the rules for workers, then the task"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples(
			`aburn spawn "fix the flaky test in cart"`,
			`aburn spawn --attach --permissions edits "rename Cart to Basket"  # here, until it ends`,
			`aburn spawn --base main --name login - < task.md`,
		),
		Action: a.Action(runSpawn),
	}
}

func checkRuntime(word string) error {
	if word == "tmux" || word == headless.Name {
		return nil
	}
	return fmt.Errorf("tmux or %s, not %s", headless.Name, kit.Quote(word))
}

func permissionWords() string { return strings.Join(kit.Strings(slot.AllPermissions()...), ", ") }

func checkPermissions(word string) error {
	for _, p := range slot.AllPermissions() {
		if string(p) == word {
			return nil
		}
	}
	return fmt.Errorf("one of %s, not %s", permissionWords(), kit.Quote(word))
}

// SpawnReport is what `aburn spawn --json` prints.
type SpawnReport struct {
	Worker      string   `json:"worker"`
	Agent       string   `json:"agent"`
	Via         string   `json:"via"`
	Tree        string   `json:"tree"`
	Branch      string   `json:"branch"`
	Base        string   `json:"base"`
	BaseRef     string   `json:"base_ref,omitempty"`
	Session     string   `json:"session,omitempty"`
	Permissions string   `json:"permissions"`
	DryRun      bool     `json:"dry_run,omitempty"`
	Argv        []string `json:"argv,omitempty"`
	Exit        *int     `json:"exit,omitempty"`
	State       string   `json:"state,omitempty"`
}

func runSpawn(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if a.Getenv(hold.MarkVariable) != "" {
		return kit.BadNews("a worker may not spawn workers", "ask the person to run this command")
	}
	if cmd.Bool("trust") {
		if err := personOnly(a, "say that the person trusts a repository"); err != nil {
			return err
		}
	}
	if len(cmd.StringSlice("gate")) > 0 { // they run outside of what the agent that asks may do
		if err := personOnly(a, "say what runs as gates"); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" {
		return kit.UsageError("workers do not run on Windows yet")
	}
	task, err := taskOf(a, cmd)
	if err != nil {
		return err
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	p, err := o.plan(a, cmd, task)
	if err != nil {
		return err
	}
	repo, err := o.repository(ctx, o.dir)
	if err != nil {
		return err
	}
	if cmd.Bool("print-prompt") {
		return o.printPrompt(ctx, a, cmd, repo, p)
	}
	if err := checkTrust(a, p, repo.Main, cmd.Bool("trust")); err != nil {
		return err
	}
	if cmd.Bool("dry-run") {
		return o.dryRun(ctx, a, cmd, repo, p)
	}
	if o.Holder, err = program("aburn-hold"); err != nil {
		return err
	}
	if cmd.Bool("attach") && !(term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))) {
		return kit.UsageError("--attach needs a terminal: elsewhere an agent runs unattended, and does not ask whether you trust the folder", "leave out --attach: the agent runs in tmux")
	}
	o.warnDirty(ctx, a, repo, p)
	s, err := o.Prepare(ctx, repo, p)
	if err != nil {
		return spawnFailure(p, err)
	}
	for _, w := range s.Warnings {
		a.Warn(plain.Line(w))
	}
	if cmd.Bool("attach") {
		return o.attached(ctx, a, cmd, repo, s, p)
	}
	if _, err := o.Start(ctx, repo, s, p); err != nil {
		return kit.BadNews(err.Error(), "nothing was left behind")
	}
	return o.background(ctx, a, cmd, repo, s, p)
}

// warnDirty says that changes in the person's own checkout are not the worker's.
func (o *office) warnDirty(ctx context.Context, a *kit.App, repo *tree.Repo, p crew.Plan) {
	if p.Base != "" {
		return
	}
	if n, err := repo.Changed(ctx); err == nil && n > 0 {
		a.Warn(plain.Plural(int64(n), "changed file")+" in this checkout will not be in the worker's tree", "commit first what it needs")
	}
}

func spawnFailure(p crew.Plan, err error) error {
	var problem *tree.Problem
	var refused *crew.Refused
	switch {
	case errors.As(err, &problem):
		return kit.UsageError(problem.Text, problem.Advice)
	case errors.As(err, &refused):
		return kit.BadNews(plain.Line(refused.Text), append(refused.Hints, "nothing was left behind")...)
	case errors.Is(err, ledger.ErrTaken):
		return kit.UsageError("a worker is called "+kit.Quote(p.Name)+" already, or was", "choose another --name, or none", "aburn ps --all")
	}
	return kit.BadNews(err.Error(), "nothing was left behind")
}

func (o *office) report(s *crew.Spawned, p crew.Plan) SpawnReport {
	r := SpawnReport{
		Worker: s.Name, Agent: p.Agent.Name(), Via: viaTerminal, Tree: s.Tree, Branch: s.Branch, Base: s.Base, BaseRef: s.BaseRef, Session: s.Session,
		Permissions: string(p.Permissions),
	}
	if p.Runtime != nil {
		r.Via = p.Runtime.Name()
	}
	return r
}

// headline is the one line about a worker that begins.
func (o *office) headline(ctx context.Context, repo *tree.Repo, s *crew.Spawned, p crew.Plan) string {
	r := o.report(s, p)
	from := plain.Cut(r.Base, 9)
	if r.BaseRef != "" {
		from = r.BaseRef + " " + r.Base[:min(len(r.Base), 8)]
	}
	if upstream, n, ok := repo.Behind(ctx, r.BaseRef); ok && n > 0 {
		from += fmt.Sprintf(" (%d behind %s)", n, upstream)
	}
	line := fmt.Sprintf("%s  %s · %s · %s from %s", s.Name, r.Agent, r.Via, s.Branch, from)
	for _, step := range s.Steps {
		line += " · " + step
	}
	return plain.Line(line)
}

func (o *office) dryRun(ctx context.Context, a *kit.App, cmd *cli.Command, repo *tree.Repo, p crew.Plan) error {
	s, err := o.Sketch(ctx, repo, p)
	if err != nil {
		return spawnFailure(p, err)
	}
	if cmd.Bool("json") {
		r := o.report(s, p)
		r.DryRun, r.Argv = true, append([]string{p.Program}, s.Launch.Args...)
		return a.PrintJSON(r)
	}
	line := kit.ShellWord(p.Program)
	for _, arg := range s.Launch.Args {
		line += " " + kit.ShellWord(arg)
	}
	_, err = fmt.Fprintf(a.Stdout, "%s\n%s\n%s\n", o.headline(ctx, repo, s, p), plain.Line(s.Tree), plain.Text(line))
	return err
}

// PromptReport is what `aburn spawn --print-prompt --json` prints.
type PromptReport struct {
	Rules string `json:"rules"`
	Task  string `json:"task"`
}

func (o *office) printPrompt(ctx context.Context, a *kit.App, cmd *cli.Command, repo *tree.Repo, p crew.Plan) error {
	s, err := o.Sketch(ctx, repo, p)
	if err != nil {
		return spawnFailure(p, err)
	}
	if cmd.Bool("json") {
		return a.PrintJSON(PromptReport{s.Rules, p.Task})
	}
	out := a.Screen(cmd)
	kit.Title(out, true, "rules")
	fmt.Fprintln(out, plain.Text(s.Rules))
	kit.Title(out, false, "task")
	_, err = fmt.Fprintln(out, plain.Text(p.Task))
	return err
}

// attached runs the agent in this terminal and tells how it ended.
func (o *office) attached(ctx context.Context, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *crew.Spawned, p crew.Plan) error {
	if !cmd.Bool("json") {
		fmt.Fprintln(a.Stdout, o.headline(ctx, repo, s, p))
	}
	holder, err := o.Start(ctx, repo, s, p)
	if err != nil {
		return kit.BadNews(err.Error(), "nothing was left behind")
	}
	// An interrupt of the terminal is for the agent. The channel is read by nobody.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGQUIT)
	defer signal.Stop(signals)
	holder.Wait()
	m, err := o.member(ctx, s.Name)
	if err != nil {
		return err
	}
	if _, _, err := o.Snapshot(ctx, repo, m); err != nil {
		a.Warn("the state of its tree was not kept: "+err.Error(), "aburn snapshots --take "+s.Name)
	}
	o.compare(ctx)
	return o.ended(ctx, a, cmd, repo, s, p)
}

func (o *office) ended(ctx context.Context, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *crew.Spawned, p crew.Plan) error {
	m, err := o.member(ctx, s.Name)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		r := o.report(s, p)
		r.State = m.Worker.State.String()
		if c := m.Ledger.Last(worker.Certificate); c != nil {
			r.Exit = c.Exit
		}
		return a.PrintJSON(r)
	}
	commits, _ := repo.Ahead(ctx, s.Base, s.Branch)
	text := s.Name + "  " + endText(m) + " · " + plain.Plural(int64(commits), "commit")
	if all := crew.Snapshots(m.Ledger); len(all) > 0 && all[len(all)-1].Changes != nil {
		text += " · " + plain.Plural(int64(*all[len(all)-1].Changes), "file") + " not committed"
	}
	if n := len(crew.Snapshots(m.Ledger)); n > 0 {
		text += fmt.Sprintf(" · snapshot %d", n)
	}
	fmt.Fprintln(a.Stdout, plain.Line(text))
	kit.PrintNextSteps(a.Screen(cmd), "aburn diff "+s.Name, "aburn cleanup "+s.Name)
	return nil
}

// endText says how an agent ended.
func endText(m *crew.Member) string {
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

// hasTaskWithin is how long spawn waits for the agent's own word that it has the task.
const hasTaskWithin = 20 * time.Second

// background waits until the agent says that it has the task, for as long as that mostly takes.
func (o *office) background(ctx context.Context, a *kit.App, cmd *cli.Command, repo *tree.Repo, s *crew.Spawned, p crew.Plan) error {
	began := time.Now()
	var m *crew.Member
	for {
		var err error
		if m, err = o.member(ctx, s.Name); err != nil {
			return err
		}
		if heardTask(m) || ctx.Err() != nil || time.Since(began) > hasTaskWithin {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	r := o.report(s, p)
	r.State = m.Worker.State.String()
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	line := o.headline(ctx, repo, s, p)
	switch {
	case m.Over():
		line += " · " + endText(m)
	case m.Talk != nil && m.Talk.Refused != "":
		line += " · refuses: " + m.Talk.Refused
	case !heardTask(m):
		line += " · runs, and has not said yet that it has the task"
	default:
		line += " · has the task (" + plain.Duration(time.Since(began)) + ")"
	}
	fmt.Fprintln(a.Stdout, line)
	if c := m.Ledger.Last(worker.Certificate); m.Over() && (m.Worker.Heard.IsZero() || c == nil || c.Exit == nil || *c.Exit != 0) {
		return kit.BadNews("the agent ended at once", "aburn ps "+s.Name, "aburn spawn --attach shows what it says")
	}
	if !m.Over() && !heardTask(m) {
		a.Hint("aburn attach " + s.Name + ": it may ask something at its start, such as whether you trust the folder")
		return nil
	}
	kit.PrintNextSteps(a.Screen(cmd), "aburn attach "+s.Name, "aburn ps")
	return nil
}

// heardTask reports whether the agent recorded a prompt.
func heardTask(m *crew.Member) bool {
	return m.Worker.State != worker.NotStarted && m.Worker.Reason != worker.AgentAcknowledged
}
