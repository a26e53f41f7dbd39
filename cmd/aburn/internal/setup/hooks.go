// Package setup is the commands that put aburn into agents' settings and take it out again. They read no session and judge
// nothing, so it imports neither archive nor supervisor.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/term"
)

func InstallHooksCommand(a *kit.App) *cli.Command {
	flags := append(hookFlags(),
		&cli.BoolFlag{Name: "no-init", Usage: "don't run aburn init in the current project"},
		&cli.StringFlag{Name: "record", Usage: "which projects `WHAT` hooks record: marked (those where you run aburn init) or everywhere (each git repository)"},
		&cli.BoolFlag{Name: "statusline", Usage: "also a status line in Claude Code: what the session and the day cost, how near a limit is, who waits for you"},
		&cli.BoolFlag{Name: "wrap", Usage: "with --statusline: call the status line that is there first, and show both"},
		&cli.BoolFlag{Name: "allow-log", Usage: "let Claude Code's prompts log without asking: adds the permission rule " + install.AllowRule + " and nothing else"},
	)
	for _, agent := range agentsWithTrust() {
		flags = append(flags, &cli.BoolFlag{Name: trustFlag(agent),
			Usage: "have " + agent.Title + " record that you trust these hooks, instead of reviewing them in " + agent.Review[0]})
	}
	return &cli.Command{
		Name:  "install-hooks",
		Usage: "add aburn's hooks to your agents' settings",
		Description: "Installs for the agents found on this machine, or for --agent; if none is found, it changes nothing.\n" +
			"It shows the changes to your settings and asks before it writes; d shows them line by line. Without a\n" +
			"terminal it needs --yes. It keeps every other byte of a file, and uninstall-hooks restores the file.\n" +
			"Inside a git repository it also runs `aburn init`. It asks once whether to record only this repository\n" +
			"or each one that you work in (--record). You can run it again. --mcp also registers `aburn mcp`, in\n" +
			"Claude Code's file of MCP servers and through `codex mcp add`. --statusline adds a status line. It\n" +
			"leaves your own status line alone. With --wrap it runs yours first.",
		Flags:        flags,
		ArgValidator: hookArguments,
		Metadata: kit.Examples(
			"aburn install-hooks --dry-run                  # only show the changes",
			"aburn install-hooks                            # record your sessions",
			"aburn install-hooks --agent codex --trust-codex",
			"aburn install-hooks --mcp                      # and let agents ask what aburn knows",
			"aburn install-hooks --statusline --wrap        # and a status line, below the one that is there",
			"aburn install-hooks --project                  # for everybody, in a file that you commit",
		),
		Action: a.Action(runInstallHooks),
	}
}

func hookArguments(ctx context.Context, cmd *cli.Command) error {
	if word := settings.Record(cmd.String("record")); cmd.IsSet("record") && word != settings.RecordMarked && word != settings.RecordEverywhere {
		return fault.Usage("--record: unknown "+fault.Quote(string(word)), "aburn install-hooks --record everywhere")
	}
	if cmd.Bool("wrap") && !cmd.Bool("statusline") {
		return fault.Usage("--wrap needs --statusline", "aburn install-hooks --statusline --wrap")
	}
	return kit.NoArguments(ctx, cmd)
}

func hookFlags() []cli.Flag {
	return []cli.Flag{
		agentFlag("", install.Agents()),
		&cli.BoolFlag{Name: "user", Usage: "change your own settings, for every session (default)"},
		&cli.BoolFlag{Name: "project", Usage: "change the project's settings, which are committed"},
		&cli.BoolFlag{Name: "local", Usage: "change your own settings of this project (Claude Code only)"},
		&cli.BoolFlag{Name: "mcp", Usage: "also change aburn's MCP server"},
		&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "only show the change"},
		&cli.BoolFlag{Name: "diff", Usage: "show the change line by line before the question"},
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "skip the question"},
		kit.JSONFlag(),
	}
}

// RenewPlace renews aburn's copies of its executables if this is a newer release. A failure leaves older copies, each
// whole, and doctor says so.
func RenewPlace(a *kit.App) {
	if self, err := os.Executable(); err == nil {
		_ = install.Renew(self, kit.Version().Version, a.Getenv)
	}
}

func hookOptions(a *kit.App, cmd *cli.Command) (install.Options, error) {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return install.Options{}, err
	}
	o := install.Options{Dir: dir, Env: a.Getenv, NoInit: cmd.Bool("no-init"), AllowLog: cmd.Bool("allow-log"), MCP: cmd.Bool("mcp")}
	o.Self, _ = os.Executable()
	o.Version = kit.Version().Version
	for _, scope := range []install.Scope{install.User, install.Project, install.Local} {
		if !cmd.Bool(string(scope)) {
			continue
		}
		if o.Scope != "" {
			return o, fault.Usage(fmt.Sprintf("--%s and --%s: one of them", o.Scope, scope))
		}
		o.Scope = scope
	}
	o.Agents = agentsNamed(cmp.Or(cmd.String("agent"), "all"), install.Agents())
	if cmd.Bool("statusline") && !slices.ContainsFunc(o.Agents, hasStatusLine) {
		return o, fault.Usage("--statusline: "+o.Agents[0].Title+" has no status line that runs a command",
			"--agent "+agentcli.Names(Records(slices.DeleteFunc(install.Agents(), lacksStatusLine))))
	}
	if len(o.Agents) != 1 && o.Scope != "" {
		o.Agents = slices.DeleteFunc(o.Agents, func(agent install.Agent) bool { return !agent.Has(o.Scope) })
	}
	return o, nil
}

