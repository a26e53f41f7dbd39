package main

import (
	"context"
	_ "embed"
	"io"

	"github.com/urfave/cli/v3"
)

// The scripts ask `aburn … --generate-shell-completion` for lines of
// word:description. They are our own because cli's bash script needs the
// bash-completion package and evaluates what stands on the command line.
var (
	//go:embed completion/aburn.bash
	bashCompletion string
	//go:embed completion/aburn.zsh
	zshCompletion string
	//go:embed completion/aburn.fish
	fishCompletion string
)

// completionCommand makes cli's hidden completion command a visible one of ours.
func (a *app) completionCommand(c *cli.Command) {
	c.Hidden = false
	c.Usage = "print the completion script of a shell"
	c.Description = "The script completes commands, flags, workflow commands and events."
	c.Metadata = examples(
		"source <(aburn completion bash)                                   # in ~/.bashrc",
		"source <(aburn completion zsh)                                    # in ~/.zshrc, after compinit",
		"aburn completion fish > ~/.config/fish/completions/aburn.fish",
	)
	c.Commands = []*cli.Command{
		a.shellCommand("bash", bashCompletion),
		a.shellCommand("zsh", zshCompletion),
		a.shellCommand("fish", fishCompletion),
	}
	common(c)
}

func (a *app) shellCommand(shell, script string) *cli.Command {
	return &cli.Command{
		Name:         shell,
		Usage:        "print the script for " + shell,
		ArgValidator: noArguments,
		Action: func(context.Context, *cli.Command) error {
			_, err := io.WriteString(a.out, script)
			return err
		},
	}
}
