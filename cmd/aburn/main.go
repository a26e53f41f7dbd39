// Command aburn is what people and prompts run: it reads the project's log, logs
// the lifecycle of commands, and puts hooks into agents' settings.
package main

import (
	"context"
	"os"

	"aburn/cmd/internal/kit"
	"aburn/internal/project"
)

func main() {
	a := &kit.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: project.Env}
	os.Exit(run(context.Background(), a, os.Args))
}