func hasStatusLine(agent install.Agent) bool   { return agent.Settings.StatusLine }
func lacksStatusLine(agent install.Agent) bool { return !hasStatusLine(agent) }

// agentsWithTrust are the agents that run only hooks that the user trusts.
func agentsWithTrust() []install.Agent {
	return slices.DeleteFunc(install.Agents(), func(agent install.Agent) bool { return agent.Trust == nil })
}

// trustFlag is the flag that has the agent trust aburn's hooks.
func trustFlag(agent install.Agent) string { return "trust-" + agent.Name }

func runInstallHooks(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.IsSet("record") { // it trusts repositories that the person has not seen yet
		if err := scope.PersonOnly(a, "choose what hooks record"); err != nil {
			return err
		}
	}
	o, err := hookOptions(a, cmd)
	if err != nil {
		return err
	}
	switch {
	case cmd.Bool("wrap"):
		o.StatusLine = install.WrapStatus
	case cmd.Bool("statusline"):
		o.StatusLine = install.AddStatus
	}
	if cmd.String("agent") == "" && o.Scope != install.Local { // only one agent has local settings
		if o.Agents, err = foundAgents(o.Agents, a.Getenv); err != nil {
			return err
		}
	}
	c, err := install.Plan(o)
	if err != nil {
		return hookError(err)
	}
	warnNotes(a, c)
	out := a.Screen(cmd)
	if done, err := applyChange(ctx, a, cmd, c, func() { announceTrust(a, cmd, out, o, c) }); err != nil || !done {
		return err
	}
	if err := chooseRecord(a, cmd, out, o); err != nil {
		return err
	}
	trusted := map[install.Agent]int{}
	for _, agent := range agentsWithTrust() {
		if cmd.Bool(trustFlag(agent)) && !cmd.Bool("dry-run") {
			if trusted[agent], err = trustHooks(ctx, a, agent, o, c); err != nil {
				return err
			}
		}
	}
	if cmd.Bool("json") {
		return hookJSON(a, c)
	}
	printInstalled(a, cmd, o, c)
	for _, agent := range agentsWithTrust() {
		if n := trusted[agent]; n > 0 {
			fmt.Fprintf(a.Stdout, "%s now trusts %s\n", agent.Title, plain.Plural(int64(n), "hook"))
		}
	}
	return nil
}

// foundAgents are those of the agents that this machine has. It is an error if it seems to have none: to install for all
// would make files for programs that nobody has.
func foundAgents(agents []install.Agent, env func(string) string) ([]install.Agent, error) {
	found := install.Present(agents, env)
	if len(found) == 0 {
		return nil, fault.Failed("no agent was found: looked for "+agentcli.Names(Records(agents))+" on PATH, and for their settings",
			"nothing was changed; to install anyway: aburn install-hooks --agent NAME, or --agent all")
	}
	return found, nil
}

