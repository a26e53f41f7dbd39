// Command aburn-hook records one hook payload of a coding agent: it reads the payload
// on stdin, appends it to the project's log, and exits 0 whatever happens, because
// another code would block the agent. It is only the composition root of the hooks.
//
//	aburn-hook claude | codex | opencode | gemini | qwen | copilot EVENT | pi [--home DIR] [--config DIR] [--state DIR] [--data DIR] [--archive DIR]
//	aburn-hook claude statusline [--home DIR …] [--wrap LINE]
//
// The second form prints a status line and records nothing. --wrap calls LINE, the status line that was there before, first.
//
// The folders are those of the person who installed the hook. With --home the variables
// HOME, XDG_…_HOME and ABURN_HOME do not count, because a repository can set them.
package main

import (
	"context"
	"os"
	"syscall"
	"time"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/hooks/codex"
	"aburn/hooks/copilot"
	"aburn/hooks/gemini"
	"aburn/hooks/opencode"
	"aburn/hooks/pi"
	"aburn/hooks/qwen"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/supervisor/look"
)

func main() {
	start := time.Now()
	endBySignal()
	disableCoreDumps()
	growStack(0)
	defer os.Exit(0)
	defer func() { _ = recover() }()
	run := hooks.Run{
		Start: start, Parent: int(caller), Args: os.Args[1:], Stdin: os.Stdin, Stdout: handle(syscall.Stdout), Env: project.Env,
		Agents: agents(),
		Look:   lookAt,
		Judge:  judge,
		Ended:  startIngest, Snapshot: startSnapshot,
		Exit: func() { os.Exit(0) },
	}
	if err := run.Do(); err != nil {
		handle(syscall.Stderr).Write([]byte("aburn: error: " + err.Error() + "\n"))
	}
}

// agents lists the adapters of all agents with hooks.
func agents() []hooks.Agent {
	return []hooks.Agent{
		claude.Agent(),
		codex.Agent(),
		opencode.Agent(),
		gemini.Agent(),
		qwen.Agent(),
		copilot.Agent(),
		pi.Agent(),
	}
}

// lookAt lets the supervisor look. Its results are in the queue and the log. A failed
// look is left to the next one and never reaches the agent.
func lookAt(l hooks.Looking) hooks.Looked {
	r, err := look.New(look.Options{
		Root: l.Root, Project: l.Project, Journal: l.Journal, Settings: l.Settings, Key: l.Key, By: journal.Hook,
		Session: l.Session, Transcript: l.Transcript, Prompt: l.Prompt, InTurn: l.InTurn != nil, Slow: l.Slow,
	}).Once(context.Background(), time.Now(), l.Until)
	if err != nil || !r.Complete {
		return hooks.Looked{}
	}
	return hooks.Looked{Alone: !r.AgentsEnded(l.Session), Certain: r.Certain(l.Session, l.InTurn)}
}

// growStack makes the main goroutine's stack as large as a run needs, at once: its frame
// has that size even if nothing uses it. Doubling the stack deep in a run would copy it
// four times and read cold tables for every frame, which takes a tenth of a whole run.
//
//go:noinline
func growStack(n int) byte {
	if n == 0 {
		return 0
	}
	var frame [24 << 10]byte
	for i := range frame {
		frame[i] = byte(i * n)
	}
	return frame[n%len(frame)]
}
