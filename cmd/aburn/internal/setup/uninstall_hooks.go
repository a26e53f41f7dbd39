package setup

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/term"
)

func UninstallHooksCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "uninstall-hooks",
		Usage: "take aburn's hooks out of the agents' settings, byte for byte",
		Description: "A file that is as install-hooks left it becomes what it was before, or goes if install-hooks\n" +
			"made it. From one that was changed since only aburn's handlers are cut, and what was\n" +
			"changed stays. The log stays too. The MCP server goes with --mcp.",
		Flags:        hookFlags(),
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn uninstall-hooks --dry-run", "aburn uninstall-hooks", "aburn uninstall-hooks --mcp", "aburn uninstall-hooks --agent claude --local"),
		Action:       a.Do(runUninstallHooks),
	}
}

func runUninstallHooks(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	o, err := hookOptions(a, cmd)
	if err != nil {
		return err
	}
	c, err := install.PlanUninstall(o)
	if err != nil {
		return hookError(err)
	}
	hookNotes(a, c)
	if done, err := carryOut(ctx, a, cmd, c); err != nil || !done {
		return err
	}
	if cmd.Bool("json") {
		return hookJSON(a, c)
	}
	tellUninstalled(a, cmd, c)
	return nil
}

func tellUninstalled(a *kit.App, cmd *cli.Command, c *install.Change) {
	out := a.Screen(cmd)
	t := term.Table{Columns: []term.Column{{}, {}, {Flex: true, Min: 20}}}
	for _, f := range c.Files {
		what := "hooks"
		if f.Server {
			what = "MCP server"
		}
		state := what + " removed"
		switch {
		case f.Same():
			state = "no " + what
		case f.Remove:
			state = "file removed: the install had made it"
		case f.Exact:
			state = what + " removed, byte for byte"
		}
		t.AddCells(hookCells(f, state)...)
	}
	_ = t.Print(out, 0)
	if cmd.Bool("dry-run") {
		fmt.Fprintln(out, "nothing was changed")
		return
	}
	tellCommand(out, c)
	for _, f := range c.Files {
		if f.Agent.Remembers == nil || f.Same() {
			continue
		}
		if path := f.Agent.Remembers(f.Path, a.Env); path != "" {
			fmt.Fprintf(out, "%s keeps its records of trust in %s; without the hooks they mean nothing\n", f.Agent.Title, path)
		}
	}
}