// trustHooks has the agent trust aburn's hooks, and returns how many it trusts.
func trustHooks(ctx context.Context, a *kit.App, agent install.Agent, o install.Options, c *install.Change) (int, error) {
	flag := "--" + trustFlag(agent)
	if !slices.ContainsFunc(c.Files, func(f install.FileChange) bool { return f.Agent == agent }) {
		return 0, fault.Usage(flag+" without "+agent.Title, "aburn install-hooks --agent "+agent.Name+" "+flag)
	}
	byHand := "the hooks are installed; run " + agent.Program + ", then " + strings.Join(agent.Review, ", then ")
	program := agent.Executable(a.Getenv)
	if program == "" {
		return 0, fault.Failed(flag+": no "+agent.Program+" on PATH", byHand)
	}
	dir := o.Dir
	if root, err := install.ProjectRoot(o.Dir, a.Getenv); err == nil {
		dir = root
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	n, err := agent.Trust(ctx, program, dir)
	if err != nil {
		return 0, fault.Failed(flag+": "+err.Error(), byHand)
	}
	return n, nil
}

// hookError gives the hint that belongs to an error of the install package.
func hookError(err error) error {
	var syntax *install.SyntaxError
	var refused *project.Refused
	var nowhere *install.NoScope
	var wide *install.TooWide
	switch {
	case errors.As(err, &wide):
		return fault.Failed(plain.Line(err.Error()), "aburn init --help", "--no-init leaves the project alone")
	case errors.As(err, &refused):
		return fault.Failed(err.Error(), "--no-init leaves the project alone")
	case errors.As(err, &syntax):
		return fault.Failed(err.Error(), "nothing was changed; agents ignore such a file, so repair it first")
	case errors.Is(err, install.ErrPassingHook), errors.Is(err, install.ErrPassingServer):
		return fault.Failed(err.Error(), "install aburn into a folder that stays, such as ~/.local/bin")
	case errors.Is(err, install.ErrNoHook), errors.Is(err, install.ErrNoServer):
		return fault.Failed(err.Error(), "reinstall aburn: all of its executables must be in one folder")
	case errors.Is(err, install.ErrOthersFile):
		return fault.Failed(err.Error(), "nothing was changed; move the file away, and install again")
	case errors.Is(err, install.ErrOtherServer):
		return fault.Failed(err.Error(), "nothing was changed; give that server another name, or leave --mcp out")
	case errors.Is(err, install.ErrSharedStatus):
		return fault.Usage(err.Error(), "leave --project or --statusline out")
	case errors.Is(err, install.ErrWindowsWrap):
		return fault.Usage(err.Error(), "leave --wrap out")
	case errors.Is(err, install.ErrNoLocalServer):
		return fault.Usage(err.Error(), "leave --mcp or --local out")
	case errors.Is(err, install.ErrNoProject):
		return fault.Usage(err.Error(), "aburn init", "leave --project and --local out, for your own settings")
	case errors.As(err, &nowhere):
		return fault.Usage(err.Error(), "aburn install-hooks --agent "+nowhere.Agent.Name)
	}
	return fault.Failed(err.Error())
}

func printInstalled(a *kit.App, cmd *cli.Command, o install.Options, c *install.Change) {
	out := a.Screen(cmd)
	t := term.Table{Columns: make([]term.Column, 3)} // no path is cut
	for _, f := range c.Files {
		state := "installed"
		switch {
		case f.Same():
			state = "as it was"
		case cmd.Bool("dry-run"):
			state = "would be changed"
		case f.Moved > 0:
			state = "brought up to date"
		}
		if f.Server {
			state = "MCP server " + state
		}
		t.AddCells(hookCells(f, state)...)
	}
	_ = t.Print(out, 0)
	if cmd.Bool("dry-run") {
		fmt.Fprintln(out, "nothing was changed")
		return
	}
	printCommand(out, c)
	printWhere(a, out, o)
	for _, f := range c.Files {
		switch {
		case f.Server && f.Scope == install.Project:
			fmt.Fprintln(out, f.Agent.Title+" asks everybody once whether it may start the server of a project")
		case f.Agent.Trusts != nil && !cmd.Bool(trustFlag(f.Agent)):
			printTrust(a, out, o, f)
		}
	}
}

// announceTrust says before the question which agents will ask for trust.
func announceTrust(a *kit.App, cmd *cli.Command, out *term.Out, o install.Options, c *install.Change) {
	for _, f := range c.Files {
		if !f.Same() && !f.Server && f.Agent.Trusts != nil && !cmd.Bool(trustFlag(f.Agent)) {
			printTrust(a, out, o, f)
		}
	}
}

func printCommand(out *term.Out, c *install.Change) {
	if c.Tell != nil {
		fmt.Fprintf(out, "%s was told: %s\n", out.Paint(term.Bold, c.Tell.Agent.Title), plain.Line(c.Tell.String()))
	}
}

func hookCells(f install.FileChange, state string) []term.Cell {
	return []term.Cell{{Text: f.Agent.Title, Style: term.Bold}, {Text: state}, {Text: f.Path, Style: term.Dim}}
}

func printWhere(a *kit.App, out *term.Out, o install.Options) {
	p, err := project.Find(o.Dir, a.Getenv)
	if set := settings.Load(nil, a.Getenv); set.Record == settings.RecordEverywhere {
		fmt.Fprintf(out, "each git repository that you work in is recorded into its %s\n", out.Paint(term.Bold, ".oss/workflow.log"))
	} else if err != nil {
		fmt.Fprintf(out, "no project here: sessions are recorded where you run %s\n", out.Paint(term.Bold, "aburn init"))
		return
	}
	if err != nil {
		return
	}
	fmt.Fprintf(out, "sessions in %s are recorded into %s\n", plain.Line(p.Root), out.Paint(term.Bold, ".oss/workflow.log"))
	fmt.Fprintf(out, "see them with %s, check with %s\n", out.Paint(term.Bold, "aburn tail -f"), out.Paint(term.Bold, "aburn doctor"))
}

// printTrust says how to trust the hooks: the agent silently skips untrusted ones.
func printTrust(a *kit.App, out *term.Out, o install.Options, f install.FileChange) {
	for _, s := range install.Inspect(f.Agent, o.Dir, a.Getenv) {
		if s.Path == f.Path && f.Agent.Trusts(&s, a.Getenv) {
			return
		}
	}
	steps := []string{"start " + f.Agent.Program}
	for _, step := range f.Agent.Review {
		steps = append(steps, out.Paint(term.Bold, step))
	}
	fmt.Fprintf(out, "%s asks you to trust these hooks before it runs them: %s (or pass --%s)\n",
		out.Paint(term.BoldYellow, f.Agent.Title), strings.Join(steps, ", "), trustFlag(f.Agent))
}
