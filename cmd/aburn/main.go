// Command aburn is what people and prompts run: it reads the project's log, logs
// the lifecycle of commands, and puts hooks into agents' settings.
package main

import (
	"context"
	"os"
)

func main() {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv}
	os.Exit(a.run(context.Background(), os.Args))
}
