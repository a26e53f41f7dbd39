package sessions

import (
	"context"
	"os"
	"strconv"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/history/why"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
)

func CommitsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "commits",
		Usage:     "list commits with the sessions that made them",
		ArgsUsage: "[COMMIT | RANGE | BRANCH]",
		Description: "One line for each commit: how sure aburn is who made it (see aburn why), the session, the checks of that turn and\n" +
			"what the turn cost. The default is the newest commits of HEAD. Merges are left out.\n\n" +
			"--survival adds how many of the lines that a commit added git still blames on it: 1, 7 and 30 days later, and now.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only commits since `TIME`: 24h, 7d, 2026-11-21"},
			&cli.StringFlag{Name: "session", Usage: "only commits of the session `ID`"},
			&cli.StringFlag{Name: "agent", Usage: "only commits of `AGENT`: " + agentcli.Names(agentcli.All())},
			&cli.BoolFlag{Name: "survival", Usage: "say how many of their lines survive"},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "list at most `N` commits (default " + strconv.Itoa(why.Limit) + ")", Value: why.Limit,
				HideDefault: true},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator: kit.AtMostOneArgument("COMMIT"),
		Metadata: kit.Examples(
			"aburn commits",
			"aburn commits main..topic --survival",
			"aburn commits --agent claude --since 7d --json | jq '.commits[].subject'",
		),
		Action: a.Action(runCommits),
	}
}

func runCommits(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	c := chosen.CallerOf(a, cmd)
	q := why.ListQuery{Revision: cmd.Args().First(), Session: cmd.String("session"), Agent: cmd.String("agent"), Limit: cmd.Int("limit"),
		Survival: cmd.Bool("survival")}
	if q.Limit < 1 {
		return fault.Usage("--limit: must be at least 1")
	}
	if q.Agent != "" && agentcli.Of(q.Agent).Name == "" {
		return fault.Usage("--agent: no agent is called "+fault.Quote(q.Agent), "one of "+agentcli.Names(agentcli.All()))
	}
	if word := cmd.String("since"); word != "" {
		var err error
		if q.Since, err = units.ParseTime(word, c.Now); err != nil {
			return fault.Usage("--since: " + err.Error())
		}
	}
	l, err := why.ListOf(ctx, c, os.Environ(), q, func() error { return chosen.CatchUp(ctx, a, cmd, lookup.Choice{}) })
	if err != nil {
		return err
	}
	if l.Unread > 0 {
		a.Warn(plain.Plural(int64(l.Unread), "session") + " could not be read")
	}
	if cmd.Bool("json") {
		return a.PrintJSON(l)
	}
	if len(l.Commits) == 0 {
		a.Note("no commit matches")
		return nil
	}
	if err := l.Print(a.Screen(cmd)); err != nil {
		return err
	}
	if l.More {
		a.Note("there are more commits: --limit shows more")
	}
	return nil
}
