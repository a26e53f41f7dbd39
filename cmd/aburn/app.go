package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/plain"
	"aburn/internal/term"
)

// app is what a command may touch of the outside: nothing else is global.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
	collect  func() // ends what leaveGarbage began for the command; nil if nothing did
	// flagValues are the words that a flag of the command line takes, for completion; nil where nobody knows any.
	flagValues func(ctx context.Context, cmd *cli.Command, flag string) []string
}

// run executes the command line with a tree of commands and returns the exit code.
func (a *app) runTree(ctx context.Context, root func() *cli.Command, args []string) int {
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
	return a.finish(root().Run(ctx, args))
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

// hurry is how long after a signal the watch may take to end.
const hurry = 5 * time.Second

// printJSON prints what a command answers to --json, in one line that is safe to show.
func (a *app) printJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(plain.AppendJSON(nil, line), '\n'))
	return err
}
