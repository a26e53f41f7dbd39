// Package scope reads from a command line which project a command is about, which entries of its log, and who calls. It
// completes their names. Several families need that, so it imports none of them.
package scope

import (
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

// CallerOf is the caller for a command that a person runs.
func CallerOf(a *kit.App, cmd *cli.Command) *workspace.Caller {
	return &workspace.Caller{Dir: cmd.String("C"), Env: a.Getenv, Now: time.Now(), Warn: a.Warn, Progress: term.New(a.Stderr, a.Getenv, true)}
}
