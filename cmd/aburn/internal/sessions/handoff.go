package sessions

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/history/handoff"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/worker/launch"
)

func HandoffCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "handoff",
		Usage:     "brief another agent or person on a session",
		ArgsUsage: "[SESSION]",
		Description: "Prints what was asked, made and checked, what failed, and what is left open, as Markdown of at most\n" +
			"9,000 characters. It comes from records, without a model. Each fact names its source. The default is last, the newest session of this project.\n\n" +
			"--to AGENT --start starts that agent here, in this terminal, with the briefing as its first prompt.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "the agent that continues: " + agentcli.Names(starters())},
			&cli.BoolFlag{Name: "start", Usage: "start the agent of --to here"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator:  kit.AtMostOneArgument("SESSION"),
		ShellComplete: a.Completion(chosen.CompleteSessions),
		Metadata: kit.Examples(
			"aburn handoff",
			"aburn handoff 5b0c2f91 > briefing.md",
			"aburn handoff last --to codex --start",
			"aburn handoff --json | jq '.sections[] | select(.name==\"open\")'",
		),
		Action: a.Action(runHandoff),
	}
}

// starters are the agents that take a first prompt on their command line.
func starters() (list []*agentcli.Agent) {
	for _, agent := range agentcli.All() {
		if agent.FirstPrompt != "" {
			list = append(list, agent)
		}
	}
	return list
}

func runHandoff(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	start, program, err := startOf(a, cmd)
	if err != nil {
		return err
	}
	if err := chosen.CatchUp(ctx, a, cmd, lookup.Choice{}); err != nil {
		return err
	}
	c := chosen.CallerOf(a, cmd)
	b, name, err := handoff.Ask(ctx, c, os.Environ(), cmp.Or(cmd.Args().First(), lookup.LastName))
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(b)
	}
	if start == nil {
		_, err := fmt.Fprint(a.Stdout, b.Text(name))
		return err
	}
	folder, err := c.Folder()
	if err != nil {
		return err
	}
	if err := os.Chdir(folder); err != nil {
		return err
	}
	return kit.Replace(program, []string{program, start.FirstPrompt, b.Text(name)})
}

// startOf is the agent that --start starts, and its executable; nil without --start.
func startOf(a *kit.App, cmd *cli.Command) (*agentcli.Agent, string, error) {
	word := cmd.String("to")
	if !cmd.Bool("start") {
		if word != "" {
			return nil, "", fault.Usage("--to needs --start", "aburn handoff --to "+word+" --start")
		}
		return nil, "", nil
	}
	switch {
	case cmd.Bool("json"):
		return nil, "", fault.Usage("--start takes no --json")
	case word == "":
		return nil, "", fault.Usage("--start needs an agent", "aburn handoff --to codex --start")
	}
	if err := scope.PersonOnly(a, "start another agent this way"); err != nil {
		return nil, "", err
	}
	for _, agent := range starters() {
		if agent.Name == word || agent.Program == word {
			_, program, err := launch.ChooseAgent(agent.Name)
			return agent, program, err
		}
	}
	return nil, "", fault.Usage("no agent "+fault.Quote(word)+" can be started with a prompt", "--to "+strings.ReplaceAll(agentcli.Names(starters()), ", ", " | "))
}
