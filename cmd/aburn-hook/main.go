// Command aburn-hook is what coding agents run at their hook points: it reads
// one payload on stdin, appends it to the project's log, and exits 0 whatever
// happens, because another code would block the agent.
//
//	aburn-hook claude | codex
package main

import (
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/hooks/codex"
)

func main() {
	start := time.Now()
	debug.SetTraceback("crash") // what recover cannot catch ends by a signal: exit code 2 would block the agent
	noCore()
	roomy(0)
	defer os.Exit(0)
	defer func() { _ = recover() }()
	run := hooks.Run{
		Start: start, Args: os.Args[1:], Stdin: os.Stdin, Stdout: handle(syscall.Stdout), Env: os.Getenv,
		Agents: agents(),
		Look:   lookAt,
		Ended:  archive,
		Exit:   func() { os.Exit(0) },
	}
	if err := run.Do(); err != nil {
		handle(syscall.Stderr).Write([]byte("aburn: error: " + err.Error() + "\n"))
	}
}

// agents are those that have hooks, one line each.
func agents() []hooks.Agent {
	return []hooks.Agent{
		claude.Agent(),
		codex.Agent(),
	}
}
