package setup

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/fault"
	"aburn/internal/term"
)

func UninstallHooksCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "uninstall-hooks",
		Usage: "remove aburn's hooks; restore your settings exactly",
		Description: "Restores a file that nobody changed since install-hooks, or removes it if install-hooks made it.\n" +
			"From a file that was changed since then it removes only aburn's handlers and status line. The log stays. --mcp also removes\n" +
			"the MCP server. --statusline removes only the status line: the hooks stay.",
		Flags:        append(hookFlags(), &cli.BoolFlag{Name: "statusline", Usage: "only the status line"}),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples("aburn uninstall-hooks --dry-run", "aburn uninstall-hooks", "aburn uninstall-hooks --mcp",
			"aburn uninstall-hooks --agent claude --local"),
		Action: a.Action(runUninstallHooks),
	}
}

func runUninstallHooks(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	o, err := hookOptions(a, cmd)
	if err != nil {
		return err
	}
	if cmd.Bool("statusline") {
		if cmd.Bool("mcp") {
			return fault.Usage("--statusline removes only the status line: leave out --mcp", "aburn uninstall-hooks --mcp removes all")
		}
		o.StatusLine = install.DropStatus
	}
	c, err := install.PlanUninstall(o)
	if err != nil {
		return hookError(err)
	}
	warnNotes(a, c)
	if done, err := applyChange(ctx, a, cmd, c, func() {}); err != nil || !done {
		return err
	}
	if cmd.Bool("json") {
		return hookJSON(a, c)
	}
	printUninstalled(a, cmd, c)
	return nil
}

func printUninstalled(a *kit.App, cmd *cli.Command, c *install.Change) {
	out := a.Screen(cmd)
	t := term.Table{Columns: make([]term.Column, 3)} // no path is cut
	for _, f := range c.Files {
		what := "hooks"
		switch {
		case f.Server:
			what = "MCP server"
		case cmd.Bool("statusline"):
			what = "status line"
		}
		state := what + " removed"
		switch {
		case f.Same():
			state = "no " + what
		case f.Remove:
			state = "file removed: the install had created it"
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
	printCommand(out, c)
}
