// Package kit is what the commands of all executables share: their streams and environment, errors and hints, help,
// completion, JSON, text layout and figures. It knows neither logs nor sessions, so that an executable without them can use it.
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

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// App is the outside world of a command: its streams and its environment. A test replaces all of it.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	resumeGC       func() // set by PauseGC; nil if the collector was not paused
	// FlagValues completes the value of a flag whose command does not do so itself; may be nil.
	FlagValues func(ctx context.Context, cmd *cli.Command, flag string) []string
	// Guesses are the command lines that an unknown command may have meant, none if nobody knows; may be nil.
	Guesses func(word string) []string
}

// Run executes the command line args with the tree of commands that root makes, and returns the exit code.
func (a *App) Run(ctx context.Context, root func() *cli.Command, args []string) int {
	if slices.Contains(args, "--no-color") { // also for errors, which are printed outside of the command
		env := a.Getenv
		a.Getenv = func(key string) string {
			if key == "NO_COLOR" {
				return "1"
			}
			return env(key)
		}
	}
	defer func() {
		if a.resumeGC != nil {
			a.resumeGC()
		}
	}()
	return a.finish(root().Run(ctx, args))
}

// WithDefaults sets what all commands of a tree share: errors about usage, completion, help.
func (a *App) WithDefaults(cmd *cli.Command) *cli.Command {
	cmd.OnUsageError = onUsageError
	cmd.DisableSliceFlagSeparator = true // a file name may hold a comma
	cmd.UseShortOptionHandling = true
	for _, sub := range cmd.Commands {
		sub.HideHelpCommand = true
		if sub.ShellComplete == nil {
			sub.ShellComplete = a.Completer(NoWords)
		}
		sub.CommandNotFound = showHelp
		if sub.Action == nil && len(sub.Commands) > 0 {
			sub.Action = a.HelpAction // cli's own would take a mistyped command for a question
		}
		a.WithDefaults(sub)
	}
	return cmd
}

// HelpAction is the action of a command that only holds others: it prints the help, or refuses a word that is no command.
func (a *App) HelpAction(ctx context.Context, cmd *cli.Command) error {
	name := cmd.Args().First()
	if name == "" {
		showHelp(ctx, cmd, name)
		return nil
	}
	if a.Guesses != nil && cmd == cmd.Root() {
		if hints := a.Guesses(name); len(hints) > 0 {
			return fault.Usage("unknown command "+fault.Quote(name), hints...)
		}
	}
	var names []string
	for _, c := range cmd.VisibleCommands() {
		names = append(names, c.Names()...)
	}
	if near := plain.Nearest(name, names); near != "" {
		return fault.Usage("unknown command "+fault.Quote(name), "did you mean "+cmd.FullName()+" "+near+"?")
	}
	return fault.Usage("unknown command "+fault.Quote(name), cmd.FullName()+" --help")
}

// ByDefault makes a command that only holds others answer as its member does where none is named. It has --json then.
func (a *App) ByDefault(family, member *cli.Command) *cli.Command {
	family.Flags = append(family.Flags, OwnFlags([]cli.Flag{JSONFlag()})...)
	family.Action = func(ctx context.Context, cmd *cli.Command) error {
		if cmd.Args().Present() {
			return a.HelpAction(ctx, cmd)
		}
		return member.Action(ctx, cmd)
	}
	return family
}

// onUsageError turns cli's own errors about flags and arguments into exit 2 with a hint.
func onUsageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	hints := []string{strings.TrimSpace(cmd.FullName()) + " --help"}
	if flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		flag = strings.TrimLeft(flag, "-")
		if near := plain.Nearest(flag, flagNames(cmd)); near != "" {
			hints = append([]string{"did you mean " + Dashed(near) + "?"}, hints...)
		}
		if n, ok := strings.CutPrefix(flag, "n"); ok && n != "" && strings.Trim(n, "0123456789") == "" { // tail's way
			return fault.Usage("unknown flag -"+flag, "-n "+n)
		}
		return fault.Usage("unknown flag "+Dashed(flag), hints...)
	}
	msg := err.Error()
	if _, own, ok := strings.Cut(msg, " for flag -agent: "); ok { // the validator of --agent names the flag itself
		msg = own
	}
	return fault.Usage(flagMessage(msg), hints...)
}

// flagMessage rewrites cli's error about a flag's value; other errors stay as they are.
func flagMessage(msg string) string {
	value, rest, ok := strings.Cut(msg, " for flag -")
	value, invalid := strings.CutPrefix(value, "invalid value ")
	flag, why, said := strings.Cut(rest, ": ")
	switch {
	case !ok || !invalid || !said:
		return msg
	case strings.HasPrefix(why, "strconv.Parse"):
		why = value + " is not a number"
	case why == "parse error": // of a boolean flag
		why = value + " is neither true nor false"
	}
	return Dashed(strings.TrimLeft(flag, "-")) + ": " + why
}

// NoArguments refuses positional arguments where a command takes none.
func NoArguments(_ context.Context, cmd *cli.Command) error {
	if arg := cmd.Args().First(); arg != "" {
		return fault.Usage("unexpected argument "+fault.Quote(arg), cmd.FullName()+" --help")
	}
	return nil
}

// AtMostOneArgument refuses a second positional argument.
func AtMostOneArgument(name string) cli.ArgValidatorFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		if cmd.NArg() > 1 {
			return fault.Usage("give one "+name+", not "+fault.Quote(strings.Join(cmd.Args().Slice(), " ")), cmd.FullName()+" --help")
		}
		return nil
	}
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

// Dashed is a flag as it is typed: -n, --limit.
func Dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// Screen is stdout with the width and colours that this command may use.
func (a *App) Screen(cmd *cli.Command) *term.Out {
	return term.New(a.Stdout, a.Getenv, cmd.Bool("no-color"))
}

// gracePeriod is how long a command may take to end after a signal.
const gracePeriod = 5 * time.Second

// UntilSignal is ctx until a signal asks for an end. A signal that comes gracePeriod later ends the process at once; an
// earlier one does nothing, as some senders send two. stop has to be called, and leaves nothing running.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, ignore := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ended, end := context.WithCancel(context.Background())
	cancel := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(gracePeriod):
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

// PrintJSON prints an answer for --json on one line, without characters that act on a terminal.
func (a *App) PrintJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.Stdout.Write(append(plain.AppendJSON(nil, line), '\n'))
	return err
}

// Action makes f an action of cli.
func (a *App) Action(f func(ctx context.Context, a *App, cmd *cli.Command) error) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error { return f(ctx, a, cmd) }
}

// Completion makes f a completion of cli.
func (a *App) Completion(f func(ctx context.Context, a *App, cmd *cli.Command)) cli.ShellCompleteFunc {
	return func(ctx context.Context, cmd *cli.Command) { f(ctx, a, cmd) }
}

// OwnFlags makes flags of a command no flags of the commands below it.
func OwnFlags(flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Local = true
		case *cli.StringSliceFlag:
			f.Local = true
		case *cli.BoolFlag:
			f.Local = true
		case *cli.IntFlag:
			f.Local = true
		}
	}
	return flags
}

// JSONFlag is --json of the commands that print data.
func JSONFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON, for programs"}
}
