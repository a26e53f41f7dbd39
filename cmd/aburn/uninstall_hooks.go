package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/install"
	"aburn/internal/term"
)

func (a *app) uninstallHooksCommand() *cli.Command {
	return &cli.Command{
		Name:  "uninstall-hooks",
		Usage: "take aburn's hooks out of the agents' settings, byte for byte",
		Description: "A file that is as install-hooks left it becomes what it was before, or goes if install-hooks\n" +
			"made it. From one that was changed since only aburn's handlers are cut, and what was\n" +
			"changed stays. The log stays too. The MCP server goes with --mcp.",
		Flags:        hookFlags(),
		ArgValidator: noArguments,
		Metadata:     examples("aburn uninstall-hooks --dry-run", "aburn uninstall-hooks", "aburn uninstall-hooks --mcp", "aburn uninstall-hooks --agent claude --local"),
		Action:       a.uninstallHooks,
	}
}

func (a *app) uninstallHooks(ctx context.Context, cmd *cli.Command) error {
	o, err := a.hookOptions(cmd)
	if err != nil {
		return err
	}
	c, err := install.PlanUninstall(o)
	if err != nil {
		return hookError(err)
	}
	a.hookNotes(c)
	if done, err := a.carryOut(ctx, cmd, c); err != nil || !done {
		return err
	}
	if cmd.Bool("json") {
		return a.hookJSON(c)
	}
	a.tellUninstalled(cmd, c)
	return nil
}

func (a *app) tellUninstalled(cmd *cli.Command, c *install.Change) {
	out := a.screen(cmd)
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
		if path := f.Agent.Remembers(f.Path, a.env); path != "" {
			fmt.Fprintf(out, "%s keeps its records of trust in %s; without the hooks they mean nothing\n", f.Agent.Title, path)
		}
	}
}
