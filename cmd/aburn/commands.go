package main

import (
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/trace/graph"
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"
)

// run executes the command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int { return a.runTree(ctx, a.root, args) }

// root is the tree of commands. Each stands in a file of its own name.
func (a *app) root() *cli.Command {
	a.useOwnHelp()
	a.flagValues = a.flagWordsOf
	root := &cli.Command{
		Name:      "aburn",
		Usage:     "the flight recorder of coding agents",
		UsageText: "aburn [-C DIR] command [options]",
		Description: "aburn records what coding agents do in a project into .oss/workflow.log, tells\n" +
			"prompts what the commands before them made, and puts its hooks into the agents'\n" +
			"settings and takes them out again, byte for byte. With or without hooks it archives\n" +
			"the sessions that agents write to disk, and tells of them: ingest, sessions, show,\n" +
			"graph, tools. From these it says what keeps going wrong and what once helped, to\n" +
			"people and to agents at work: report, replay, remedy, lessons, mcp.\n\n" +
			"The exit code is 0 if all is fine, 1 for bad news, 2 for a mistake in how or where\n" +
			"it was called.",
		Metadata: examples(
			"aburn install-hooks  # once: record every session in this project",
			"aburn tail -f  # watch the agents at work",
			"aburn chain  # what ideate, plan, build and ship last produced",
			"aburn ingest && aburn sessions  # what all agents did, from their own records",
			"aburn report --since 30d  # what keeps going wrong, and the keys to ask on with",
		),
		Version:   version().String(),
		Writer:    a.out,
		ErrWriter: a.err,
		// cli would call os.Exit itself for some errors; only main exits.
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: a.completionCommand,
		Action:                          a.noCommand,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "work in `DIR` instead of the current folder", Value: ".", TakesFile: true},
			&cli.BoolFlag{Name: "no-color", Usage: "no colours; NO_COLOR=1 does the same"},
		},
		Commands: []*cli.Command{
			a.initCommand(),
			a.installHooksCommand(),
			a.uninstallHooksCommand(),
			a.doctorCommand(),
			a.statusCommand(),
			a.supervisorCommand(),
			a.tailCommand(),
			a.queryCommand(),
			a.statsCommand(),
			a.queueCommand(),
			a.verifyCommand(),
			a.ingestCommand(),
			a.sessionsCommand(),
			a.showCommand(),
			a.graphCommand(),
			a.toolsCommand(),
			a.reportCommand(),
			a.replayCommand(),
			a.remedyCommand(),
			a.lessonsCommand(),
			a.exportCommand(),
			a.logCommand(),
			a.chainCommand(),
			a.mcpCommand(),
			a.templatesCommand(),
			a.pluginCommand(),
			a.versionCommand(),
		},
	}
	return a.common(root)
}

func (a *app) versionCommand() *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "say which aburn this is",
		Flags:        []cli.Flag{jsonFlag()},
		ArgValidator: noArguments,
		Metadata:     examples("aburn version", "aburn version --json"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Bool("json") {
				return a.printJSON(version())
			}
			_, err := fmt.Fprintln(a.out, "aburn version", version())
			return err
		},
	}
}

// flagWordsOf are the words that a flag of any command takes, for completion.
func (a *app) flagWordsOf(ctx context.Context, cmd *cli.Command, flag string) []string {
	switch flag {
	case "session":
		return a.sessionsAt(cmd)
	case "project":
		if takesText(cmd, flag) {
			return projectNames(ctx, a.env)
		}
	case "phase":
		return phasesOf(a.modelAt(cmd))
	case "event":
		return eventNames(func(logfmt.Event) bool { return true })
	case "priority":
		return priorities()
	case "next", "cmd", "expect":
		return commandsOf(a.modelAt(cmd))
	case "explain":
		return limits.Types()
	case "sweep":
		return limits.Names()
	case "source":
		return sources()
	case "outcome":
		return outcomes()
	case "relationship":
		return relations()
	case "top":
		return asWords(graph.Measures()...)
	case "type":
		return toolTypes()
	case "format":
		return exportFormats()
	}
	return nil
}

// takesText says that the flag of this command has a value: some commands have a flag of the same name that has none.
func takesText(cmd *cli.Command, flag string) bool {
	return slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool {
		text, ok := f.(*cli.StringFlag)
		return ok && text.Name == flag
	})
}
