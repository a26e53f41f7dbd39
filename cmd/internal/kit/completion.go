package kit

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

// The scripts ask `aburn … --generate-shell-completion` for lines of word:description. They are our own because cli's
// bash script needs the bash-completion package and evaluates the command line.
var (
	//go:embed completion/aburn.bash
	bashCompletion string
	//go:embed completion/aburn.zsh
	zshCompletion string
	//go:embed completion/aburn.fish
	fishCompletion string
)

// CompletionCommand turns cli's hidden completion command into a visible one with our scripts.
func (a *App) CompletionCommand(c *cli.Command) {
	c.Hidden, c.HideHelpCommand = false, true
	c.Usage = "print a shell's completion script"
	c.Description = "The script completes commands, flags, workflow commands and events."
	bash, zsh, fish := "source <(aburn completion bash)  # in ~/.bashrc",
		"source <(aburn completion zsh)  # in ~/.zshrc, after compinit",
		"aburn completion fish > ~/.config/fish/completions/aburn.fish"
	c.Metadata = Examples(bash, zsh, fish)
	c.Action = a.HelpAction
	c.Commands = []*cli.Command{
		a.shellCommand("bash", bashCompletion, bash),
		a.shellCommand("zsh", zshCompletion, zsh),
		a.shellCommand("fish", fishCompletion, fish),
	}
	a.WithDefaults(c)
}

func (a *App) shellCommand(shell, script, example string) *cli.Command {
	return &cli.Command{
		Name:         shell,
		Usage:        "print the script for " + shell,
		ArgValidator: NoArguments,
		Metadata:     Examples(example),
		Action: func(context.Context, *cli.Command) error {
			_, err := io.WriteString(a.Stdout, script)
			return err
		},
	}
}

// Completer completes flags, their values, and positional arguments. words gives the candidates for the n-th argument
// (from 0); the shell's script keeps those that begin like the word under the cursor.
func (a *App) Completer(words func(n int) []string, own ...FlagCandidates) cli.ShellCompleteFunc {
	return a.CommandCompleter(func(_ *cli.Command, n int) []string { return words(n) }, own...)
}

// FlagCandidates gives the values of flags that only one command has, by the flag's name.
type FlagCandidates map[string]func() []string

// CommandCompleter is Completer for words that depend on the flags of the command line.
func (a *App) CommandCompleter(words func(cmd *cli.Command, n int) []string, own ...FlagCandidates) cli.ShellCompleteFunc {
	return func(ctx context.Context, cmd *cli.Command) {
		args := cmd.Args().Slice()
		var list []string
		if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "-") {
			completeFlags(cmd, args[n-1])
			list = a.valuesOf(ctx, cmd, strings.TrimLeft(args[n-1], "-"), own)
		} else {
			list = words(cmd, n)
		}
		for _, w := range list {
			fmt.Fprintln(cmd.Root().Writer, w)
		}
		if len(args) == 0 {
			cli.DefaultCompleteWithFlags(ctx, cmd) // subcommands
		}
	}
}

func (a *App) valuesOf(ctx context.Context, cmd *cli.Command, flag string, own []FlagCandidates) []string {
	for _, values := range own {
		if words := values[flag]; words != nil {
			return words()
		}
	}
	if a.FlagValues == nil {
		return nil
	}
	return a.FlagValues(ctx, cmd, flag)
}

// completeFlags prints the flags of cmd and of the commands above it that begin as typed. A complete one is left out.
func completeFlags(cmd *cli.Command, typed string) {
	for _, c := range cmd.Lineage() {
		for _, f := range c.Flags {
			if local, ok := f.(cli.LocalFlag); ok && local.IsLocal() && c != cmd {
				continue
			}
			usage := ""
			if doc, ok := f.(cli.DocGenerationFlag); ok {
				usage = strings.ReplaceAll(doc.GetUsage(), "`", "")
			}
			for _, name := range f.Names() {
				if name = Dashed(name); strings.HasPrefix(name, typed) && name != typed {
					fmt.Fprintf(cmd.Root().Writer, "%s:%s\n", name, usage)
				}
			}
		}
	}
}

// NoWords completes nothing: for commands without arguments.
func NoWords(int) []string { return nil }
