package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/internal/term"
)

// app is what a command may touch of the outside: nothing else is global.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
	collect  func() // ends what leaveGarbage began for the command; nil if nothing did
}

// run executes the command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	if slices.Contains(args, "--no-color") { // also for what is said before and after a command
		env := a.env
		a.env = func(key string) string {
			if key == "NO_COLOR" {
				return "1"
			}
			return env(key)
		}
	}
	defer func() {
		if a.collect != nil {
			a.collect()
		}
	}()
	return a.finish(a.root().Run(ctx, args))
}

// root is the tree of commands. Each stands in a file of its own name.
func (a *app) root() *cli.Command {
	a.useOwnHelp()
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

// common gives every command of the tree what all share.
func (a *app) common(cmd *cli.Command) *cli.Command {
	cmd.OnUsageError = onUsageError
	cmd.DisableSliceFlagSeparator = true // a file name may hold a comma
	cmd.UseShortOptionHandling = true
	for _, sub := range cmd.Commands {
		sub.HideHelpCommand = true
		if sub.ShellComplete == nil {
			sub.ShellComplete = a.completer(nothing)
		}
		sub.CommandNotFound = ownHelp
		a.common(sub)
	}
	return cmd
}

// noCommand answers `aburn` alone, and a command that only holds others, with the
// help, and anything else that is no command.
func (a *app) noCommand(ctx context.Context, cmd *cli.Command) error {
	name := cmd.Args().First()
	if name == "" {
		ownHelp(ctx, cmd, name)
		return nil
	}
	var names []string
	for _, c := range cmd.VisibleCommands() {
		names = append(names, c.Names()...)
	}
	if near := nearest(name, names); near != "" {
		return usageError("unknown command "+quote(name), "did you mean "+cmd.FullName()+" "+near+"?")
	}
	return usageError("unknown command "+quote(name), cmd.FullName()+" --help")
}

// onUsageError turns cli's own errors about flags and arguments into exit 2 with a hint.
func onUsageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	hints := []string{strings.TrimSpace(cmd.FullName()) + " --help"}
	if flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		flag = strings.TrimLeft(flag, "-")
		if near := nearest(flag, flagNames(cmd)); near != "" {
			hints = append([]string{"did you mean " + dashed(near) + "?"}, hints...)
		}
		if n, ok := strings.CutPrefix(flag, "n"); ok && n != "" && strings.Trim(n, "0123456789") == "" { // tail's way
			return usageError("unknown flag -"+flag, "-n "+n)
		}
		return usageError("unknown flag "+dashed(flag), hints...)
	}
	msg := err.Error()
	if _, own, ok := strings.Cut(msg, " for flag -agent: "); ok { // agentFlag says it all
		msg = own
	}
	return usageError(flagWords(msg), hints...)
}

// flagWords puts cli's words for a value that a flag cannot take into ours.
func flagWords(msg string) string {
	value, rest, ok := strings.Cut(msg, " for flag -")
	value, invalid := strings.CutPrefix(value, "invalid value ")
	flag, why, said := strings.Cut(rest, ": ")
	switch {
	case !ok || !invalid || !said:
		return msg
	case strings.HasPrefix(why, "strconv.Parse"):
		why = value + " is no number"
	case why == "parse error": // of a flag that is there or not
		why = value + " is neither true nor false"
	}
	return dashed(strings.TrimLeft(flag, "-")) + ": " + why
}

// noArguments refuses positional arguments where a command takes none.
func noArguments(_ context.Context, cmd *cli.Command) error {
	if arg := cmd.Args().First(); arg != "" {
		return usageError("unexpected argument "+quote(arg), cmd.FullName()+" --help")
	}
	return nil
}

func flagNames(cmd *cli.Command) (names []string) {
	for _, c := range cmd.Lineage() {
		for _, f := range c.Flags {
			if local, ok := f.(cli.LocalFlag); ok && local.IsLocal() && c != cmd {
				continue
			}
			names = append(names, f.Names()...)
		}
	}
	return names
}

func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// screen is stdout as this command is to use it.
func (a *app) screen(cmd *cli.Command) *term.Out {
	return term.New(a.out, a.env, cmd.Bool("no-color"))
}
