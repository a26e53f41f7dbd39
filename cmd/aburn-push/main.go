// Command aburn-push is what `aburn push` starts: it sends numbers of this machine's archive to a team's database. It is an
// executable of its own because it links a client of PostgreSQL, which aburn must not.
package main

import (
	"context"
	"os"

	"aburn/cmd/aburn-push/internal/commands"
	"aburn/cmd/internal/kit"
	"aburn/internal/project"
)

func main() {
	a := &kit.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: project.Env}
	os.Exit(commands.Run(context.Background(), a, os.Args))
}
