package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
)

func noEnv(string) string { return "" }

// eachCommand calls f with the name of every command that a person can find, as
// words on the command line.
func eachCommand(t *testing.T, f func(words []string)) {
	t.Helper()
	a := &kit.App{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: noEnv}
	root := root(a)
	if err := root.Run(context.Background(), []string{"aburn"}); err != nil {
		t.Fatal(err)
	}
	root.Walk(func(c *cli.Command) error {
		if c.Name != "help" && !c.Hidden {
			f(strings.Fields(c.FullName()))
		}
		return nil
	})
}

func TestEveryCommandExplainsItself(t *testing.T) {
	commands := 0
	eachCommand(t, func(words []string) {
		commands++
		var out, errs bytes.Buffer
		a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: noEnv}
		if code := run(context.Background(), a, append(words, "--help")); code != fault.ExitOK || errs.Len() > 0 {
			t.Errorf("%v --help: exit %d, %s", words, code, errs.String())
		}
		text := out.String()
		if !strings.HasPrefix(text, strings.Join(words, " ")+" - ") || !strings.Contains(text, "\nUsage: aburn") {
			t.Errorf("%v --help: %s", words, text)
		}
		if !strings.Contains(text, "\nExamples:\n  ") {
			t.Errorf("%v --help has no example", words)
		}
		for line := range strings.Lines(text) {
			if plain.Width(strings.TrimSuffix(line, "\n")) > 100 || strings.HasSuffix(line, " \n") {
				t.Errorf("%v --help: %q", words, line)
			}
		}
	})
	if commands < 12 {
		t.Errorf("only %d commands", commands)
	}
}

// A flag that no command knows is a mistake in the call, everywhere.
func TestUnknownFlagsAreMistakes(t *testing.T) {
	eachCommand(t, func(words []string) {
		if last := words[len(words)-1]; last == "instrument" || last == "push" { // another executable knows its flags
			return
		}
		var out, errs bytes.Buffer
		a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: noEnv}
		code := run(context.Background(), a, append(words, "--no-such-flag"))
		if code != fault.ExitUsage || !strings.Contains(errs.String(), "aburn: error: unknown flag --no-such-flag\n") || out.Len() > 0 {
			t.Errorf("%v: exit %d, %s%s", words, code, errs.String(), out.String())
		}
	})
}

// --no-color is NO_COLOR for all that is said, wherever it stands.
func TestNoColorForEverything(t *testing.T) {
	for _, args := range [][]string{{"aburn", "--no-color", "version"}, {"aburn", "version", "--no-color"}} {
		a := &kit.App{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(key string) string { return "is " + key }}
		if code := run(context.Background(), a, args); code != fault.ExitOK || a.Getenv("NO_COLOR") != "1" || a.Getenv("HOME") != "is HOME" {
			t.Errorf("%q: exit %d, NO_COLOR=%s", args, code, a.Getenv("NO_COLOR"))
		}
	}
}
