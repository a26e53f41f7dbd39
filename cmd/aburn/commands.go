package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/archiving"
	"aburn/cmd/aburn/internal/costs"
	"aburn/cmd/aburn/internal/dashboard"
	"aburn/cmd/aburn/internal/debug"
	"aburn/cmd/aburn/internal/guarding"
	"aburn/cmd/aburn/internal/learn"
	"aburn/cmd/aburn/internal/mcp"
	"aburn/cmd/aburn/internal/record"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/sessions"
	"aburn/cmd/aburn/internal/setup"
	"aburn/cmd/aburn/internal/supervise"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/aburn/internal/undo"
	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/aburn/internal/work/service"
	"aburn/cmd/aburn/internal/work/spawn"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/trace/graph"
	"aburn/trace/readers"
	"aburn/worker/daemon"
	"aburn/worker/overview"
)

// run executes the command line and returns the exit code.
func run(ctx context.Context, a *kit.App, args []string) int {
	setup.RenewPlace(a)
	return a.Run(ctx, func() *cli.Command { return root(a) }, args)
}

// root is the tree of commands. Each stands in a file of its own name.
func root(a *kit.App) *cli.Command {
	a.UseOwnHelp()
	a.Guesses = guessesOf
	a.FlagValues = func(ctx context.Context, cmd *cli.Command, flag string) []string {
		return flagWordsOf(ctx, a, cmd, flag)
	}
	root := &cli.Command{
		Name:      "aburn",
		Usage:     "the flight recorder of coding agents",
		UsageText: "aburn [-C DIR] command [options]",
		Description: "aburn shows what your coding agents did, what it cost, what failed and what waits for you. It reads the sessions that agents\n" +
			"save themselves. With hooks it also records them as they work, and tells you when one is stuck.\n\n" +
			"Exit codes: 0 OK, 1 a problem was found, 2 wrong usage.",
		Metadata: kit.Examples(
			"aburn web               # everything, in your browser",
			"aburn cost              # what your sessions cost",
			"aburn show              # what was said in the last session",
			"aburn install-hooks     # record agents as they work",
		),
		Version:   kit.Version().String(),
		Writer:    a.Stdout,
		ErrWriter: a.Stderr,
		// cli would call os.Exit itself for some errors; only main exits.
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: func(c *cli.Command) { c.Category = setUp; a.CompletionCommand(c) },
		Action:                          setup.StartAction(a),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "work in `DIR` instead of the current folder", Value: ".", TakesFile: true},
			&cli.BoolFlag{Name: "no-color", Usage: "no colours; NO_COLOR=1 does the same"},
		},
	}
	for _, group := range groups(a) {
		if group.name == workGroup {
			target.InAnyProject(group.commands)
		}
		for _, c := range group.commands {
			c.Category = group.name
			root.Commands = append(root.Commands, c)
		}
	}
	help := a.HelpCommand(forAgents)
	help.Category = setUp
	root.Commands = append(root.Commands, help)
	root.HideHelpCommand = true
	kit.Front(root, frontDoor)
	return a.WithDefaults(root)
}

// frontDoor are the commands that the help begins with, by what a person wants, in their order. All others are in `aburn help all`.
var frontDoor = []kit.Heading{
	{Title: "See", Commands: "web top status cost sessions show search report"},
	{Title: "Record", Commands: "install-hooks tail supervisor doctor"},
	{Title: "Work", Commands: "spawn ps send merge"},
	{Title: "More", Commands: "uninstall-hooks help"},
}

// group is the commands that stand under one heading of the help.
type group struct {
	name     string
	commands []*cli.Command
}

const forAgents = "For agents"

const setUp = "Set up" // holds the completion command too, which cli makes

const workGroup = "Work"

