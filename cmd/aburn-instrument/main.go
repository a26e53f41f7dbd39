// Command aburn-instrument is what `aburn instrument` starts: it judges, and later
// makes, instrumentation of JavaScript. It is an executable of its own because it
// links a JavaScript engine, which aburn must not.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"aburn/cmd/aburn-instrument/internal/commands"
	"aburn/cmd/internal/kit"
	"aburn/internal/project"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // parsing makes much that soon is garbage: a fifth less time for 70 MB more
	}
	a := &kit.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: project.Env}
	os.Exit(commands.Run(context.Background(), a, os.Args))
}
