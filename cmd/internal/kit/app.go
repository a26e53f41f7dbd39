// Package kit is what the commands of all executables share: the outside that they may touch, errors
// and hints, help, completion, JSON, tables and figures. It knows neither logs nor sessions.
package kit

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/plain"
	"aburn/internal/term"
)

// App is what a command may touch of the outside: nothing else is global.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
	collect  func() // ends what leaveGarbage began for the command; nil if nothing did
	// FlagValues are the words that a flag of the command line takes, for completion; nil where nobody knows any.
	FlagValues func(ctx context.Context, cmd *cli.Command, flag string) []string
}

// run executes the command line with a tree of commands and returns the exit code.
func (a *App) RunTree(ctx context.Context, root func() *cli.Command, args []string) int {
	if slices.Contains(args, "--no-color") { // also for what is said before and after a command
		env := a.Env
		a.Env = func(key string) string {
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

// Common gives every command of the tree what all share.
func (a *App) Common(cmd *cli.Command) *cli.Command {
	cmd.OnUsageError = onUsageError
	cmd.DisableSliceFlagSeparator = true // a file name may hold a comma
	cmd.UseShortOptionHandling = true
	for _, sub := range cmd.Commands {
		sub.HideHelpCommand = true
		if sub.ShellComplete == nil {
			sub.ShellComplete = a.Completer(Nothing)
		}
		sub.CommandNotFound = ownHelp
		a.Common(sub)
	}
	return cmd
}

// NoCommand answers `aburn` alone, and a command that only holds others, with the
// help, and anything else that is no command.
func (a *App) NoCommand(ctx context.Context, cmd *cli.Command) error {
	name := cmd.Args().First()
	if name == "" {
		ownHelp(ctx, cmd, name)
		return nil
	}
	var names []string
	for _, c := range cmd.VisibleCommands() {
		names = append(names, c.Names()...)
	}
	if near := Nearest(name, names); near != "" {
		return UsageError("unknown command "+Quote(name), "did you mean "+cmd.FullName()+" "+near+"?")
	}
	return UsageError("unknown command "+Quote(name), cmd.FullName()+" --help")
}

// onUsageError turns cli's own errors about flags and arguments into exit 2 with a hint.
func onUsageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	hints := []string{strings.TrimSpace(cmd.FullName()) + " --help"}
	if flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		flag = strings.TrimLeft(flag, "-")
		if near := Nearest(flag, flagNames(cmd)); near != "" {
			hints = append([]string{"did you mean " + Dashed(near) + "?"}, hints...)
		}
		if n, ok := strings.CutPrefix(flag, "n"); ok && n != "" && strings.Trim(n, "0123456789") == "" { // tail's way
			return UsageError("unknown flag -"+flag, "-n "+n)
		}
		return UsageError("unknown flag "+Dashed(flag), hints...)
	}
	msg := err.Error()
	if _, own, ok := strings.Cut(msg, " for flag -agent: "); ok { // agentFlag says it all
		msg = own
	}
	return UsageError(flagWords(msg), hints...)
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
	return Dashed(strings.TrimLeft(flag, "-")) + ": " + why
}

// NoArguments refuses positional arguments where a command takes none.
func NoArguments(_ context.Context, cmd *cli.Command) error {
	if arg := cmd.Args().First(); arg != "" {
		return UsageError("unexpected argument "+Quote(arg), cmd.FullName()+" --help")
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

func Dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// Screen is stdout as this command is to use it.
func (a *App) Screen(cmd *cli.Command) *term.Out {
	return term.New(a.Out, a.Env, cmd.Bool("no-color"))
}

// hurry is how long after a signal a command may take to end.
const hurry = 5 * time.Second

// UntilSignal is ctx until a signal asks for an end. A signal that comes hurry after that ends the process at once; an
// earlier one does nothing, as some senders send two. stop has to be called, and leaves nothing running.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, ignore := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ended, end := context.WithCancel(context.Background())
	cancel := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(hurry):
			ignore()
		case <-ended.Done():
		}
	})
	return ctx, func() {
		cancel()
		end()
		ignore()
	}
}

// PrintJSON prints what a command answers to --json, in one line that is safe to show.
func (a *App) PrintJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.Out.Write(append(plain.AppendJSON(nil, line), '\n'))
	return err
}

// Action is what a command does.
type Action func(ctx context.Context, a *App, cmd *cli.Command) error

// Do is an action as cli takes it.
func (a *App) Do(f Action) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error { return f(ctx, a, cmd) }
}

// DoComplete is a completion as cli takes it.
func (a *App) DoComplete(f func(ctx context.Context, a *App, cmd *cli.Command)) cli.ShellCompleteFunc {
	return func(ctx context.Context, cmd *cli.Command) { f(ctx, a, cmd) }
}
