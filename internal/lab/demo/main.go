// Command demo shows in a temporary home and project what a newcomer wants to know first: what a week of recorded sessions cost, what was said
// in one that failed, and what the supervisor sees while a session goes wrong. For that it plays the recorded hook payloads of three real
// Claude Code sessions through real aburn-hook processes. With -all it shows the log, the chain, the advice that the agent gets, the cost of
// the hooks, the archive and the report besides. With -workers it shows workers instead, with -instrument how telemetry gets into JavaScript.
// It needs only Go and a shell (and git for workers), and leaves nothing behind.
//
// The recording is of Claude Code 2.1.329 on a scripted model (internal/lab/demo/record makes it); only paths are
// replaced.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	all := flag.Bool("all", false, "show everything, without a pause")
	keep := flag.Bool("keep", false, "keep the throw-away project and say where it is")
	crew := flag.Bool("workers", false, "show workers instead: three scripted agents, none of which is installed")
	spans := flag.Bool("instrument", false, "show aburn instrument instead, on a small shop service with a recorded plan")
	flag.Parse()
	play := func(keep bool) error { return run(*all, keep) }
	if *spans {
		play = instrumented
	}
	if *crew {
		play = workers
	}
	if err := play(*keep); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(all, keep bool) error {
	steps, err := recording()
	if err != nil {
		return err
	}
	say := newNarrator()
	say.steps = !all && say.interactive()
	say.title("aburn: the flight recorder of coding agents")
	stage, err := newStage(all)
	if err != nil {
		return err
	}
	if keep {
		defer fmt.Println("\nkept in", stage.project)
	} else {
		defer stage.clear()
	}
	start := time.Now()
	say.doing("building aburn and aburn-hook")
	if err := stage.build("aburn", "aburn-hook"); err != nil {
		return err
	}
	say.done("built aburn and aburn-hook", time.Since(start))
	if all {
		return everything(stage, say, steps)
	}
	return essentials(stage, say, steps)
}

// essentials are the answers that a newcomer wants first.
func essentials(stage *stage, say narrator, steps []step) error {
	if err := stage.quiet(stage.command("aburn", "ingest", "--quiet")); err != nil {
		return err
	}
	if err := stage.shows(say,
		scene{"Your agents save their sessions. What did the last seven days cost?", "cost --since 7d --by project"},
		scene{"Which sessions failed, and how?", "sessions --outcome failed -n 3"},
	); err != nil {
		return err
	}
	before, _ := inTrouble(steps)
	if _, err := stage.play(before); err != nil {
		return err
	}
	if err := stage.shows(say,
		scene{"With hooks, aburn sees trouble while it happens, and tells the agent with its next prompt:", "supervisor --session ebfc0fcb"},
	); err != nil {
		return err
	}
	say.next("make demo ALL=1")
	return nil
}

// everything is the tour.
func everything(stage *stage, say narrator, steps []step) error {
	before, after := inTrouble(steps)
	start := time.Now()
	p, err := stage.play(before)
	if err != nil {
		return err
	}
	say.done(fmt.Sprintf("played three sessions of Claude Code: %d hooks and %d commands", p.hooks, p.commands), time.Since(start))
	if err := stage.shows(say,
		scene{"What happened, as a person sees it:", "tail -n 60"},
		scene{"What the next command knows of the ones before it:", "chain"},
		scene{"The third session goes wrong. What a supervisor says of it, from the log alone:", "supervisor"},
	); err != nil {
		return err
	}
	if p, err = stage.play(after); err != nil {
		return err
	}
	say.handed(p.handed)
	if err := stage.shows(say,
		scene{"Whether that helped:", "supervisor report"},
		scene{"The one screen that says how things are:", "status"},
		scene{"What the hooks cost the agent:", "log stats"},
		scene{"And the log can prove that nothing is missing:", "verify"},
		scene{"Agents also write their sessions to disk, hooks or not. All of them, and this log, into one archive:", "ingest"},
		scene{"Every session of every agent:", "sessions"},
		scene{"One of them, with its fork and its sub-agent, and what each and all cost:", "graph 5b0c2f91"},
		scene{"What keeps going wrong, over all agents:", "report --limit 3"},
		scene{"What once helped where that one failed? If nothing is comparable, it says so:", "remedy 5b0c2f91"},
	); err != nil {
		return err
	}
	say.next("")
	return nil
}

// inTrouble parts the recording before its last prompt: there the third session has failed, and its user asks again.
func inTrouble(steps []step) (before, after []step) {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Event == "UserPromptSubmit" {
			return steps[:i], steps[i:]
		}
	}
	return steps, nil
}

// scene is one command of aburn, and why one looks at it.
type scene struct{ why, command string }

func (s *stage) shows(say narrator, scenes ...scene) error {
	for _, sc := range scenes {
		say.pause()
		say.heading(sc.why, "aburn "+sc.command)
		if err := s.show(strings.Fields(sc.command)...); err != nil {
			return err
		}
	}
	return nil
}
