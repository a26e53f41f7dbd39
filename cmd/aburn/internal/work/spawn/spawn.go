// Package spawn starts and resumes agents: spawn, attach, and what resume does for each worker.
package spawn

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/agents"
	"aburn/worker/headless"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/pty"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

func Command(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "spawn",
		Usage:     "start an agent on a task in its own worktree",
		ArgsUsage: "TASK…",
		Description: "The worker gets a branch and a worktree outside of the project, both at your commit, and the task as its first prompt.\n" +
			"aburn pushes and merges nothing. When the agent ends, aburn saves the worktree in a snapshot. A worker may spawn workers\n" +
			"of the same agent, with at most its permissions and a part of its budget. Those may spawn none.\n\n" +
			"With --attach the agent runs in this terminal. Otherwise it runs in tmux, or without a terminal: `aburn attach` shows\n" +
			"it, and `aburn answer` answers it. A failed spawn leaves nothing behind.\n\n" +
			"Exit codes: 0 the agent ran; 1 it could not; 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "attach", Usage: "run the agent in this terminal, until it ends"},
			&cli.StringFlag{Name: "runtime",
				Usage: "run the agent in `WHERE`: tmux, pty (a terminal without tmux), headless (without a terminal), or ssh:HOST, a machine that your own " +
					"workers.yaml names; by default tmux, and headless where there is none", Validator: checkRuntime},
			&cli.StringFlag{Name: "workspace",
				Usage:     "work in `WHAT`: a worktree of your repository, or a clone with branches of its own; by default worktree",
				Validator: checkWorkspace},
			&cli.BoolFlag{Name: "trust", Usage: "you trust this repository; without a terminal the agent does not ask"},
			&cli.StringSliceFlag{Name: "issue", Usage: "work on the issue `N` of the project's tracker; repeatable, one worker each; TASK adds instructions"},
			&cli.IntFlag{Name: "count", Value: 1, Usage: "start `N` workers on the same task"},
			&cli.StringFlag{Name: "from",
				Usage: "continue `WHAT`: a worker, with a copy of its conversation and files, or any session, with a briefing about it; " +
					"another --agent gets the files and a briefing. WHAT itself is not changed"},
			&cli.StringFlag{Name: "agent", Usage: "start this `AGENT`: " + strings.Join(agents.Names(), ", ") + "; by default the first that is installed"},
			&cli.StringFlag{Name: "name", Usage: "name the worker `NAME` (a-z, 0-9, -) instead of after the task"},
			&cli.StringFlag{Name: "base", Usage: "begin at `COMMIT`, branch or tag, instead of your commit"},
			&cli.StringFlag{Name: "branch", Usage: "work on the branch `NAME` instead of aburn/<name>; an existing one, here or on the remote, is taken over"},
			&cli.IntFlag{Name: "pr", Usage: "take over the branch of the open pull request `N`"},
			&cli.StringFlag{Name: "permissions", Value: string(slot.Ask),
				Usage: "let `WHAT` run unasked: one of " + permissionWords() + "; by default " + string(slot.Ask) + ", nothing", Validator: checkPermissions},
			&cli.StringFlag{Name: "model", Usage: "use this `MODEL`"},
			&cli.StringFlag{Name: "file", Usage: "read the task from `FILE`; the task - reads it from stdin", TakesFile: true},
			&cli.StringSliceFlag{Name: "env", Usage: "also pass the variable `NAME` of your environment to the agent; repeatable"},
			&cli.StringSliceFlag{Name: "gate", Usage: "it is done only when `CMD` exits with 0 in its worktree; repeatable; replaces the gates of aburn.yaml"},
			&cli.StringSliceFlag{Name: "port",
				Usage: "give it a free port in the variable `NAME`, with NAME=3000 from 3000 on; repeatable; adds to ports of aburn.yaml"},
			&cli.StringFlag{Name: "budget", Usage: "ask you when it has used `AMOUNT`: 5usd at list prices, or 200k fresh tokens; needs the daemon",
				Validator: checkBudget},
			&cli.StringFlag{Name: "wait",
				Usage: "return only when it is `WHAT`: accepted (the agent has the task), idle (its turn is over, or it is done) or pr (its branch has a pull " +
					"request); exit 1 if it needs you or ends before", Validator: checkWait},
			&cli.DurationFlag{Name: "timeout", Usage: "with --wait: return after `TIME` at the latest, with exit 1"},
			&cli.BoolFlag{Name: "no-setup", Usage: "don't run the setup of aburn.yaml"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only show what would be made and started"},
			&cli.BoolFlag{Name: "by-agent", Usage: "an agent asks, whatever its variables say", Hidden: true},
			&cli.BoolFlag{Name: "print-prompt", Usage: "only print the agent's instructions: the rules for workers, then the task"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples(
			`aburn spawn "fix the flaky test in cart"`,
			`aburn spawn --attach --permissions edits "rename Cart to Basket"  # here, until it ends`,
			`aburn spawn --base main --name login - < task.md`,
			`aburn spawn --issue 12 --issue 15        # one worker each`,
			`aburn spawn --pr 31 "address the review"`,
			`aburn spawn --from 5b0c2f91 --agent codex  # continues a session`,
		),
		Action: a.Action(runSpawn),
	}
}

func checkRuntime(word string) error {
	if _, far := manager.RemoteHost(word); far && word != "clone" || word == "tmux" || word == pty.Name || word == headless.Name {
		return nil
	}
	return fmt.Errorf("tmux, %s, %s or ssh:HOST, not %s", pty.Name, headless.Name, fault.Quote(word))
}

func checkBudget(word string) error {
	b, err := worker.ParseBudget(word)
	if _, bare := strconv.Atoi(word); err == nil && bare == nil && b.Tokens < 1000 {
		return fmt.Errorf("%s is so many tokens, less than one turn takes: %susd is money, %sk thousands of tokens", word, word, word)
	}
	return err
}

func checkWorkspace(word string) error {
	if word == "worktree" || word == "clone" {
		return nil
	}
	return fmt.Errorf("worktree or clone, not %s", fault.Quote(word))
}

func permissionWords() string { return strings.Join(fault.Strings(slot.AllPermissions()...), ", ") }

func checkPermissions(word string) error {
	for _, p := range slot.AllPermissions() {
		if string(p) == word {
			return nil
		}
	}
	return fmt.Errorf("one of %s, not %s", permissionWords(), fault.Quote(word))
}

func runSpawn(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := maySpawn(a, cmd); err != nil {
		return err
	}
	task, err := taskOf(a, cmd)
	if err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	if err := o.Stranded(); err != nil {
		return err
	}
	parent, err := parentOf(ctx, o, a, cmd)
	if err != nil {
		return err
	}
	repo, err := manager.Repository(ctx, o.Manager, o.Dir)
	if err != nil {
		return err
	}
	from, err := originOf(ctx, o, a, cmd)
	if err != nil {
		return err
	}
	p, err := plan(o, a, cmd, task, from)
	if err == nil && parent != nil {
		err = atMost(o, cmd, parent, &p)
	}
	if err != nil {
		return err
	}
	if err := takeOver(ctx, o, a, cmd, repo, &p, from.worker); err != nil {
		return err
	}
	p.ByAgent = scope.AgentCalls(a.Getenv) || cmd.Bool("by-agent")
	if err := manager.Admit(ctx, o.Manager, &p); err != nil {
		return launch.Refusal(err)
	}
	if err := launch.AddRules(ctx, o, a, repo, &p, from.worker); err != nil {
		return err
	}
	list, err := orders(ctx, o, a, cmd, repo, p)
	if err == nil && len(list) == 1 {
		p, err = list[0].Plan, list[0].Err
	}
	if err != nil {
		return err
	}
	if cmd.Bool("print-prompt") {
		return printPrompt(ctx, o, a, cmd, repo, list[0])
	}
	if err := launch.CheckTrust(a.Getenv, p, repo.Main, cmd.Bool("trust") || parent != nil); err != nil { // an agent that works here was trusted
		return err
	}
	if cmd.Bool("dry-run") {
		return dryRun(ctx, o, a, cmd, repo, list)
	}
	if _, far := p.Runtime.(manager.Machine); far {
		if from.worker != nil {
			return fault.Usage("a conversation stays where it is: --from needs a worktree of this repository", "--workspace worktree")
		}
		if len(list) > 1 {
			return fault.Usage("one call makes one worker on another machine or in a clone, and this one asks for several")
		}
		launch.WarnDirty(ctx, a, repo, p)()
		return spawnFar(ctx, o, a, cmd, repo, list[0])
	}
	return spawnHere(ctx, o, a, cmd, repo, p, list)
}

// maySpawn refuses what the caller, this system or two flags together do not allow.
func maySpawn(a *kit.App, cmd *cli.Command) error {
	if cmd.Bool("trust") {
		if err := scope.PersonOnly(a, "say that the person trusts a repository"); err != nil {
			return err
		}
	}
	if len(cmd.StringSlice("gate")) > 0 { // they run outside of what the agent that asks may do
		if err := scope.PersonOnly(a, "say what runs as gates"); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" {
		return fault.Usage("workers do not run on Windows yet")
	}
	if cmd.String("wait") != "" && cmd.Bool("attach") {
		return fault.Usage("--attach waits until the agent ends, and --wait for something else", "leave one out")
	}
	if cmd.IsSet("pr") && (cmd.IsSet("branch") || cmd.IsSet("from") || cmd.Int("pr") < 1) {
		return fault.Usage("--pr takes the number of a pull request, and goes without --branch and --from", "aburn spawn --pr 31 TASK")
	}
	if cmd.IsSet("timeout") && cmd.String("wait") == "" {
		return fault.Usage("--timeout needs --wait", "--wait=accepted, --wait=idle or --wait=pr")
	}
	return nil
}

// spawnHere starts the workers that were ordered, all of one plan, on this machine, in worktrees of the repository.
func spawnHere(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, p manager.Plan, list []launch.Order) (err error) {
	if o.Holder, err = projects.Program("aburn-hold"); err != nil {
		return err
	}
	if cmd.Bool("attach") && !(term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))) {
		return fault.Usage("--attach needs a terminal: elsewhere an agent runs unattended, and does not ask whether you trust the folder",
			"leave out --attach: the agent runs in tmux")
	}
	warn := launch.WarnDirty(ctx, a, repo, p)
	if len(list) > 1 {
		warn()
		return several(ctx, o, a, cmd, repo, list)
	}
	s, err := manager.Prepare(ctx, o.Manager, repo, p)
	warn()
	if err != nil {
		return launch.SpawnFailure(p, err)
	}
	for _, w := range s.Warnings {
		a.Warn(plain.Line(w))
	}
	if cmd.Bool("attach") {
		return attached(ctx, o, a, cmd, repo, s, list[0])
	}
	if _, err := manager.Start(ctx, o.Manager, repo, s, p); err != nil {
		return fault.Failed(err.Error(), "nothing was left behind")
	}
	if err := launch.TellTracker(ctx, o, list[0], s); err != nil {
		a.Warn(plain.Line(err.Error()))
	}
	if err := background(ctx, o, a, cmd, repo, s, p); err != nil {
		return err
	}
	return wait(ctx, o, a, cmd, repo, s.Name)
}
