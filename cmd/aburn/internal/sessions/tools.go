package sessions

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/term"
	"aburn/trace"
)

// toolRows is the default of --limit.
const toolRows = 10

func ToolsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "tools",
		Usage: "show tool calls that failed, were retried or were slow",
		Description: "Counts the calls of the chosen sessions, each once, however often it was copied. Each rate stands with its denominator: failed calls of " +
			"those that have a\n" +
			"result, percentiles of those with a known duration. A duration is what hooks or the agent measured. Else it is the time from call to result, which\n" +
			"includes the wait for a permission: ≤ stands before it. A call without an end has no result, or is said to be running. " +
			"A narrow terminal says rate for failed of those that ended, and open for those without an end.\n\n" +
			"--failed shows what failed: by tool, path or command, and exit code. --retries shows calls that errored three times or more before the same call (tool " +
			"and input,\n" +
			"in one session) succeeded, and those that never did.",
		Flags: append(chosen.ChoiceFlags(),
			&cli.StringFlag{Name: "type", Usage: "only calls of this `KIND` of tool: shell, read, edit, search, web, mcp, agent, other"},
			&cli.StringFlag{Name: "tool", Usage: "only calls of the tool that its agent calls `NAME`"},
			&cli.BoolFlag{Name: "failed", Usage: "what failed most"},
			&cli.BoolFlag{Name: "retries", Usage: "what was called again and again"},
			&cli.IntFlag{Name: "limit", Usage: "only `N` lines a part; 0 for all (default " + strconv.Itoa(toolRows) +
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
	limit := toolRows
	if cmd.IsSet("limit") {
		limit = cmd.Int("limit")
	}
	t, err := tallyCalls(ctx, c, arch, filter, kind, cmd.String("tool"), limit)
	if err != nil {
		return err
	}
	v := &toolsView{tally: t, limit: limit, failed: cmd.Bool("failed"), retries: cmd.Bool("retries")}
	if cmd.Bool("json") {
		if !cmd.IsSet("limit") {
			v.limit = 0
		}
		return a.PrintJSON(v.report())
	}
	if t.sum.calls == 0 {
		return noteNoCall(ctx, a, c, arch, filter, cmd.String("tool"))
	}
	if v.names, err = names.Read(ctx, arch); err != nil {
		return err
	}
	return v.show(a.Screen(cmd))
}

// noteNoCall prints why nothing is shown, and which tool --tool may mean.
func noteNoCall(ctx context.Context, a *kit.App, c *lookup.Caller, arch *archive.Archive, filter archive.Filter, tool string) error {
	if err := chosen.NoteNoneChosen(ctx, a, arch, "call"); err != nil || tool == "" {
		return err
	}
	t, err := tallyCalls(ctx, c, arch, filter, "", "", 1)
	if err != nil {
		return err
	}
	names := map[string]bool{} // agents may have tools of the same name
	for _, s := range t.ordered {
		names[agentcli.ToolWord(s.tool)] = true
	}
	a.Hint(fault.DidYouMean(tool, slices.Sorted(maps.Keys(names)))...)
	return nil
}

// tallyCalls counts the calls of the sessions that the filter chooses, of one kind and tool if they are not empty.
func tallyCalls(ctx context.Context, c *lookup.Caller, arch *archive.Archive, filter archive.Filter, kind, tool string, keep int) (*toolTally, error) {
	t := newToolTally(keep)
	for row, err := range arch.Calls(ctx, archive.CallFilter{Filter: filter}) {
		if err != nil {
			return nil, err
		}
		if (kind == "" || string(row.Type) == kind) && (tool == "" || row.Tool == tool || agentcli.ToolWord(row.Tool) == tool) {
			t.add(&row)
		}
	}
	t.finish()
	if (kind == "" || kind == string(trace.AgentTool)) && tool == "" {
		filter.Relation = trace.Subagent
		agents, err := arch.Sessions(ctx, filter)
		if err != nil {
			return nil, err
		}
		judged, err := c.Judge(ctx, agents)
		if err != nil {
			return nil, err
		}
		t.addOutcomes(judged)
	}
	return t, nil
}

type toolsView struct {
	tally           *toolTally
	names           *names.Sessions
	limit           int
	failed, retries bool
}

func (v *toolsView) show(out *term.Out) error {
	var err error
	switch {
	case v.failed:
		err = v.showFailures(out)
	case !v.retries:
		if err = v.showTools(out); err == nil {
			err = v.showLongest(out)
		}
	}
	if err == nil && (v.retries || !v.failed) {
		if err = v.showRetries(out); err == nil {
			err = v.showAgents(out)
		}
	}
	return err
}

func (v *toolsView) rows(n int) int {
	if v.limit > 0 {
		return min(n, v.limit)
	}
	return n
}
