package sessions

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/toolcalls"
	"aburn/internal/fault"
)

func ToolsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "tools",
		Usage: "show tool calls that failed, were retried or were slow",
		Description: "Counts the calls of the chosen sessions, each once, however often it was copied. Each rate has its denominator: failed calls are\n" +
			"out of those with a result, percentiles out of those with a known duration. A duration is what hooks or the agent measured. Else\n" +
			"it is the time from call to result, which includes the wait for a permission and is marked ≤. A call without an end has no\n" +
			"result, or is shown as running. On a narrow terminal, rate is the rate of failed calls, and open counts calls without an end.\n\n" +
			"--failed shows what failed: by tool, path or command, and exit code. --retries shows calls that errored three times or more\n" +
			"before the same call (tool and input, in one session) succeeded, and those that never did.",
		Flags: append(chosen.ChoiceFlags(),
			&cli.StringFlag{Name: "type", Usage: "only calls of this `KIND` of tool: shell, read, edit, search, web, mcp, agent, other"},
			&cli.StringFlag{Name: "tool", Usage: "only calls of the tool that its agent calls `NAME`"},
			&cli.BoolFlag{Name: "failed", Usage: "what failed most"},
			&cli.BoolFlag{Name: "retries", Usage: "what was called again and again"},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "only `N` lines per part; 0 for all (default " + strconv.Itoa(toolcalls.Rows) +
				", with --json all but the calls that took longest)"},
			kit.JSONFlag(),
		),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn tools --since 7d",
			"aburn tools --failed --type shell",
			"aburn tools --retries --project . --json | jq '.retries.calls[0]'",
		),
		Action: a.Action(runTools),
	}
}

func runTools(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	kind, err := lookup.CheckWord("type", cmd.String("type"), lookup.ToolTypes())
	if err != nil {
		return err
	}
	if cmd.Int("limit") < 0 {
		return fault.Usage("--limit: must not be negative")
	}
	c := chosen.CallerOf(a, cmd)
	if err := chosen.CatchUp(ctx, a, cmd, chosen.ChoiceOf(cmd)); err != nil {
		return err
	}
	arch, filter, err := lookup.ViewChosen(ctx, c.Caller, chosen.ChoiceOf(cmd))
	if err != nil {
		return err
	}
	defer arch.Close()
	q := toolcalls.Query{Type: kind, Tool: cmd.String("tool"), Limit: toolcalls.Rows, Failed: cmd.Bool("failed"), Retries: cmd.Bool("retries")}
	if cmd.IsSet("limit") {
		q.Limit = cmd.Int("limit")
	}
	answer, err := toolcalls.Of(ctx, c, arch, filter, q)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(answer.Report(!cmd.IsSet("limit")))
	}
	if answer.Calls() == 0 {
		return noteNoCall(ctx, a, c, arch, filter, q.Tool)
	}
	short, err := names.Read(ctx, arch)
	if err != nil {
		return err
	}
	return answer.Print(a.Screen(cmd), short)
}

// noteNoCall prints why nothing is shown, and which tool --tool may mean.
func noteNoCall(ctx context.Context, a *kit.App, c *lookup.Caller, arch *archive.Archive, filter archive.Filter, tool string) error {
	if err := chosen.NoteNoneChosen(ctx, a, arch, "call"); err != nil || tool == "" {
		return err
	}
	all, err := toolcalls.Of(ctx, c, arch, filter, toolcalls.Query{Limit: 1})
	if err != nil {
		return err
	}
	a.Hint(fault.DidYouMean(tool, all.Tools())...)
	return nil
}