// groups are all commands, the most used first.
func groups(a *kit.App) []group {
	return []group{
		{"Record", []*cli.Command{
			setup.InstallHooksCommand(a), record.InitCommand(a), archiving.IngestCommand(a), record.VerifyCommand(a), archiving.ExportCommand(a),
			archiving.KeepCommand(a),
		}},
		{"See", []*cli.Command{
			supervise.StatusCommand(a, supervise.Workers{Standings: overview.Standings, Keeper: daemon.PID},
				supervise.Machine{Unrecorded: dashboard.Unrecorded, Elsewhere: dashboard.Elsewhere}), dashboard.WebCommand(a),
			dashboard.TopCommand(a),
			record.TailCommand(a),
			supervise.SupervisorCommand(a), supervise.ProofCommand(a), sessions.SessionsCommand(a), sessions.ShowCommand(a), sessions.SearchCommand(a),
			sessions.WhyCommand(a), sessions.CommitsCommand(a), sessions.NotesCommand(a), sessions.HandoffCommand(a),
			costs.CostCommand(a), supervise.QueueCommand(a), record.QueryCommand(a), sessions.ToolsCommand(a), sessions.GraphCommand(a),
		}},
		{workGroup, []*cli.Command{
			spawn.Command(a), service.DaemonCommand(a, dashboard.Serve, spawn.ResumeStopped), spawn.ResumeCommand(a), work.PsCommand(a),
			dashboard.DashboardCommand(a),
			spawn.AttachCommand(a), work.AnswerCommand(a), work.DiffCommand(a), work.MergeCommand(a), work.PrCommand(a), work.SyncCommand(a), work.OverlapCommand(a),
			work.ConfigCommand(a), work.ProjectCommand(a),
			work.SnapshotsCommand(a), work.SendCommand(a), work.InterruptCommand(a), work.KillCommand(a),
			work.CleanupCommand(a), work.FarCommand(a), spawn.FarCommand(a),
		}},
		{"Guard", []*cli.Command{guarding.Command(a)}},
		{"Learn", []*cli.Command{
			learn.ReportCommand(a), learn.RemedyCommand(a), learn.ReplayCommand(a), learn.LessonsCommand(a),
		}},
		{"Act", []*cli.Command{
			undo.Command(a), undo.SnapshotCommand(a),
			instrumentCommand(a),
			pushCommand(a),
		}},
		{setUp, []*cli.Command{
			setup.DoctorCommand(a, overview.Unaccounted), debug.Command(a), setup.UninstallHooksCommand(a), setup.TemplatesCommand(a), setup.PluginCommand(a),
			versionCommand(a),
		}},
		{forAgents, []*cli.Command{
			record.ChainCommand(a), record.LogCommand(a), mcp.Command(a, func() string { return beside(a, "aburn-instrument") }),
			work.DoneCommand(a), work.AskCommand(a),
		}},
	}
}

func versionCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "version",
		Usage:        "print the version",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn version", "aburn version --json"),
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Bool("json") {
				return a.PrintJSON(kit.Version())
			}
			_, err := fmt.Fprintln(a.Stdout, "aburn version", kit.Version())
			return err
		},
	}
}

// flagWordsOf are the words that a flag of any command takes, for completion.
func flagWordsOf(ctx context.Context, a *kit.App, cmd *cli.Command, flag string) []string {
	switch flag {
	case "session":
		return scope.LogSessions(a, cmd)
	case "from":
		if cmd.Name == "spawn" {
			return slices.DeleteFunc(target.WorkerNames(a, cmd), func(n string) bool { return strings.Contains(n, "/") }) // a fork stays in its project
		}
	case "project":
		if cmd.Category == workGroup {
			return target.ProjectNames(a.Getenv)
		}
		if takesText(cmd, flag) {
			return lookup.ProjectNames(ctx, a.Getenv)
		}
	case "phase":
		return workspace.PhaseNames(scope.ModelAt(a, cmd))
	case "event":
		return workspace.EventNames(func(logfmt.Event) bool { return true })
	case "priority":
		return supervise.Priorities()
	case "next", "cmd", "expect":
		return workspace.CommandNames(scope.ModelAt(a, cmd))
	case "explain":
		return limits.Types()
	case "source":
		return readers.Sources()
	case "worker":
		return lookup.WorkerNames(ctx, a.Getenv)
	case "outcome":
		return lookup.Outcomes()
	case "relationship":
		return lookup.Relations()
	case "top":
		return fault.Strings(graph.Measures()...)
	case "type":
		return lookup.ToolTypes()
	case "format":
		return archiving.ExportFormats()
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
