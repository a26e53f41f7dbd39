// Command demo plays the recorded hook payloads of a real Claude Code session through real aburn-hook processes in a throw-away
// project, and shows the log, the chain and the cost of the hooks. It needs nothing but Go and a shell, and leaves nothing behind.
//
// The recording is of Claude Code 2.1.329 on a scripted model (internal/realagents records it anew); only the paths are put in.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	keep := flag.Bool("keep", false, "keep the throw-away project and say where it is")
	flag.Parse()
	if err := run(*keep); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(keep bool) error {
	steps, err := recording()
	if err != nil {
		return err
	}
	say := newNarrator()
	say.title("aburn: the flight recorder of coding agents")
	stage, err := newStage()
	if err != nil {
		return err
	}
	if keep {
		defer fmt.Println("\nkept in", stage.project)
	} else {
		defer stage.clear()
	}
	start := time.Now()
	if err := stage.build(); err != nil {
		return err
	}
	say.done("built aburn and aburn-hook", time.Since(start))

	start = time.Now()
	hooks, commands, err := stage.play(steps)
	if err != nil {
		return err
	}
	say.done(fmt.Sprintf("played two sessions of Claude Code: %d hooks and %d commands", hooks, commands), time.Since(start))

	for _, show := range []struct {
		why  string
		args []string
	}{
		{"What happened, as a person sees it:", []string{"tail", "-n", "60"}},
		{"What the next command knows of the ones before it:", []string{"chain"}},
		{"What the hooks cost the agent:", []string{"stats"}},
		{"And the log can prove that nothing is missing:", []string{"verify"}},
	} {
		say.heading(show.why, "aburn "+strings.Join(show.args, " "))
		if err := stage.show(show.args...); err != nil {
			return err
		}
	}
	say.next()
	return nil
}
