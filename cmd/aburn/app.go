package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"
)

// Exit codes of every command: 0 fine, 1 bad news, 2 usage. `chain --expect`
// adds 3, nothing to build on.
const (
	exitOK = iota
	exitBadNews
	exitUsage
	exitMissing
)

// app is what a command may touch of the outside: nothing else is global.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) string
}

// failure is an error with an exit code and what the person can do about it.
// A failure without a message has already been told and only sets the code.
type failure struct {
	code  int
	msg   string
	hints []string
}

func (f *failure) Error() string { return f.msg }

// usageError is a mistake in how the command was called (exit 2).
func usageError(msg string, hints ...string) error {
	return &failure{exitUsage, msg, hints}
}

// badNews is an answer nobody wants, or work that went wrong (exit 1).
func badNews(msg string, hints ...string) error {
	return &failure{exitBadNews, msg, hints}
}

// run executes the command line and returns the exit code. It prints every
// error in one form: `aburn: error: …`, then a line `aburn: hint: …` per hint.
func (a *app) run(ctx context.Context, args []string) int {
	err := a.root().Run(ctx, args)
	if err == nil {
		return exitOK
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{code: exitBadNews, msg: err.Error()}
	}
	if f.msg != "" {
		fmt.Fprintf(a.err, "aburn: error: %s\n", f.msg)
	}
	for _, h := range f.hints {
		fmt.Fprintf(a.err, "aburn: hint: %s\n", h)
	}
	return f.code
}

// root is the tree of commands. Each stands in a file of its own name.
func (a *app) root() *cli.Command {
	return &cli.Command{
		Name:      "aburn",
		Usage:     "the flight recorder of coding agents",
		Writer:    a.out,
		ErrWriter: a.err,
		// cli would call os.Exit itself for some errors; only main exits.
		ExitErrHandler:        func(context.Context, *cli.Command, error) {},
		OnUsageError:          onUsageError,
		EnableShellCompletion: true,
		Suggest:               true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "C", Usage: "work in `DIR` instead of the current folder", Value: "."},
		},
		Commands: []*cli.Command{},
	}
}

// onUsageError turns cli's own flag errors into exit 2 with a hint.
func onUsageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	return usageError(err.Error(), strings.TrimSpace(cmd.FullName())+" --help")
}
