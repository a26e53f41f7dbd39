package main

import "github.com/urfave/cli/v3"

func (a *app) supervisorCommand() *cli.Command {
	return &cli.Command{
		Name:     "supervisor",
		Usage:    "say what is wrong with the work, and keep an eye on it",
		Metadata: examples("aburn supervisor watch  # tells what goes wrong, as it does"),
		Commands: []*cli.Command{a.supervisorWatchCommand(), a.backtestCommand()},
		Action:   a.noCommand,
	}
}
