package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/learn"
	"aburn/cmd/aburn/internal/mcp"
	"aburn/cmd/aburn/internal/record"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/sessions"
	"aburn/cmd/aburn/internal/setup"
	"aburn/cmd/aburn/internal/supervise"
	"aburn/cmd/internal/kit"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/trace/graph"
)

// run executes the command line and returns the exit code.
func run(ctx context.Context, a *kit.App, args []string) int {
	return a.RunTree(ctx, func() *cli.Command { return root(a) }, args)
}

// root is the tree of commands. Each stands in a file of its own name.
func root(a *kit.App) *cli.Command {
	a.UseOwnHelp()
	a.FlagValues = func(ctx context.Context, cmd *cli.Command, flag string) []string {
		return flagWordsOf(ctx, a, cmd, flag)
	}
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
		Metadata: kit.Examples(
			"aburn install-hooks  # once: record every session in this project",
			"aburn tail -f  # watch the agents at work",
			"aburn chain  # what ideate, plan, build and ship last produced",
			"aburn ingest && aburn sessions  # what all agents did, from their own records",
			"aburn report --since 30d  # what keeps going wrong, and the keys to ask on with",
		),
		Version:   kit.Version().String(),
		Writer:    a.Out,
		ErrWriter: a.Err,
		// cli would call os.Exit itself for some errors; only main exits.
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: a.CompletionCommand,
		Action:                          a.NoCommand,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "work in `DIR` instead of the current folder", Value: ".", TakesFile: true},
			&cli.BoolFlag{Name: "no-color", Usage: "no colours; NO_COLOR=1 does the same"},
		},
		Commands: []*cli.Command{
			record.InitCommand(a),
			setup.InstallHooksCommand(a),
			setup.UninstallHooksCommand(a),
			setup.DoctorCommand(a),
			supervise.StatusCommand(a),
			supervise.SupervisorCommand(a),
			record.TailCommand(a),
			record.QueryCommand(a),
			record.StatsCommand(a),
			supervise.QueueCommand(a),
			record.VerifyCommand(a),
			sessions.IngestCommand(a),
			sessions.SessionsCommand(a),
			sessions.ShowCommand(a),
			sessions.GraphCommand(a),
			sessions.ToolsCommand(a),
			learn.ReportCommand(a),
			learn.ReplayCommand(a),
			learn.RemedyCommand(a),
			learn.LessonsCommand(a),
			sessions.ExportCommand(a),
			record.LogCommand(a),
			record.ChainCommand(a),
			mcp.Command(a),
			setup.TemplatesCommand(a),
			setup.PluginCommand(a),
			versionCommand(a),
		},
	}
	return a.Common(root)
}

func versionCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "say which aburn this is",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn version", "aburn version --json"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Bool("json") {
				return a.PrintJSON(kit.Version())
			}
			_, err := fmt.Fprintln(a.Out, "aburn version", kit.Version())
			return err
		},
	}
}

// flagWordsOf are the words that a flag of any command takes, for completion.
func flagWordsOf(ctx context.Context, a *kit.App, cmd *cli.Command, flag string) []string {
	switch flag {
	case "session":
		return scope.SessionsAt(a, cmd)
	case "project":
		if takesText(cmd, flag) {
			return scope.ProjectNames(ctx, a.Env)
		}
	case "phase":
		return scope.PhasesOf(scope.ModelAt(a, cmd))
	case "event":
		return scope.EventNames(func(logfmt.Event) bool { return true })
	case "priority":
		return supervise.Priorities()
	case "next", "cmd", "expect":
		return scope.CommandsOf(scope.ModelAt(a, cmd))
	case "explain":
		return limits.Types()
	case "sweep":
		return limits.Names()
	case "source":
		return scope.Sources()
	case "outcome":
		return scope.Outcomes()
	case "relationship":
		return scope.Relations()
	case "top":
		return kit.AsWords(graph.Measures()...)
	case "type":
		return scope.ToolTypes()
	case "format":
		return sessions.ExportFormats()
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
